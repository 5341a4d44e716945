"""What a project's first page shows, and how many jobs a list holds."""

from __future__ import annotations

from pydantic import Field

from mlp.schemas.base import Instant, Wire
from mlp.schemas.jobs import JobRead
from mlp.schemas.phases import FailureClass, JobPhase


class JobCounts(Wire):
    """How many jobs of each phase a filter leaves."""

    phases: dict[JobPhase, int] = Field(description="Every phase, also those with none.")
    most: int = Field(description="Counting stops here: a phase with so many may have more.")


class ProjectHome(Wire):
    """What runs, what waits and why, and what failed lately; each list the first ones only."""

    running: list[JobRead] = Field(description="Admitted or further, latest first.")
    waiting: list[JobRead] = Field(description="Queued, longest first; `reason`, `message` and `queue` say why.")
    failed: list[JobRead] = Field(description="Failed since `since`, latest first.")
    since: Instant
    counts: JobCounts
    ended: dict[JobPhase, int] = Field(description="How the jobs ended that ended since `since`.")
    failures: dict[FailureClass, int] = Field(description="Classes of those that failed since `since`.")
