"""What is known of a job, and what can be decided about it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto

from mlp.schemas.jobs import Failure, JobCreate
from mlp.schemas.phases import AttemptOutcome, ClusterPhase, EnvironmentPhase, FailureClass, JobPhase
from mlp_core.domain.admission import Verdict
from mlp_core.domain.execution import ClusterObserved, QueueObserved, WorkObserved
from mlp_core.domain.ids import AttemptId, JobId, ProjectId

LOOK = timedelta(seconds=1)
"""Until the next look at what is changing."""
WATCH = timedelta(seconds=2)
"""Until the next look at what goes on as it should."""


class Command(Enum):
    """Idempotent writes to the engine, in the order they are run."""

    ENTER_QUEUE = auto()
    LEAVE_QUEUE = auto()
    ENSURE_RUN = auto()
    ENSURE_CLUSTER = auto()
    ENSURE_WORK = auto()
    STOP_WORK = auto()
    SEAL_WORK = auto()
    DELETE_WORK = auto()
    DELETE_CLUSTER = auto()
    YIELD_CLUSTER = auto()
    """Remove the cluster and keep the place in the engine's queue: a preempted job is not sent to its end."""
    REGISTER_MODEL = auto()
    FINISH_RUN = auto()


@dataclass(frozen=True, slots=True)
class StopRequest:
    at: datetime
    by: str
    grace_seconds: float


@dataclass(frozen=True, slots=True)
class Attempt:
    """The attempt that has not ended."""

    id: AttemptId
    number: int
    phase_since: datetime
    created_at: datetime
    started_at: datetime | None
    outcome: AttemptOutcome | None
    failure: Failure | None
    exit_code: int | None
    signal: int | None
    run_id: str | None
    memory_factor: float = 1.0


@dataclass(frozen=True, slots=True)
class Job:
    """What is wanted of a job and how it stood when its row was read."""

    id: JobId
    project_id: ProjectId
    project: str
    name: str
    generation: int
    spec: JobCreate
    phase: JobPhase
    reason: str
    message: str
    created_at: datetime
    attempt: Attempt | None
    attempt_number: int
    failures_used: int
    not_before: datetime | None
    stop: StopRequest | None
    shared_cluster_id: str | None
    model_registered: bool
    next_memory_factor: float = 1.0
    """Scales the memory of the next attempt."""

    @property
    def has_own_cluster(self) -> bool:
        return self.shared_cluster_id is None


@dataclass(frozen=True, slots=True)
class SharedCluster:
    """The named cluster a job wants to run on, as its own row says."""

    name: str
    phase: ClusterPhase
    message: str


@dataclass(frozen=True, slots=True)
class EnvironmentSeen:
    phase: EnvironmentPhase
    message: str
    failure_class: FailureClass | None


@dataclass(frozen=True, slots=True)
class Seen:
    """Everything the decision looks at besides the row."""

    verdict: Verdict | None = None
    """Of the platform's own admission, or of the engine's queue where the job stands in one."""
    engine_admits: bool = False
    """The engine has a queue of its own (Kueue): it is handed jobs while they wait, and work while nodes start."""
    queue: QueueObserved | None = None
    """How the job stands in the engine's queue, which must be left before the job may end."""
    environment: EnvironmentSeen | None = None
    shared_cluster: SharedCluster | None = None
    cluster: ClusterObserved | None = None
    work: WorkObserved | None = None
    last_lines: tuple[str, ...] = ()
    """The end of the driver's stored log, read once the attempt is sealed."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How the attempt's process ended; recorded when sealing begins."""

    outcome: AttemptOutcome
    failure: Failure | None = None
    exit_code: int | None = None
    signal: int | None = None


@dataclass(frozen=True, slots=True)
class NextAttempt:
    """Back to the queue: what the next attempt gets."""

    memory_factor: float
    not_before: datetime
    counts: bool
    """Whether it uses up one of `retries.max`; a preemption does not."""


@dataclass(frozen=True, slots=True)
class Decision:
    phase: JobPhase
    reason: str
    message: str
    commands: tuple[Command, ...] = ()
    again_in: timedelta | None = None
    ending: Ending | None = None
    started_at: datetime | None = None
    next_attempt: NextAttempt | None = None


def deadline_passed(job: Job, now: datetime) -> bool:
    """Whether the time by which the job had to end is over."""
    return job.spec.deadline is not None and now >= job.spec.deadline
