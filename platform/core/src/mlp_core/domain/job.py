"""A job's life. Pure: the clock and the world come in as arguments.

`decide` is total: every (phase, observation) has an answer. The reconciler runs the decision's commands, all
idempotent, and then writes the decision down under its lease.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto

from mlp.schemas.jobs import Failure, JobCreate
from mlp.schemas.phases import AttemptOutcome, ClusterPhase, EnvironmentPhase, FailureClass, JobPhase
from mlp_core.domain import artifacts, failures
from mlp_core.domain.admission import Verdict
from mlp_core.domain.execution import ClusterObserved, QueueObserved, WorkObserved
from mlp_core.domain.ids import AttemptId, JobId, ProjectId

PROVISION_DEADLINE = timedelta(minutes=15)
"""From admission to the first line of the user's process."""
STOP_MARGIN = timedelta(seconds=15)
"""After the grace period: time for the launcher to end everything before the cluster is taken away."""
SEAL_DEADLINE = timedelta(seconds=60)
"""For logs and metrics. Artifacts take as long as the engine allows them."""
GONE_DEADLINE = timedelta(minutes=5)
"""After which a cluster that does not go is shown as trouble; the job waits on: no proof, no next attempt."""
UNMET_DEMAND_AFTER = timedelta(minutes=2)
LOOK = timedelta(seconds=1)
WATCH = timedelta(seconds=2)
_SEALING_LOOK = timedelta(milliseconds=300)
QUEUE_WATCH = timedelta(seconds=10)


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


def decide(job: Job, seen: Seen, now: datetime) -> Decision:
    """The next step of `job`."""
    match job.phase:
        case JobPhase.QUEUED:
            return _queued(job, seen, now)
        case JobPhase.ADMITTED:
            return _admitted(job, seen, now)
        case JobPhase.PROVISIONING:
            return _provisioning(job, seen, now)
        case JobPhase.RUNNING:
            return _running(job, seen, now)
        case JobPhase.SEALING:
            return _sealing(job, seen, now)
        case JobPhase.SUCCEEDED | JobPhase.FAILED | JobPhase.CANCELLED:
            return Decision(job.phase, job.reason, job.message)


# -- queued: holds nothing ----------------------------------------------------------------------------------------


def _queued(job: Job, seen: Seen, now: datetime) -> Decision:
    decision = _waiting(job, seen, now)
    if decision.phase.is_terminal and seen.queue is not None:
        text = "It is being taken out of the cluster's queue."
        return Decision(JobPhase.QUEUED, "LeavingQueue", text, (Command.LEAVE_QUEUE,), again_in=LOOK)
    return decision


def _waiting(job: Job, seen: Seen, now: datetime) -> Decision:
    if job.stop is not None:
        return Decision(JobPhase.CANCELLED, "Cancelled", f"Cancelled by {job.stop.by} while it waited.")
    if _deadline_passed(job, now):
        return _failed_waiting(failures.deadline(job.spec, now))
    blocked = _environment_blocks(seen.environment) or _cluster_blocks(seen.shared_cluster)
    if blocked is not None:
        return blocked
    if job.not_before is not None and job.not_before > now:
        wait = job.not_before - now
        return Decision(
            JobPhase.QUEUED,
            "BackOff",
            f"Attempt {job.attempt_number + 1} starts in {wait.seconds + 1} s.",
            again_in=wait,
        )
    if seen.queue is not None and seen.queue.trouble is not None and seen.queue.trouble.is_final:
        return _failed_waiting(failures.of_trouble(seen.queue.trouble))
    if seen.engine_admits and job.has_own_cluster and seen.queue is None:
        text = "It is being handed to the cluster's queue."
        return Decision(JobPhase.QUEUED, "Submitting", text, (Command.ENTER_QUEUE,), again_in=LOOK)
    if seen.verdict is None:
        return Decision(
            JobPhase.ADMITTED, "Admitted", "Runs on a cluster that is already there.", again_in=timedelta(0)
        )
    if seen.verdict.admitted:
        return Decision(JobPhase.ADMITTED, "Admitted", seen.verdict.message, again_in=timedelta(0))
    return Decision(JobPhase.QUEUED, seen.verdict.reason, _wait_message(job, seen.verdict), again_in=QUEUE_WATCH)


def _environment_blocks(environment: EnvironmentSeen | None) -> Decision | None:
    if environment is None or environment.phase is EnvironmentPhase.READY:
        return None
    if environment.phase is EnvironmentPhase.FAILED:
        return _failed_waiting(failures.environment(environment.message, environment.failure_class))
    return Decision(JobPhase.QUEUED, "ResolvingEnvironment", "Its requirements are being resolved.", again_in=LOOK)


def _cluster_blocks(cluster: SharedCluster | None) -> Decision | None:
    if cluster is None or cluster.phase is ClusterPhase.READY:
        return None
    if cluster.phase.is_terminal or cluster.phase is ClusterPhase.STOPPING:
        return _failed_waiting(failures.cluster_gone(cluster.name, cluster.phase))
    return Decision(
        JobPhase.QUEUED,
        "WaitingForCluster",
        f"Cluster '{cluster.name}' is {cluster.phase}: {cluster.message}",
        again_in=WATCH,
    )


def _wait_message(job: Job, verdict: Verdict) -> str:
    """Names jobs of the same project only; others are told apart by count, never by name."""
    if not verdict.blockers:
        return verdict.message
    first = verdict.blockers[0]
    since = f" since {first.admitted_at:%H:%M} UTC" if first.admitted_at else ""
    who = f"'{first.name}' ({first.id}){since}" if first.project_id == job.project_id else f"another project{since}"
    more = len(verdict.blockers) - 1
    return f"{verdict.message} Waits for {who}{f' and {more} more' if more else ''}."


def _failed_waiting(failure: Failure) -> Decision:
    ending = Ending(AttemptOutcome.FAILED, failure)
    return Decision(JobPhase.FAILED, failures.reason_of(failure), failure.message, ending=ending)


# -- admitted and provisioning: machines are reserved -----------------------------------------------------------------


def _admitted(job: Job, seen: Seen, now: datetime) -> Decision:
    ending = _early_ending(job, seen, now)
    if ending is not None:
        return _seal(ending)
    commands = (Command.ENSURE_CLUSTER, Command.ENSURE_RUN) if job.has_own_cluster else (Command.ENSURE_RUN,)
    return Decision(
        JobPhase.PROVISIONING, "StartingCluster", "The Ray cluster is being started.", commands, again_in=LOOK
    )


def _provisioning(job: Job, seen: Seen, now: datetime) -> Decision:
    if seen.work is not None and seen.work.started_at is not None:
        # First of all: a process that runs is owed its grace period, whatever else ends the attempt.
        again_in = LOOK if job.stop is None else timedelta(0)
        text = "The job's process is running."
        return Decision(JobPhase.RUNNING, "Running", text, again_in=again_in, started_at=seen.work.started_at)
    ending = _early_ending(job, seen, now)
    if ending is not None:
        return _seal(ending)
    if not job.has_own_cluster and seen.cluster is None:
        return _seal(Ending(AttemptOutcome.FAILED, failures.cluster_lost()))
    if seen.cluster is None:
        return _waits_for_nodes("The Ray cluster is being started.", _provision(job, seen))
    if not (seen.cluster.head_ready and seen.cluster.nodes_ready >= seen.cluster.nodes_wanted):
        trouble = f" {seen.cluster.trouble.message}" if seen.cluster.trouble else ""
        text = f"{seen.cluster.nodes_ready} of {seen.cluster.nodes_wanted} nodes are ready.{trouble}"
        return _waits_for_nodes(text, _provision(job, seen))
    setting_up = seen.work.setting_up if seen.work is not None else None
    return Decision(
        JobPhase.PROVISIONING,
        "SettingUp",
        setting_up or "Code and environment are being set up.",
        (Command.ENSURE_RUN, Command.ENSURE_WORK),
        again_in=LOOK,
    )


def _provision(job: Job, seen: Seen) -> tuple[Command, ...]:
    if not job.has_own_cluster:
        return ()
    if seen.engine_admits:
        # Its nodes bring in code and environment while they start, and start the process once all are ready.
        return (Command.ENSURE_CLUSTER, Command.ENSURE_RUN, Command.ENSURE_WORK)
    return (Command.ENSURE_CLUSTER,)


def _waits_for_nodes(message: str, commands: tuple[Command, ...]) -> Decision:
    return Decision(JobPhase.PROVISIONING, "WaitingForNodes", message, commands, again_in=LOOK)


def _early_ending(job: Job, seen: Seen, now: datetime) -> Ending | None:
    """What ends an attempt before its process runs."""
    if job.stop is not None:
        return Ending(AttemptOutcome.CANCELLED)
    if _deadline_passed(job, now):
        return Ending(AttemptOutcome.FAILED, failures.deadline(job.spec, now))
    for trouble in (seen.cluster.trouble if seen.cluster else None, seen.work.trouble if seen.work else None):
        if trouble is not None and trouble.is_final:
            return Ending(AttemptOutcome.FAILED, failures.of_trouble(trouble))
    if job.attempt is not None and now - job.attempt.created_at > PROVISION_DEADLINE:
        return Ending(AttemptOutcome.FAILED, failures.provision_deadline(seen.cluster, PROVISION_DEADLINE))
    return None


# -- running --------------------------------------------------------------------------------------------------------


def _running(job: Job, seen: Seen, now: datetime) -> Decision:
    if seen.work is None:
        return _seal(_vanished(job, seen))
    if seen.work.has_ended:
        return _seal(ending_of(job, seen.work, seen.cluster, now))
    if job.stop is not None:
        return _stopping(job, job.stop.at, job.stop.grace_seconds, f"Asked to end by {job.stop.by}.", now)
    if _deadline_passed(job, now) and job.spec.deadline is not None:
        return _stopping(job, job.spec.deadline, job.spec.grace.total_seconds(), "Its deadline has passed.", now)
    head_lost = seen.cluster is None or (seen.cluster.trouble is not None and seen.cluster.trouble.is_final)
    if head_lost:
        return _seal(_vanished(job, seen), Command.STOP_WORK)
    return _runs(job, seen, now)


def _runs(job: Job, seen: Seen, now: datetime) -> Decision:
    """Goes on; the reason tells what a person should know about it."""
    cluster = seen.cluster
    if cluster is not None and cluster.lost_nodes:
        lost = ", ".join(cluster.lost_nodes)
        text = f"{cluster.nodes_ready} of {cluster.nodes_wanted} nodes are left; lost: {lost}."
        return Decision(JobPhase.RUNNING, "NodeLost", text, again_in=LOOK)
    running_since = job.attempt.started_at if job.attempt else None
    if cluster is not None and cluster.pending_demand and running_since and now - running_since > UNMET_DEMAND_AFTER:
        text = f"Ray waits for {', '.join(cluster.pending_demand)}, which this cluster cannot give."
        return Decision(JobPhase.RUNNING, "UnmetDemand", text, again_in=WATCH)
    return Decision(JobPhase.RUNNING, "Running", "The job's process is running.", again_in=WATCH)


def _stopping(job: Job, since: datetime, grace_seconds: float, why: str, now: datetime) -> Decision:
    """Repeat the request until the process has ended; past the grace period take the cluster away."""
    if now - max(since, _running_since(job)) > timedelta(seconds=grace_seconds) + STOP_MARGIN:
        ending = (
            Ending(AttemptOutcome.CANCELLED, signal=9)
            if job.stop is not None
            else Ending(AttemptOutcome.FAILED, failures.deadline(job.spec, now), signal=9)
        )
        return _seal(ending)
    text = f"{why} It has {grace_seconds:g} s to finish."
    return Decision(JobPhase.RUNNING, "Stopping", text, (Command.STOP_WORK,), again_in=LOOK)


def _running_since(job: Job) -> datetime:
    return job.attempt.phase_since if job.attempt is not None else job.created_at


def _vanished(job: Job, seen: Seen) -> Ending:
    """The process or its head is gone without a word."""
    if job.stop is not None:
        return Ending(AttemptOutcome.CANCELLED)
    return Ending(AttemptOutcome.FAILED, _vanished_failure(seen.cluster))


def _vanished_failure(cluster: ClusterObserved | None) -> Failure:
    if cluster is not None and cluster.trouble is not None:
        return failures.of_trouble(cluster.trouble)
    return failures.cluster_lost()


def _is_preempted(cluster: ClusterObserved) -> bool:
    return cluster.trouble is not None and cluster.trouble.failure_class is FailureClass.PREEMPTED


def ending_of(job: Job, work: WorkObserved, cluster: ClusterObserved | None, now: datetime) -> Ending:
    """How an ended process is judged: what was asked of it first, then its exit, then the evidence."""
    exit_code, signal = work.exit_code, work.signal
    if job.stop is not None:
        return Ending(AttemptOutcome.CANCELLED, None, exit_code, signal)
    if work.stopped and cluster is not None and _is_preempted(cluster):
        # It saved its state and ended as it was asked to, whatever code it chose for that.
        return Ending(AttemptOutcome.FAILED, _vanished_failure(cluster), exit_code, signal)
    if exit_code == 0 and not work.timed_out:
        return Ending(AttemptOutcome.SUCCEEDED, None, 0, None)
    failure = failures.of_process(job.spec, work, cluster, now)
    return Ending(AttemptOutcome.FAILED, failure, exit_code, signal)


# -- sealing: evidence is brought in, machines go, then the end ------------------------------------------------------


def _seal(ending: Ending, *first: Command) -> Decision:
    message = ending.failure.message if ending.failure else "Logs, metrics and events are being stored."
    return Decision(
        JobPhase.SEALING, "Sealing", message, (*first, Command.SEAL_WORK), again_in=timedelta(0), ending=ending
    )


def _sealing(job: Job, seen: Seen, now: datetime) -> Decision:
    attempt = job.attempt
    if attempt is None:
        return Decision(JobPhase.CANCELLED, "Cancelled", "It had no attempt to seal.")
    until = _seal_until(attempt, seen.work)
    if seen.work is not None and not seen.work.sealed and now < until:
        return _shipping(job, seen.work)
    told = _tell_of_artifacts(job, attempt, seen.work)
    if told is not None:
        return told
    gone = seen.work is None and (seen.cluster is None or not job.has_own_cluster)
    if not gone:
        if now > until + GONE_DEADLINE:
            return _still_sealing(job, "The cluster does not go away; trying on.", *_removal(job), again_in=WATCH)
        return _still_sealing(job, "The cluster is being removed.", *_removal(job))
    if job.stop is None and attempt.outcome is AttemptOutcome.SUCCEEDED and job.spec.model and not job.model_registered:
        return _still_sealing(job, "The model is being registered.", Command.REGISTER_MODEL)
    return _end(job, attempt, seen.last_lines, now)


def _seal_until(attempt: Attempt, work: WorkObserved | None) -> datetime:
    until = attempt.phase_since + SEAL_DEADLINE
    if work is None or work.artifacts is None or work.artifacts.files == 0:
        return until
    return max(until, work.artifacts.until)


def _shipping(job: Job, work: WorkObserved) -> Decision:
    if work.artifacts is None or work.artifacts.files == 0:
        return _still_sealing(job, "Logs, metrics and events are being stored.", Command.SEAL_WORK)
    text = artifacts.progress(work.artifacts)
    return Decision(JobPhase.SEALING, artifacts.STORING, text, (Command.SEAL_WORK,), again_in=_SEALING_LOOK)


def _tell_of_artifacts(job: Job, attempt: Attempt, work: WorkObserved | None) -> Decision | None:
    """Say what became of them, once, and write it down before the folder goes. A success with lost files is none."""
    vanished = work is None and job.reason == artifacts.STORING
    seen = work.artifacts if work is not None else None
    if job.reason in artifacts.TOLD or not (vanished or (seen and (seen.files or seen.left_out_count))):
        return None
    reason, text = (artifacts.LOST, artifacts.VANISHED) if seen is None else artifacts.outcome(seen)
    ending = None
    if reason == artifacts.LOST and attempt.outcome is AttemptOutcome.SUCCEEDED:
        ending = Ending(AttemptOutcome.FAILED, failures.artifacts_lost(text), attempt.exit_code)
    return Decision(JobPhase.SEALING, reason, text, again_in=timedelta(0), ending=ending)


def _still_sealing(job: Job, message: str, *commands: Command, again_in: timedelta = _SEALING_LOOK) -> Decision:
    reason = job.reason if job.reason in artifacts.TOLD else "Sealing"
    return Decision(JobPhase.SEALING, reason, message, commands, again_in=again_in)


def _removal(job: Job) -> tuple[Command, ...]:
    if not job.has_own_cluster:
        return (Command.DELETE_WORK,)
    failure = job.attempt.failure if job.attempt is not None else None
    goes_on = job.stop is None and failure is not None and failure.failure_class is FailureClass.PREEMPTED
    return (Command.DELETE_WORK, Command.YIELD_CLUSTER if goes_on else Command.DELETE_CLUSTER)


def _end(job: Job, attempt: Attempt, last_lines: tuple[str, ...], now: datetime) -> Decision:
    finish = (Command.FINISH_RUN,)
    if job.stop is not None:
        code = f" Its process had ended with exit code {attempt.exit_code}." if attempt.exit_code is not None else ""
        ending = Ending(AttemptOutcome.CANCELLED, None, attempt.exit_code, attempt.signal)
        return Decision(JobPhase.CANCELLED, "Cancelled", f"Cancelled by {job.stop.by}.{code}", finish, ending=ending)
    if attempt.outcome is AttemptOutcome.SUCCEEDED:
        ending = Ending(AttemptOutcome.SUCCEEDED, None, 0, None)
        return Decision(JobPhase.SUCCEEDED, "Succeeded", "It ended with exit code 0.", finish, ending=ending)
    failure = failures.refine(attempt.failure or failures.cluster_lost(), list(last_lines))
    ending = Ending(attempt.outcome or AttemptOutcome.FAILED, failure, attempt.exit_code, attempt.signal)
    retry = next_attempt(job, failure, now)
    if retry is not None:
        text = f"Attempt {attempt.number} failed ({failure.failure_class}): {failure.message} Trying again."
        return Decision(
            JobPhase.QUEUED, "Retrying", text, finish, again_in=timedelta(0), ending=ending, next_attempt=retry
        )
    return Decision(JobPhase.FAILED, failures.reason_of(failure), failure.message, finish, ending=ending)


def next_attempt(job: Job, failure: Failure, now: datetime) -> NextAttempt | None:
    """Whether what failed is tried again, by class; a preemption always is and uses up nothing."""
    attempt = job.attempt
    factor = attempt.memory_factor if attempt is not None else 1.0
    if failure.failure_class is FailureClass.PREEMPTED:
        return NextAttempt(factor, now, counts=False)
    if failure.failure_class not in job.spec.retries.on or job.failures_used >= job.spec.retries.max:
        return None
    if _deadline_passed(job, now):
        return None
    if failure.failure_class is FailureClass.OOM:
        factor *= job.spec.retries.memory_factor
    return NextAttempt(factor, now + _retry_back_off(job.failures_used), counts=True)


def _retry_back_off(failures_used: int) -> timedelta:
    """1, 2, 4 ... at most 60 seconds."""
    return timedelta(seconds=min(60, 2**failures_used))


def _deadline_passed(job: Job, now: datetime) -> bool:
    return job.spec.deadline is not None and now >= job.spec.deadline
