"""Starting and finishing the runs of jobs and attempts. No database session: callers keep the ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from mlp.schemas.phases import AttemptOutcome, JobPhase
from mlp_core.domain.errors import Invalid, NotFound
from mlp_core.gateways.mlflow import PARENT_TAG, Mlflow, Run, RunStatus, WorkspaceMissing

DEFAULT_EXPERIMENT = "Default"
IDENTITY_TAG = "mlp.run"
"""Says which job or attempt a run stands for; MLflow takes no idempotency keys, so this is looked for first."""
_RESERVED = ("mlp.", PARENT_TAG)
_NAME_LENGTH = 250

_STATUS_OF_OUTCOME = {
    AttemptOutcome.SUCCEEDED: RunStatus.FINISHED,
    AttemptOutcome.FAILED: RunStatus.FAILED,
    AttemptOutcome.CANCELLED: RunStatus.KILLED,
    AttemptOutcome.PREEMPTED: RunStatus.KILLED,
}
_STATUS_OF_PHASE = {
    JobPhase.SUCCEEDED: RunStatus.FINISHED,
    JobPhase.FAILED: RunStatus.FAILED,
    JobPhase.CANCELLED: RunStatus.KILLED,
}


@dataclass(frozen=True, slots=True)
class AttemptTracking:
    """What there is to say about an attempt before it starts."""

    project_id: str
    job_id: str
    job_name: str
    job_url: str
    """The page of the job, so that people get from the run to it."""
    attempt_id: str
    attempt_number: int
    started_at: datetime
    created_by: str
    entrypoint: str
    experiment: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict[str, str])
    """The user's own; those in the platform's name space are left out."""
    package_digest: str | None = None
    environment_digest: str | None = None
    parent_run_id: str | None = None
    """Of an earlier attempt, if there was one."""


@dataclass(frozen=True, slots=True)
class StartedRun:
    """The runs of an attempt, and the experiment they are in."""

    parent_run_id: str
    run_id: str
    experiment_id: str


async def start_attempt_run(mlflow: Mlflow, attempt: AttemptTracking) -> StartedRun:
    """The attempt's run, made where there is none yet; safe to repeat after a crash at any point.

    Raises:
        Unavailable: MLflow does not answer.
    """
    try:
        return await _start(mlflow, attempt)
    except WorkspaceMissing:
        await mlflow.workspaces.ensure(attempt.project_id)
        return await _start(mlflow, attempt)


async def finish_attempt_run(
    mlflow: Mlflow, project_id: str, run_id: str, outcome: AttemptOutcome, ended_at: datetime
) -> None:
    """Close the attempt's run as its process ended; safe to repeat."""
    await mlflow.runs.close(project_id, run_id, _STATUS_OF_OUTCOME[outcome], ended_at)


async def finish_job_run(mlflow: Mlflow, project_id: str, parent_run_id: str, phase: JobPhase, at: datetime) -> None:
    """Close the job's run as the job ended; safe to repeat."""
    await mlflow.runs.close(project_id, parent_run_id, _STATUS_OF_PHASE[phase], at)


async def _start(mlflow: Mlflow, attempt: AttemptTracking) -> StartedRun:
    """As few calls as can be: a job's first line of output waits for them."""
    parent = await _usable_parent(mlflow, attempt)
    if parent is not None:
        known = await mlflow.runs.find(attempt.project_id, parent.experiment_id, IDENTITY_TAG, attempt.attempt_id)
        child = known or await _make_child(mlflow, attempt, parent)
        return StartedRun(parent.id, child.id, parent.experiment_id)
    name = attempt.experiment or DEFAULT_EXPERIMENT
    try:
        return await _start_first(mlflow, attempt, await mlflow.experiments.recall(attempt.project_id, name))
    except Invalid:
        # Deleted since it was last looked at, most likely; if it is not that, it is said again.
        return await _start_first(mlflow, attempt, await mlflow.experiments.ensure(attempt.project_id, name))


async def _start_first(mlflow: Mlflow, attempt: AttemptTracking, experiment_id: str) -> StartedRun:
    """Both runs, of which an earlier try may have made one or two."""
    found = await mlflow.runs.list_tagged(attempt.project_id, experiment_id, "mlp.job", attempt.job_id)
    known = {run.tags.get(IDENTITY_TAG): run for run in found}
    parent = known.get(attempt.job_id) or await mlflow.runs.create(
        attempt.project_id,
        experiment_id,
        attempt.job_name[:_NAME_LENGTH],
        {**_user_tags(attempt.tags), **_platform_tags(attempt), IDENTITY_TAG: attempt.job_id},
        attempt.started_at,
    )
    child = known.get(attempt.attempt_id) or await _make_child(mlflow, attempt, parent)
    return StartedRun(parent.id, child.id, experiment_id)


async def _make_child(mlflow: Mlflow, attempt: AttemptTracking, parent: Run) -> Run:
    tags = {
        **_user_tags(attempt.tags),
        **_platform_tags(attempt),
        "mlp.attempt": attempt.attempt_id,
        "mlp.attempt_number": str(attempt.attempt_number),
        PARENT_TAG: parent.id,
        IDENTITY_TAG: attempt.attempt_id,
    }
    name = f"{attempt.job_name[: _NAME_LENGTH - 10]} #{attempt.attempt_number}"
    return await mlflow.runs.create(attempt.project_id, parent.experiment_id, name, tags, attempt.started_at)


async def _usable_parent(mlflow: Mlflow, attempt: AttemptTracking) -> Run | None:
    """The parent of the earlier attempts, unless a person has deleted it meanwhile."""
    if attempt.parent_run_id is None:
        return None
    try:
        parent = await mlflow.runs.get(attempt.project_id, attempt.parent_run_id)
    except NotFound:
        return None
    if parent.is_deleted:
        return None
    if parent.status != RunStatus.RUNNING:
        await mlflow.runs.reopen(attempt.project_id, parent.id)
    return parent


def _user_tags(tags: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in tags.items() if not key.startswith(_RESERVED)}


def _platform_tags(attempt: AttemptTracking) -> dict[str, str]:
    tags = {
        "mlp.job": attempt.job_id,
        "mlp.job_name": attempt.job_name,
        "mlp.url": attempt.job_url,
        "mlp.package": attempt.package_digest,
        "mlp.environment_digest": attempt.environment_digest,
        "mlflow.user": attempt.created_by,
        "mlflow.source.name": attempt.entrypoint,
        "mlflow.source.type": "JOB",
    }
    return {key: value for key, value in tags.items() if value}
