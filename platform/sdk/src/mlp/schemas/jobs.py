"""Jobs: units of work with an end."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Literal

from pydantic import AfterValidator, AliasChoices, ConfigDict, Field, StringConstraints, field_validator

from mlp.schemas.base import (
    Digest,
    DisplayName,
    Duration,
    GivenInstant,
    Instant,
    Intent,
    ResourceRef,
    Slug,
    Text,
    VariableName,
    Wire,
)
from mlp.schemas.phases import AttemptOutcome, FailureClass, JobKind, JobPhase, Priority
from mlp.schemas.resources import Resources

ShellLine = Annotated[
    str,
    StringConstraints(min_length=1, max_length=100_000, strip_whitespace=False),
    AfterValidator(lambda s: s),
]
Argument = Annotated[Text, StringConstraints(max_length=100_000)]
Requirement = Annotated[Text, StringConstraints(min_length=1, max_length=1000)]


class EnvironmentSpec(Intent):
    """What the code needs. Resolved to a lock whose digest is stored with every attempt."""

    name: Slug | None = Field(default=None, description="A named environment of the project; excludes `requirements`.")
    python: str = Field(default="3.11", pattern=r"^3\.\d{1,2}$")
    requirements: list[Requirement] = Field(default_factory=list[str], max_length=500)
    variables: dict[VariableName, Text] = Field(default_factory=dict, max_length=500)


class Retries(Intent):
    """Which failures are tried again, and how often. Preemption never counts against `max`."""

    max: int = Field(default=0, ge=0, le=20)
    on: list[FailureClass] = Field(
        default_factory=lambda: [FailureClass.NODE_LOST, FailureClass.INFRA, FailureClass.OOM]
    )
    memory_factor: float = Field(default=1.0, ge=1, le=8, description="Memory of the next attempt after `oom`.")


class Checkpoint(Intent):
    interval: Duration = timedelta(minutes=5)


class RunSpec(Intent):
    """Where the MLflow runs of the job go."""

    experiment: DisplayName | None = None
    tags: dict[Annotated[Text, StringConstraints(min_length=1, max_length=250)], Text] = Field(
        default_factory=dict, max_length=50
    )


class ModelSpec(Intent):
    """Register artifact `from` of a succeeded run under the name `register`."""

    register_as: DisplayName = Field(
        validation_alias=AliasChoices("register", "register_as"), serialization_alias="register"
    )
    source: Annotated[Text, StringConstraints(min_length=1, max_length=500)] = Field(
        default="model", validation_alias=AliasChoices("from", "source"), serialization_alias="from"
    )


class JobCreate(Intent):
    """A job as people ask for it: the fields of `mlp.yaml`, the SDK's arguments, the command's flags."""

    name: DisplayName | None = Field(default=None, description="For people; made from the entrypoint if absent.")
    kind: JobKind = JobKind.SCRIPT
    entrypoint: str | list[Argument] = Field(
        description="A string is a bash line with errexit and pipefail; a list is the exact argument vector, no shell.",
        examples=["python train.py --epochs 5", ["python", "train.py", "--name", "a b"]],
    )
    package: Digest | None = Field(default=None, description="Digest of an uploaded package; the job runs in its root.")
    environment: EnvironmentSpec = EnvironmentSpec()
    cluster: str | None = Field(
        default=None, max_length=64, description="Run on this running cluster instead of an own one."
    )
    resources: Resources = Resources()
    priority: Priority = Priority.NORMAL
    timeout: Duration | None = Field(default=None, description="Of one attempt, running time only.")
    deadline: GivenInstant | None = Field(default=None, description="Of the whole job, queueing included.")
    grace: Duration = Field(default=timedelta(seconds=30), description="Between SIGTERM and SIGKILL.")
    retries: Retries = Retries()
    checkpoint: Checkpoint = Checkpoint()
    run: RunSpec = RunSpec()
    model: ModelSpec | None = None

    @field_validator("entrypoint")
    @classmethod
    def _says_what_to_run(cls, value: str | list[str]) -> str | list[str]:
        if isinstance(value, str):
            if not value.strip():
                raise ValueError("the command is empty; give a shell line or an argument list")
            if "\x00" in value or len(value) > 100_000:
                raise ValueError("a shell line has at most 100,000 characters and no NUL")
            return value
        if not value or not value[0].strip():
            raise ValueError("the command is empty; give a shell line or an argument list")
        if len(value) > 10_000:
            raise ValueError("a command has at most 10,000 arguments")
        if len(value) == 1 and " " in value[0].strip():
            raise ValueError(
                f"'{value[0]}' is one word with spaces, so no program of that name exists; "
                "pass separate words, or a string to run it as a shell line (--shell)"
            )
        return value

    @field_validator("grace")
    @classmethod
    def _grace_is_bounded(cls, value: timedelta) -> timedelta:
        if value > timedelta(minutes=10):
            raise ValueError("the grace period is at most 10m")
        return value

    @field_validator("timeout")
    @classmethod
    def _timeout_is_positive(cls, value: timedelta | None) -> timedelta | None:
        if value is not None and value < timedelta(seconds=1):
            raise ValueError("the timeout is at least 1s")
        return value


class Failure(Wire):
    """Why a job or attempt failed: a class, a sentence, the evidence, and what to do next."""

    failure_class: FailureClass = Field(
        validation_alias=AliasChoices("class", "failure_class"), serialization_alias="class"
    )
    message: str
    hint: str | None = None
    exit_code: int | None = None
    signal: int | None = None
    signal_name: str | None = None
    node: str | None = None
    task: str | None = None
    memory_used_bytes: int | None = None
    memory_limit_bytes: int | None = None
    last_lines: list[str] = Field(default_factory=list)
    decided_by: str | None = None


class RegisteredModel(Wire):
    name: str
    version: str
    url: str | None = None


class QueuePlace(Wire):
    """Where something stands among all that wait for machines of a pool."""

    pool: str
    position: int = Field(description="1 = the next one.")


class JobRead(Wire):
    """A job as it stands."""

    id: str
    project: str
    name: str
    kind: JobKind
    phase: JobPhase
    reason: str
    message: str
    queue: QueuePlace | None = Field(default=None, description="While it is queued for machines.")
    attempt: int = Field(description="Number of the current attempt; 0 before the first.")
    stop_requested: bool = False
    failure: Failure | None = None
    exit_code: int | None = None
    signal: int | None = None
    package: str | None = None
    environment_digest: str | None = None
    run: ResourceRef | None = Field(default=None, description="The MLflow run of the current attempt.")
    model: RegisteredModel | None = None
    has_result: bool = Field(default=False, description="Whether it left the result of a function.")
    spec: JobCreate
    created_by: str
    created_at: Instant
    phase_since: Instant
    admitted_at: Instant | None = None
    started_at: Instant | None = None
    ended_at: Instant | None = None
    duration_seconds: float | None = None
    etag: str
    url: str


class AttemptRead(Wire):
    id: str
    number: int
    phase: JobPhase
    outcome: AttemptOutcome | None = None
    reason: str
    message: str
    failure: Failure | None = None
    exit_code: int | None = None
    signal: int | None = None
    memory_factor: float = 1.0
    environment_digest: str | None = None
    run: ResourceRef | None = None
    created_at: Instant
    started_at: Instant | None = None
    ended_at: Instant | None = None
    duration_seconds: float | None = None


class PoolFit(Wire):
    """Whether one node set can ever fit, and what the largest that could is."""

    group: str
    pool: str
    nodes: int
    price_per_hour: float


class DryRun(Wire):
    """What would happen on submit: the normalised spec, its price, and where it fits."""

    spec: JobCreate
    command: str = Field(description="Exactly what will run: the script, or argv quoted for a shell.")
    price_per_hour: float
    fits_now: bool
    placements: list[PoolFit]
    message: str


class Blocker(Wire):
    """A job that holds what another one waits for."""

    job_id: str | None = Field(
        default=None, description="Null where the job belongs to a project the caller cannot see."
    )
    name: str | None = None
    project: str | None = None
    holds: str
    since: Instant | None = None


class Ahead(Wire):
    """A job or cluster that is before another one in a pool's queue."""

    kind: Literal["job", "cluster"]
    id: str | None = Field(default=None, description="Null where it belongs to a project the caller cannot see.")
    name: str
    project: str | None = None
    since: Instant | None = None


class Why(Wire):
    """Why a job is where it is: the reason in words, what blocks it, what would start it."""

    phase: JobPhase
    reason: str
    message: str
    since: Instant
    position: int | None = Field(default=None, description="1 = next in its queue; null when not queued.")
    queue: QueuePlace | None = Field(default=None, description="Its place in the queue of the pool that it lacks.")
    ahead: list[Ahead] = Field(default_factory=list[Ahead], description="The first ones before it in that queue.")
    blockers: list[Blocker] = Field(default_factory=list[Blocker])
    would_start_now: list[str] = Field(default_factory=list, description="Changes that would let it start now.")
    usual_seconds: float | None = Field(default=None, description="Median time of this phase in this project.")


class CancelRequest(Intent):
    grace: Duration | None = Field(default=None, description="Overrides the job's grace period.")


class MetricPoint(Wire):
    model_config = ConfigDict(ser_json_inf_nan="strings")

    step: int
    value: float
    at: Instant


class MetricSeries(Wire):
    """One metric of one attempt, by step. Repeated steps: the later attempt wins in the merged series."""

    model_config = ConfigDict(ser_json_inf_nan="strings")

    key: str
    attempt: int
    points: list[MetricPoint]
    total: int
    last: float | None = None
    min: float | None = None
    max: float | None = None


class Metrics(Wire):
    series: list[MetricSeries]
    keys: list[str] = Field(default_factory=list[str], description="All metrics there are, also those not asked for.")


class SamplePoint(Wire):
    at: Instant
    cpu_cores: float
    memory_bytes: int
    memory_limit_bytes: int | None = None
    gpu_utilisation: float | None = None
    gpu_memory_bytes: int | None = None


class NodeSamples(Wire):
    node: str
    attempt: int
    points: list[SamplePoint]


class Samples(Wire):
    nodes: list[NodeSamples]
