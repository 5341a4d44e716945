"""A named Ray cluster's life. Pure: the clock and the world come in as arguments."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto

from mlp.schemas.phases import ClusterPhase, FailureClass
from mlp.schemas.resources import Resources
from mlp_core.domain.admission import Verdict
from mlp_core.domain.execution import ClusterObserved, Trouble
from mlp_core.domain.ids import ClusterId, ProjectId

START_DEADLINE = timedelta(minutes=15)
LOOK = timedelta(seconds=1)
WATCH = timedelta(seconds=5)
QUEUE_WATCH = timedelta(seconds=10)


class ClusterCommand(Enum):
    ENSURE = auto()
    DELETE = auto()


@dataclass(frozen=True, slots=True)
class Cluster:
    """What is wanted of a cluster and how it stood when its row was read."""

    id: ClusterId
    project_id: ProjectId
    project: str
    name: str
    generation: int
    resources: Resources
    phase: ClusterPhase
    reason: str
    message: str
    admitted_at: datetime | None
    stop_requested_by: str | None
    live_jobs: int
    nodes_ready: int = 0


@dataclass(frozen=True, slots=True)
class ClusterDecision:
    phase: ClusterPhase
    reason: str
    message: str
    commands: tuple[ClusterCommand, ...] = ()
    again_in: timedelta | None = None
    nodes_ready: int = 0


def decide(
    cluster: Cluster,
    observed: ClusterObserved | None,
    verdict: Verdict | None,
    now: datetime,
    *,
    engine_admits: bool = False,
) -> ClusterDecision:
    """The next step of `cluster`. Total: every (phase, observation) has an answer.

    `engine_admits`: the engine has a queue of its own (Kueue), so the cluster is made at once and waits there.
    """
    if cluster.phase.is_terminal:
        return ClusterDecision(cluster.phase, cluster.reason, cluster.message)
    if cluster.phase is ClusterPhase.STOPPING or cluster.stop_requested_by is not None:
        return _stop(cluster, observed)
    if cluster.phase is ClusterPhase.QUEUED:
        return _queued(cluster, observed, verdict, engine_admits=engine_admits)
    if observed is None:
        return _start(cluster)
    if observed.trouble is not None and observed.trouble.is_final:
        return _put_back(observed.trouble) if engine_admits and _is_preempted(observed) else _fail(observed.trouble)
    if observed.head_ready and observed.nodes_ready >= observed.nodes_wanted:
        text = f"{observed.nodes_ready} {'node is' if observed.nodes_ready == 1 else 'nodes are'} ready."
        return ClusterDecision(
            ClusterPhase.READY, "AllNodesReady", text, again_in=WATCH, nodes_ready=observed.nodes_ready
        )
    if cluster.phase is ClusterPhase.READY:
        return _degraded(observed)
    if cluster.admitted_at is not None and now - cluster.admitted_at > START_DEADLINE:
        return _failed(f"{observed.nodes_ready} of {observed.nodes_wanted} nodes came within 15 minutes.")
    return ClusterDecision(
        ClusterPhase.PROVISIONING,
        "WaitingForNodes",
        f"{observed.nodes_ready} of {observed.nodes_wanted} nodes are ready.",
        (ClusterCommand.ENSURE,),
        LOOK,
        observed.nodes_ready,
    )


def _queued(
    cluster: Cluster, observed: ClusterObserved | None, verdict: Verdict | None, *, engine_admits: bool
) -> ClusterDecision:
    was_preempted = engine_admits and observed is not None and _is_preempted(observed)
    if observed is not None and observed.trouble is not None and observed.trouble.is_final and not was_preempted:
        return _fail(observed.trouble)
    if engine_admits and observed is None:
        text = "It is being handed to the cluster's queue."
        return ClusterDecision(cluster.phase, "Submitting", text, (ClusterCommand.ENSURE,), LOOK)
    if verdict is None or not verdict.admitted:
        reason, message = (verdict.reason, verdict.message) if verdict else ("Waiting", "Waits to be looked at.")
        return ClusterDecision(ClusterPhase.QUEUED, reason, message, again_in=QUEUE_WATCH)
    if was_preempted:
        # What is left of the nodes that were taken back must be gone before the next ones count.
        return ClusterDecision(ClusterPhase.QUEUED, "Admitted", verdict.message, again_in=LOOK)
    return ClusterDecision(ClusterPhase.PROVISIONING, "Admitted", verdict.message, again_in=timedelta(0))


def _start(cluster: Cluster) -> ClusterDecision:
    if cluster.phase is ClusterPhase.READY:
        return _failed("The cluster went away.")
    return ClusterDecision(
        ClusterPhase.PROVISIONING, "Starting", "The Ray cluster is being started.", (ClusterCommand.ENSURE,), LOOK
    )


def _degraded(observed: ClusterObserved) -> ClusterDecision:
    lost = f" Lost: {', '.join(observed.lost_nodes)}." if observed.lost_nodes else ""
    text = f"{observed.nodes_ready} of {observed.nodes_wanted} nodes are left.{lost}"
    if not observed.head_ready:
        return ClusterDecision(ClusterPhase.READY, "HeadNotAnswering", text, (), WATCH, observed.nodes_ready)
    return ClusterDecision(ClusterPhase.READY, "NodeLost", text, (ClusterCommand.ENSURE,), WATCH, observed.nodes_ready)


def _stop(cluster: Cluster, observed: ClusterObserved | None) -> ClusterDecision:
    """Stopping waits for the jobs that run on it: their own stop was requested with the cluster's."""
    if cluster.live_jobs:
        text = f"Waits for {cluster.live_jobs} {'job' if cluster.live_jobs == 1 else 'jobs'} on it to end."
        return ClusterDecision(ClusterPhase.STOPPING, "WaitingForJobs", text, again_in=LOOK)
    if observed is None:
        failed = cluster.reason == "Failed"
        phase = ClusterPhase.FAILED if failed else ClusterPhase.STOPPED
        text = cluster.message if failed else f"Stopped by {cluster.stop_requested_by or 'the platform'}."
        return ClusterDecision(phase, "Failed" if failed else "Stopped", text)
    if cluster.reason == "Failed":
        return ClusterDecision(ClusterPhase.STOPPING, "Failed", cluster.message, (ClusterCommand.DELETE,), LOOK)
    return ClusterDecision(ClusterPhase.STOPPING, "Stopping", "The nodes are ending.", (ClusterCommand.DELETE,), LOOK)


def _is_preempted(observed: ClusterObserved) -> bool:
    return observed.trouble is not None and observed.trouble.failure_class is FailureClass.PREEMPTED


def _put_back(trouble: Trouble) -> ClusterDecision:
    """It keeps its place in the engine's queue and starts anew when its turn comes; its jobs are tried again then."""
    return ClusterDecision(ClusterPhase.QUEUED, "Preempted", trouble.message, again_in=LOOK)


def _fail(trouble: Trouble) -> ClusterDecision:
    return _failed(trouble.message)


def _failed(message: str) -> ClusterDecision:
    """Failed clusters are removed before they are called failed, so that nothing is left behind."""
    return ClusterDecision(ClusterPhase.STOPPING, "Failed", message, (ClusterCommand.DELETE,), LOOK)
