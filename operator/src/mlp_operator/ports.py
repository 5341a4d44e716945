"""What the reconcilers need besides an engine: where runs and models are tracked, where logs can be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from mlp.schemas.jobs import ModelSpec, RegisteredModel
from mlp.schemas.phases import AttemptOutcome
from mlp_core.domain.ids import AttemptId
from mlp_core.domain.job import Attempt
from mlp_core.jobs.reconciling import JobContext


@dataclass(frozen=True, slots=True)
class TrackedRun:
    """The MLflow run of an attempt and the run of its job above it."""

    run_id: str
    parent_run_id: str


class Tracking(Protocol):
    """MLflow, as far as a job's life needs it. Every call is safe to repeat.

    Raises `Unavailable` where MLflow does not answer now.
    """

    async def start_run(self, context: JobContext, attempt: Attempt) -> TrackedRun: ...

    async def finish_run(self, context: JobContext, run_id: str, outcome: AttemptOutcome) -> None: ...

    async def register_model(self, context: JobContext, attempt: Attempt, model: ModelSpec) -> RegisteredModel:
        """The registered version.

        Raises:
            NotFound: the run has no such artifact or logged model.
            Invalid: MLflow refuses the name.
        """
        ...


class LogTail(Protocol):
    async def last_lines(self, attempt: AttemptId, source: str, count: int) -> Sequence[str]:
        """The last complete lines stored of a source, rendered for people."""
        ...
