"""What a job is, without any way to change it: shared by both faces and by the card."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mlp import errors
from mlp.client.card import render

if TYPE_CHECKING:
    from mlp.schemas.base import Instant, ResourceRef
    from mlp.schemas.jobs import Failure, JobCreate, JobRead, RegisteredModel
    from mlp.schemas.phases import JobPhase


class JobView:
    """The fields of a job, read when `read` was."""

    def __init__(self, read: JobRead) -> None:
        self._read = read

    @property
    def read(self) -> JobRead:
        """The whole wire document."""
        return self._read

    @property
    def id(self) -> str:
        return self._read.id

    @property
    def name(self) -> str:
        return self._read.name

    @property
    def project(self) -> str:
        return self._read.project

    @property
    def phase(self) -> JobPhase:
        return self._read.phase

    @property
    def reason(self) -> str:
        return self._read.reason

    @property
    def message(self) -> str:
        return self._read.message

    @property
    def has_ended(self) -> bool:
        return self._read.phase.is_terminal

    @property
    def failure(self) -> Failure | None:
        return self._read.failure

    @property
    def exit_code(self) -> int | None:
        return self._read.exit_code

    @property
    def signal(self) -> int | None:
        return self._read.signal

    @property
    def attempt(self) -> int:
        return self._read.attempt

    @property
    def spec(self) -> JobCreate:
        return self._read.spec

    @property
    def run(self) -> ResourceRef | None:
        """The MLflow run of the current attempt."""
        return self._read.run

    @property
    def model(self) -> RegisteredModel | None:
        return self._read.model

    @property
    def url(self) -> str:
        return self._read.url

    @property
    def created_at(self) -> Instant:
        return self._read.created_at

    @property
    def duration_seconds(self) -> float | None:
        return self._read.duration_seconds

    def __repr__(self) -> str:
        return f"<Job {self.id} {self.name!r} {self.phase} {self.reason}>"

    def _repr_html_(self) -> str:
        return render(self._read)


def failure_of(read: JobRead, job: Any = None) -> errors.JobEnded | None:
    """The error for a job that did not succeed, with what it left as evidence."""
    phase = str(read.phase)
    if phase == "cancelled":
        return errors.JobCancelled(f"Job {read.id} was cancelled: {read.message}", job=job)
    if phase != "failed":
        return None
    failure = read.failure
    if failure is None:
        return errors.JobFailed(f"Job {read.id} failed: {read.message}", job=job)
    lines = "\n".join(f"  {line}" for line in failure.last_lines[-20:])
    said = f"Job {read.id} failed ({failure.failure_class}): {failure.message}"
    return errors.JobFailed(f"{said}\n{lines}" if lines else said, hint=failure.hint, job=job)
