"""Running: the process goes on, is asked to end, or is gone."""

from __future__ import annotations

from datetime import datetime, timedelta

from mlp.schemas.jobs import Failure
from mlp.schemas.phases import AttemptOutcome, FailureClass, JobPhase
from mlp_core.domain import failures
from mlp_core.domain.execution import ClusterObserved, WorkObserved
from mlp_core.domain.job.model import LOOK, WATCH, Command, Decision, Ending, Job, Seen, deadline_passed
from mlp_core.domain.job.sealing import seal

STOP_MARGIN = timedelta(seconds=15)
"""After the grace period: time for the launcher to end everything before the cluster is taken away."""
UNMET_DEMAND_AFTER = timedelta(minutes=2)


def running(job: Job, seen: Seen, now: datetime) -> Decision:
    if seen.work is None:
        return seal(_vanished(job, seen))
    if seen.work.has_ended:
        return seal(ending_of(job, seen.work, seen.cluster, now))
    if job.stop is not None:
        return _stopping(job, job.stop.at, job.stop.grace_seconds, f"Asked to end by {job.stop.by}.", now)
    if deadline_passed(job, now) and job.spec.deadline is not None:
        return _stopping(job, job.spec.deadline, job.spec.grace.total_seconds(), "Its deadline has passed.", now)
    head_lost = seen.cluster is None or (seen.cluster.trouble is not None and seen.cluster.trouble.is_final)
    if head_lost:
        return seal(_vanished(job, seen), Command.STOP_WORK)
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
        return seal(ending)
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
