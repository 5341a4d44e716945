"""Queued: the job holds nothing."""

from __future__ import annotations

from datetime import datetime, timedelta

from mlp.schemas.jobs import Failure
from mlp.schemas.phases import AttemptOutcome, ClusterPhase, EnvironmentPhase, JobPhase
from mlp_core.domain import failures
from mlp_core.domain.admission import Verdict
from mlp_core.domain.job.model import (
    LOOK,
    WATCH,
    Command,
    Decision,
    Ending,
    EnvironmentSeen,
    Job,
    Seen,
    SharedCluster,
    deadline_passed,
)

QUEUE_WATCH = timedelta(seconds=10)


def queued(job: Job, seen: Seen, now: datetime) -> Decision:
    decision = _waiting(job, seen, now)
    if decision.phase.is_terminal and seen.queue is not None:
        text = "It is being taken out of the cluster's queue."
        return Decision(JobPhase.QUEUED, "LeavingQueue", text, (Command.LEAVE_QUEUE,), again_in=LOOK)
    return decision


def _waiting(job: Job, seen: Seen, now: datetime) -> Decision:
    if job.stop is not None:
        return Decision(JobPhase.CANCELLED, "Cancelled", f"Cancelled by {job.stop.by} while it waited.")
    if deadline_passed(job, now):
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
