"""Jobs and clusters on an engine that admits by itself: handed over while they wait, taken back before they end."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from mlp.schemas.jobs import Failure
from mlp.schemas.phases import AttemptOutcome, ClusterPhase, FailureClass, JobPhase
from mlp.schemas.resources import Resources
from mlp_core.domain import cluster as clusters
from mlp_core.domain.admission import Verdict
from mlp_core.domain.cluster import Cluster, ClusterCommand
from mlp_core.domain.execution import ClusterObserved, QueueObserved, Trouble, WorkObserved
from mlp_core.domain.ids import ClusterId, ProjectId
from mlp_core.domain.job import Command, Seen, SharedCluster, StopRequest, decide
from support.domain_jobs import NOW, a_job, an_attempt

WAITS = QueueObserved(Verdict(False, "WaitingForQuota", "Waits for 2 GPUs.", 1))
ADMITTED = QueueObserved(Verdict(True, "Admitted", "Admitted by Kueue.", 1))
PREEMPTED = Trouble(FailureClass.PREEMPTED, "Its machines were taken back for 'other'.", is_final=True)
STARTING = ClusterObserved(nodes_wanted=2, nodes_ready=1, head_ready=True)
GONE = ClusterObserved(nodes_wanted=2, nodes_ready=0, head_ready=False, trouble=PREEMPTED)


def seen(queue: QueueObserved | None = None, **changes: object) -> Seen:
    base = Seen(engine_admits=True, queue=queue, verdict=None if queue is None else queue.verdict)
    return replace(base, **changes)


def test_a_queued_job_is_handed_over_and_waits_with_the_queue_s_words() -> None:
    first = decide(a_job(JobPhase.QUEUED), seen(), NOW)
    assert (first.phase, first.reason, first.commands) == (JobPhase.QUEUED, "Submitting", (Command.ENTER_QUEUE,))
    then = decide(a_job(JobPhase.QUEUED), seen(WAITS), NOW)
    assert (then.phase, then.reason, then.message) == (JobPhase.QUEUED, "WaitingForQuota", "Waits for 2 GPUs.")
    assert then.commands == ()
    assert decide(a_job(JobPhase.QUEUED), seen(ADMITTED), NOW).phase is JobPhase.ADMITTED


def test_a_job_on_a_named_cluster_does_not_enter_the_queue() -> None:
    job = a_job(JobPhase.QUEUED, shared_cluster_id="cls_1")
    assert decide(job, seen(), NOW).phase is JobPhase.ADMITTED


def test_a_cancelled_job_leaves_the_queue_before_it_ends() -> None:
    job = a_job(JobPhase.QUEUED, stop=StopRequest(NOW, "ann", 5))
    leaving = decide(job, seen(WAITS), NOW)
    assert (leaving.phase, leaving.commands) == (JobPhase.QUEUED, (Command.LEAVE_QUEUE,))
    assert decide(job, seen(), NOW).phase is JobPhase.CANCELLED


def test_a_specification_that_is_refused_for_good_fails_the_job_once_it_has_left() -> None:
    refused = replace(WAITS, trouble=Trouble(FailureClass.INFRA, "KubeRay refuses it.", is_final=True))
    leaving = decide(a_job(JobPhase.QUEUED), seen(refused), NOW)
    assert (leaving.phase, leaving.commands) == (JobPhase.QUEUED, (Command.LEAVE_QUEUE,))


def test_work_is_handed_over_while_nodes_start() -> None:
    job = a_job(JobPhase.PROVISIONING)
    commands = (Command.ENSURE_CLUSTER, Command.ENSURE_RUN, Command.ENSURE_WORK)
    assert decide(job, seen(ADMITTED, cluster=STARTING), NOW).commands == commands
    assert decide(job, seen(ADMITTED), NOW).commands == commands
    assert decide(job, Seen(cluster=STARTING), NOW).commands == (Command.ENSURE_CLUSTER,)


def test_a_preempted_attempt_gives_up_its_cluster_and_keeps_the_job_s_place() -> None:
    job = a_job(JobPhase.RUNNING)
    sealing = decide(job, seen(WAITS, cluster=GONE, work=WorkObserved(started_at=NOW)), NOW)
    assert sealing.phase is JobPhase.SEALING
    assert sealing.ending is not None
    failure = sealing.ending.failure
    assert failure is not None
    assert failure.failure_class is FailureClass.PREEMPTED
    ended = an_attempt(outcome=AttemptOutcome.FAILED, failure=failure)
    job = a_job(JobPhase.SEALING, attempt=ended)
    removal = decide(job, seen(WAITS, cluster=GONE, work=WorkObserved(sealed=True)), NOW)
    assert removal.commands == (Command.DELETE_WORK, Command.YIELD_CLUSTER)
    again = decide(job, seen(WAITS), NOW + timedelta(seconds=3))
    assert again.phase is JobPhase.QUEUED
    assert again.next_attempt is not None
    assert not again.next_attempt.counts


def test_a_process_that_saved_and_ended_well_when_preempted_is_not_called_done() -> None:
    ended = WorkObserved(started_at=NOW, ended_at=NOW, exit_code=0, stopped=True)
    decision = decide(a_job(JobPhase.RUNNING), seen(WAITS, cluster=GONE, work=ended), NOW)
    assert decision.ending is not None
    assert decision.ending.failure is not None
    assert decision.ending.failure.failure_class is FailureClass.PREEMPTED
    by_itself = replace(ended, stopped=False)
    decision = decide(a_job(JobPhase.RUNNING), seen(WAITS, cluster=GONE, work=by_itself), NOW)
    assert decision.ending is not None
    assert decision.ending.outcome is AttemptOutcome.SUCCEEDED


def test_what_failed_or_was_cancelled_gives_its_place_up_too() -> None:
    failure = Failure(failure_class=FailureClass.PREEMPTED, message="", decided_by="engine")
    attempt = an_attempt(outcome=AttemptOutcome.FAILED, failure=failure)
    cancelled = a_job(JobPhase.SEALING, attempt=attempt, stop=StopRequest(NOW, "ann", 5))
    world = seen(WAITS, cluster=GONE, work=WorkObserved(sealed=True))
    assert decide(cancelled, world, NOW).commands == (Command.DELETE_WORK, Command.DELETE_CLUSTER)


def test_a_named_cluster_is_made_at_once_and_waits_in_the_engine_s_queue() -> None:
    cluster = a_cluster(ClusterPhase.QUEUED)
    made = clusters.decide(cluster, None, None, NOW, engine_admits=True)
    assert (made.phase, made.commands) == (ClusterPhase.QUEUED, (ClusterCommand.ENSURE,))
    waiting = ClusterObserved(nodes_wanted=2, nodes_ready=0, head_ready=False)
    waits = clusters.decide(cluster, waiting, WAITS.verdict, NOW, engine_admits=True)
    assert (waits.phase, waits.reason) == (ClusterPhase.QUEUED, "WaitingForQuota")
    admitted = clusters.decide(cluster, waiting, ADMITTED.verdict, NOW, engine_admits=True)
    assert admitted.phase is ClusterPhase.PROVISIONING


@pytest.mark.parametrize("phase", [ClusterPhase.PROVISIONING, ClusterPhase.READY])
def test_a_preempted_named_cluster_waits_again_and_is_not_removed(phase: ClusterPhase) -> None:
    back = clusters.decide(a_cluster(phase), GONE, None, NOW, engine_admits=True)
    assert (back.phase, back.reason, back.commands) == (ClusterPhase.QUEUED, "Preempted", ())
    assert back.message == PREEMPTED.message
    queued = a_cluster(ClusterPhase.QUEUED)
    waits = clusters.decide(queued, GONE, WAITS.verdict, NOW, engine_admits=True)
    assert (waits.phase, waits.reason, waits.commands) == (ClusterPhase.QUEUED, "WaitingForQuota", ())
    # Admitted anew, while what was taken back has not gone yet.
    assert clusters.decide(queued, GONE, ADMITTED.verdict, NOW, engine_admits=True).phase is ClusterPhase.QUEUED
    anew = replace(GONE, trouble=None)
    assert clusters.decide(queued, anew, ADMITTED.verdict, NOW, engine_admits=True).phase is ClusterPhase.PROVISIONING


def test_without_a_queue_to_wait_in_a_preempted_cluster_has_failed() -> None:
    assert clusters.decide(a_cluster(ClusterPhase.READY), GONE, None, NOW).commands == (ClusterCommand.DELETE,)


def test_a_cluster_that_was_put_out_of_the_queue_has_failed() -> None:
    out = replace(GONE, trouble=Trouble(FailureClass.QUOTA, "It was taken out of the queue.", is_final=True))
    for phase in (ClusterPhase.QUEUED, ClusterPhase.READY):
        decision = clusters.decide(a_cluster(phase), out, WAITS.verdict, NOW, engine_admits=True)
        assert (decision.phase, decision.reason) == (ClusterPhase.STOPPING, "Failed")


def test_a_stop_goes_before_everything_also_while_a_preempted_cluster_waits() -> None:
    cluster = replace(a_cluster(ClusterPhase.QUEUED), stop_requested_by="ann")
    assert clusters.decide(cluster, GONE, WAITS.verdict, NOW, engine_admits=True).commands == (ClusterCommand.DELETE,)


def test_a_job_on_a_preempted_cluster_is_tried_again_once_that_is_back() -> None:
    job = a_job(JobPhase.RUNNING, shared_cluster_id="cls_1")
    sealing = decide(job, seen(cluster=GONE, work=WorkObserved(started_at=NOW)), NOW)
    assert sealing.ending is not None
    assert sealing.ending.failure is not None
    assert sealing.ending.failure.failure_class is FailureClass.PREEMPTED
    waiting = SharedCluster("shared", ClusterPhase.QUEUED, "Waits for 2 GPUs.")
    held = decide(a_job(JobPhase.QUEUED, shared_cluster_id="cls_1"), seen(shared_cluster=waiting), NOW)
    assert (held.phase, held.reason) == (JobPhase.QUEUED, "WaitingForCluster")


def a_cluster(phase: ClusterPhase) -> Cluster:
    return Cluster(
        ClusterId("cls_1"), ProjectId("prj_1"), "demo", "shared", 1, Resources(), phase, "", "", None, None, 0,
    )  # fmt: skip
