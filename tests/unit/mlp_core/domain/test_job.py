"""A job's life: every (phase, observation) has an answer, every answer is an edge, and the sentences are right."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlp.schemas.jobs import JobCreate, ModelSpec, Retries
from mlp.schemas.phases import AttemptOutcome, ClusterPhase, EnvironmentPhase, FailureClass, JobPhase
from mlp_core.domain import failures
from mlp_core.domain.admission import Gang, Verdict
from mlp_core.domain.execution import ArtifactsObserved, ClusterObserved, Trouble, WorkObserved
from mlp_core.domain.job import (
    PROVISION_DEADLINE,
    SEAL_DEADLINE,
    Command,
    Decision,
    EnvironmentSeen,
    Job,
    Seen,
    SharedCluster,
    StopRequest,
    decide,
)
from mlp_core.domain.transitions import EDGES, ForbiddenEdge, require_edge
from support.domain_jobs import NOW, a_job, an_attempt

READY = ClusterObserved(nodes_wanted=2, nodes_ready=2, head_ready=True)
STARTING = ClusterObserved(nodes_wanted=2, nodes_ready=1, head_ready=True)
RUNNING = WorkObserved(started_at=NOW)


def ended(**facts: object) -> WorkObserved:
    return replace(WorkObserved(started_at=NOW, ended_at=NOW), **facts)


STOP = StopRequest(NOW, "ada", 20.0)


class TestQueued:
    def test_waits_with_the_reason_and_whom_for(self) -> None:
        holder = Gang("job_9", "big", "prj_1", (), 1, NOW, NOW)
        verdict = Verdict(False, "NoRoom", "Needs 4 GPU.", 1, (holder,))
        decision = decide(a_job(JobPhase.QUEUED), Seen(verdict=verdict), NOW)
        assert decision.phase is JobPhase.QUEUED
        assert decision.message == "Needs 4 GPU. Waits for 'big' (job_9) since 12:00 UTC."

    def test_never_names_a_job_of_another_project(self) -> None:
        holder = Gang("job_9", "secret", "prj_2", (), 1, NOW, NOW)
        verdict = Verdict(False, "NoRoom", "Needs 4 GPU.", 1, (holder,))
        decision = decide(a_job(JobPhase.QUEUED), Seen(verdict=verdict), NOW)
        assert "secret" not in decision.message
        assert "another project" in decision.message

    def test_cancelled_at_once(self) -> None:
        decision = decide(a_job(JobPhase.QUEUED, stop=STOP), Seen(), NOW)
        assert decision.phase is JobPhase.CANCELLED
        assert decision.message == "Cancelled by ada while it waited."

    def test_waits_for_its_environment_before_any_machine(self) -> None:
        seen = Seen(
            verdict=Verdict(True, "Admitted", "", 1),
            environment=EnvironmentSeen(EnvironmentPhase.RESOLVING, "", None),
        )
        assert decide(a_job(JobPhase.QUEUED), seen, NOW).reason == "ResolvingEnvironment"

    def test_an_environment_without_a_solution_is_the_users_error_and_holds_nothing(self) -> None:
        environment = EnvironmentSeen(EnvironmentPhase.FAILED, "no such package\nmore", FailureClass.USER_ERROR)
        decision = decide(a_job(JobPhase.QUEUED), Seen(environment=environment), NOW)
        assert decision.phase is JobPhase.FAILED
        assert decision.ending is not None
        assert decision.ending.failure is not None
        assert decision.ending.failure.failure_class is FailureClass.USER_ERROR
        assert decision.ending.failure.last_lines == ["no such package", "more"]

    def test_a_stopped_shared_cluster_fails_it(self) -> None:
        seen = Seen(shared_cluster=SharedCluster("c", ClusterPhase.STOPPED, ""))
        assert decide(a_job(JobPhase.QUEUED, shared_cluster_id="cls_1"), seen, NOW).phase is JobPhase.FAILED


class TestProvisioning:
    @pytest.mark.parametrize("ready", range(2))
    def test_waits_until_every_node_is_ready(self, ready: int) -> None:
        cluster = ClusterObserved(nodes_wanted=2, nodes_ready=ready, head_ready=True)
        decision = decide(a_job(JobPhase.PROVISIONING), Seen(cluster=cluster), NOW)
        assert decision.phase is JobPhase.PROVISIONING
        assert decision.message == f"{ready} of 2 nodes are ready."

    def test_starts_the_work_once_all_nodes_are_there(self) -> None:
        decision = decide(a_job(JobPhase.PROVISIONING), Seen(cluster=READY), NOW)
        assert decision.commands == (Command.ENSURE_RUN, Command.ENSURE_WORK)

    def test_makes_the_cluster_again_if_the_write_was_lost(self) -> None:
        assert decide(a_job(JobPhase.PROVISIONING), Seen(), NOW).commands == (Command.ENSURE_CLUSTER,)

    def test_gives_up_after_the_deadline_with_what_came(self) -> None:
        decision = decide(a_job(JobPhase.PROVISIONING), Seen(cluster=STARTING), NOW + PROVISION_DEADLINE * 1.1)
        assert decision.phase is JobPhase.SEALING
        assert "1 of 2 nodes came" in decision.message

    def test_final_trouble_ends_it_with_its_class(self) -> None:
        cluster = replace(STARTING, trouble=Trouble(FailureClass.IMAGE, "no such image", is_final=True))
        decision = decide(a_job(JobPhase.PROVISIONING), Seen(cluster=cluster), NOW)
        assert decision.ending is not None
        assert decision.ending.failure is not None
        assert decision.ending.failure.failure_class is FailureClass.IMAGE

    def test_a_process_that_has_started_unseen_gets_its_grace_when_cancelled(self) -> None:
        starting = a_job(JobPhase.PROVISIONING, stop=STOP)
        decision = decide(starting, Seen(cluster=READY, work=RUNNING), NOW)
        assert (decision.phase, decision.again_in, decision.ending) == (JobPhase.RUNNING, timedelta(0), None)
        after = decide(a_job(JobPhase.RUNNING, stop=STOP), Seen(cluster=READY, work=RUNNING), NOW)
        assert after.commands == (Command.STOP_WORK,)


class TestRunning:
    @pytest.mark.parametrize(
        ("work", "cluster", "expected"),
        [
            (ended(exit_code=3), READY, FailureClass.USER_ERROR),
            (ended(signal=11), READY, FailureClass.USER_ERROR),
            (ended(signal=9), READY, FailureClass.INFRA),
            (ended(signal=9, oom_kills=("head",)), READY, FailureClass.OOM),
            (ended(exit_code=1, oom_kills=("train-0",)), READY, FailureClass.OOM),
            (ended(exit_code=1), replace(READY, lost_nodes=("train-0",)), FailureClass.NODE_LOST),
            (ended(), READY, FailureClass.INFRA),
        ],
    )
    def test_the_exit_is_judged_by_the_strongest_evidence(
        self, work: WorkObserved, cluster: ClusterObserved, expected: FailureClass
    ) -> None:
        decision = decide(a_job(JobPhase.RUNNING), Seen(cluster=cluster, work=work), NOW)
        assert decision.phase is JobPhase.SEALING
        assert decision.ending is not None
        assert decision.ending.failure is not None
        assert decision.ending.failure.failure_class is expected

    def test_exit_code_zero_succeeds(self) -> None:
        decision = decide(a_job(JobPhase.RUNNING), Seen(cluster=READY, work=ended(exit_code=0)), NOW)
        assert decision.ending is not None
        assert decision.ending.outcome is AttemptOutcome.SUCCEEDED

    def test_a_timeout_says_how_long(self) -> None:
        job = a_job(JobPhase.RUNNING, spec=JobCreate(entrypoint="x", timeout=timedelta(seconds=90)))
        decision = decide(job, Seen(cluster=READY, work=ended(signal=15, timed_out=True)), NOW)
        assert decision.message == "It ran longer than its timeout of 1m30s and was ended."

    def test_cancel_asks_until_the_grace_is_over_then_takes_the_cluster(self) -> None:
        job = a_job(JobPhase.RUNNING, stop=STOP)
        asked = decide(job, Seen(cluster=READY, work=RUNNING), NOW + timedelta(seconds=5))
        assert (asked.phase, asked.commands) == (JobPhase.RUNNING, (Command.STOP_WORK,))
        taken = decide(job, Seen(cluster=READY, work=RUNNING), NOW + timedelta(seconds=60))
        assert taken.phase is JobPhase.SEALING
        assert taken.ending is not None
        assert taken.ending.outcome is AttemptOutcome.CANCELLED

    def test_a_cancelled_process_keeps_its_exit_code(self) -> None:
        job = a_job(JobPhase.RUNNING, stop=STOP)
        decision = decide(job, Seen(cluster=READY, work=ended(exit_code=0, stopped=True)), NOW)
        assert decision.ending is not None
        assert (decision.ending.outcome, decision.ending.exit_code) == (AttemptOutcome.CANCELLED, 0)

    def test_unmet_demand_is_named_after_two_minutes_c3(self) -> None:
        cluster = replace(READY, pending_demand=("1 x {GPU: 0.6}",))
        early = decide(a_job(JobPhase.RUNNING), Seen(cluster=cluster, work=RUNNING), NOW + timedelta(seconds=60))
        assert early.reason == "Running"
        late = decide(a_job(JobPhase.RUNNING), Seen(cluster=cluster, work=RUNNING), NOW + timedelta(seconds=150))
        assert late.reason == "UnmetDemand"
        assert "1 x {GPU: 0.6}" in late.message

    def test_a_lost_node_is_named_while_the_job_goes_on_d7(self) -> None:
        cluster = replace(READY, nodes_ready=1, lost_nodes=("train-0",))
        decision = decide(a_job(JobPhase.RUNNING), Seen(cluster=cluster, work=RUNNING), NOW)
        assert (decision.phase, decision.reason) == (JobPhase.RUNNING, "NodeLost")
        assert "train-0" in decision.message


class TestSealing:
    def test_waits_for_the_evidence_but_not_for_ever(self) -> None:
        job = a_job(JobPhase.SEALING, attempt=an_attempt(outcome=AttemptOutcome.SUCCEEDED))
        seen = Seen(cluster=READY, work=ended(exit_code=0))
        assert decide(job, seen, NOW).commands == (Command.SEAL_WORK,)
        late = decide(job, seen, NOW + SEAL_DEADLINE)
        assert late.commands == (Command.DELETE_WORK, Command.DELETE_CLUSTER)

    def test_ends_only_with_proof_that_everything_is_gone(self) -> None:
        job = a_job(JobPhase.SEALING, attempt=an_attempt(outcome=AttemptOutcome.SUCCEEDED))
        assert decide(job, Seen(cluster=READY), NOW + timedelta(hours=1)).phase is JobPhase.SEALING
        assert decide(job, Seen(), NOW).phase is JobPhase.SUCCEEDED

    def test_a_shared_cluster_stays(self) -> None:
        attempt = an_attempt(outcome=AttemptOutcome.SUCCEEDED)
        job = a_job(JobPhase.SEALING, attempt=attempt, shared_cluster_id="cls_1")
        sealed = decide(job, Seen(cluster=READY, work=ended(exit_code=0, sealed=True)), NOW)
        assert sealed.commands == (Command.DELETE_WORK,)
        assert decide(job, Seen(cluster=READY), NOW).phase is JobPhase.SUCCEEDED

    def test_the_model_is_registered_before_success(self) -> None:
        spec = JobCreate(entrypoint="x", model=ModelSpec(register_as="m"))
        job = a_job(JobPhase.SEALING, spec=spec, attempt=an_attempt(outcome=AttemptOutcome.SUCCEEDED))
        assert decide(job, Seen(), NOW).commands == (Command.REGISTER_MODEL,)
        assert decide(replace(job, model_registered=True), Seen(), NOW).phase is JobPhase.SUCCEEDED

    def test_retries_by_class_and_count(self) -> None:
        spec = JobCreate(entrypoint="x", retries=Retries(max=1, on=[FailureClass.OOM], memory_factor=2))
        failure = failures.of_trouble(Trouble(FailureClass.OOM, "too much", is_final=True))
        attempt = an_attempt(outcome=AttemptOutcome.FAILED, failure=failure)
        job = a_job(JobPhase.SEALING, spec=spec, attempt=attempt)
        again = decide(job, Seen(), NOW)
        assert again.phase is JobPhase.QUEUED
        assert again.next_attempt is not None
        assert again.next_attempt.memory_factor == 2
        assert decide(replace(job, failures_used=1), Seen(), NOW).phase is JobPhase.FAILED

    def test_a_preemption_is_always_tried_again_and_costs_no_retry(self) -> None:
        failure = failures.of_trouble(Trouble(FailureClass.PREEMPTED, "reclaimed", is_final=True))
        job = a_job(JobPhase.SEALING, attempt=an_attempt(outcome=AttemptOutcome.FAILED, failure=failure))
        again = decide(job, Seen(), NOW)
        assert again.next_attempt is not None
        assert again.next_attempt.counts is False

    def test_a_memory_error_in_the_log_is_oom_d1(self) -> None:
        failure = failures.of_process(JobCreate(entrypoint="x"), ended(exit_code=1), READY, NOW)
        job = a_job(JobPhase.SEALING, attempt=an_attempt(outcome=AttemptOutcome.FAILED, failure=failure, exit_code=1))
        decision = decide(job, Seen(last_lines=("Traceback", "MemoryError: Unable to allocate 9 GiB")), NOW)
        assert decision.ending is not None
        assert decision.ending.failure is not None
        assert decision.ending.failure.failure_class is FailureClass.OOM

    def test_a_cancel_while_sealing_ends_cancelled_with_the_exit_code(self) -> None:
        attempt = an_attempt(outcome=AttemptOutcome.SUCCEEDED, exit_code=0)
        decision = decide(a_job(JobPhase.SEALING, attempt=attempt, stop=STOP), Seen(), NOW)
        assert decision.phase is JobPhase.CANCELLED
        assert decision.message == "Cancelled by ada. Its process had ended with exit code 0."


TROUBLES = st.none() | st.builds(
    Trouble, st.sampled_from(FailureClass), st.just("something is wrong"), is_final=st.booleans()
)
CLUSTERS = st.none() | st.builds(
    ClusterObserved,
    nodes_wanted=st.just(2),
    nodes_ready=st.integers(0, 2),
    head_ready=st.booleans(),
    trouble=TROUBLES,
    lost_nodes=st.sampled_from([(), ("a-0",)]),
    pending_demand=st.sampled_from([(), ("1 x {GPU: 1}",)]),
)
WORKS = st.none() | st.builds(
    WorkObserved,
    setting_up=st.sampled_from([None, "Fetching."]),
    started_at=st.sampled_from([None, NOW]),
    ended_at=st.sampled_from([None, NOW]),
    exit_code=st.sampled_from([None, 0, 1, 137]),
    signal=st.sampled_from([None, 9, 11, 250]),
    timed_out=st.booleans(),
    stopped=st.booleans(),
    oom_kills=st.sampled_from([(), ("head",)]),
    sealed=st.booleans(),
    trouble=TROUBLES,
    artifacts=st.none()
    | st.builds(
        ArtifactsObserved,
        files=st.sampled_from([0, 2]),
        files_stored=st.sampled_from([0, 2]),
        bytes=st.just(10),
        bytes_stored=st.just(5),
        until=st.sampled_from([NOW, NOW + timedelta(hours=2)]),
    ),
)
SEEN = st.builds(
    Seen,
    verdict=st.none() | st.builds(Verdict, st.booleans(), st.just("NoRoom"), st.just("No room."), st.just(1)),
    environment=st.none()
    | st.builds(
        EnvironmentSeen, st.sampled_from(EnvironmentPhase), st.just("said"), st.sampled_from([None, *FailureClass])
    ),
    shared_cluster=st.none() | st.builds(SharedCluster, st.just("c"), st.sampled_from(ClusterPhase), st.just("said")),
    cluster=CLUSTERS,
    work=WORKS,
    last_lines=st.sampled_from([(), ("MemoryError",)]),
)
SPECS = st.builds(
    JobCreate,
    entrypoint=st.just("x"),
    timeout=st.sampled_from([None, timedelta(minutes=1)]),
    deadline=st.sampled_from([None, NOW - timedelta(1), NOW + timedelta(1)]),
    model=st.sampled_from([None, ModelSpec(register_as="m")]),
    retries=st.sampled_from([Retries(), Retries(max=2, on=list(FailureClass))]),
)
NOWS = st.timedeltas(timedelta(0), timedelta(hours=1)).map(lambda later: NOW + later)


@given(
    st.sampled_from(JobPhase), SPECS, SEEN, NOWS, st.sampled_from([None, STOP]), st.sampled_from([None, "cls_1"]),
    st.sampled_from([None, *AttemptOutcome]),
)  # fmt: skip
def test_every_decision_is_an_edge_of_the_table(
    phase: JobPhase,
    spec: JobCreate,
    seen: Seen,
    now: datetime,
    stop: StopRequest | None,
    shared: str | None,
    outcome: AttemptOutcome | None,
) -> None:
    job = a_job(phase, spec=spec, stop=stop, shared_cluster_id=shared)
    if job.attempt is not None and phase is JobPhase.SEALING:
        job = replace(job, attempt=replace(job.attempt, outcome=outcome or AttemptOutcome.FAILED))
    decision = decide(job, seen, now)
    require_edge(phase, decision.phase)
    assert decision.message or phase.is_terminal
    assert decision.phase.is_terminal or decision.again_in is not None
    if decision.phase is JobPhase.FAILED and phase is not JobPhase.FAILED:
        assert decision.ending is not None
        assert decision.ending.failure is not None
    if decision.phase is JobPhase.SEALING and phase is not JobPhase.SEALING:
        assert decision.ending is not None


@given(st.data())
def test_every_job_reaches_an_end_once_the_world_lets_go(data: st.DataObject) -> None:
    """From any state, with a stop request and an engine that has nothing left, a few steps end it."""
    job = a_job(data.draw(st.sampled_from([phase for phase in JobPhase if not phase.is_terminal])), stop=STOP)
    for _ in range(6):
        decision = decide(job, Seen(), NOW)
        job = _after(job, decision)
        if job.phase.is_terminal:
            break
    assert job.phase is JobPhase.CANCELLED


def _after(job: Job, decision: Decision) -> Job:
    attempt = job.attempt
    if attempt is not None and decision.ending is not None:
        attempt = replace(attempt, outcome=decision.ending.outcome)
    return replace(job, phase=decision.phase, attempt=attempt)


# -- artifacts ------------------------------------------------------------------------------------------------------

STORING = ArtifactsObserved(7, 3, 5_000_000_000, 1_200_000_000, NOW + timedelta(minutes=30), ("a", "b", "c", "d"))
WHOLE = replace(STORING, files_stored=7, bytes_stored=5_000_000_000, missing=())


def sealing(outcome: AttemptOutcome = AttemptOutcome.SUCCEEDED, reason: str = "StoringArtifacts") -> Job:
    return a_job(JobPhase.SEALING, attempt=an_attempt(outcome=outcome, exit_code=0), reason=reason)


def test_artifacts_may_take_longer_than_logs_up_to_the_engines_limit() -> None:
    seen = Seen(cluster=READY, work=ended(exit_code=0, artifacts=STORING))
    later = decide(sealing(), seen, NOW + 10 * SEAL_DEADLINE)
    assert later.message == "Storing artifacts: 3 of 7 files, 1.2 of 5.0 GB."
    assert later.commands == (Command.SEAL_WORK,)
    over = decide(sealing(), seen, NOW + timedelta(minutes=31))
    assert over.reason == "ArtifactsLost"
    no_files = replace(STORING, files=0, files_stored=0)
    logs_only = Seen(cluster=READY, work=ended(exit_code=0, artifacts=no_files))
    assert Command.DELETE_WORK in decide(sealing(), logs_only, NOW + 2 * SEAL_DEADLINE).commands


def test_stored_artifacts_are_told_once_before_the_folder_goes() -> None:
    seen = Seen(cluster=READY, work=ended(exit_code=0, sealed=True, artifacts=WHOLE))
    told = decide(sealing(), seen, NOW)
    assert (told.reason, told.message) == ("ArtifactsStored", "7 files of its output are stored.")
    assert (told.commands, told.ending) == ((), None)
    removing = decide(sealing(reason=told.reason), seen, NOW)
    assert removing.commands == (Command.DELETE_WORK, Command.DELETE_CLUSTER)
    assert removing.reason == told.reason
    assert decide(sealing(reason=told.reason), Seen(), NOW).phase is JobPhase.SUCCEEDED


def test_a_success_with_lost_artifacts_is_a_failure_that_names_them() -> None:
    seen = Seen(cluster=READY, work=ended(exit_code=0, sealed=True, artifacts=replace(STORING, files=30)))
    told = decide(sealing(), seen, NOW)
    assert told.reason == "ArtifactsLost"
    assert told.message == "27 of 30 files of its output could not be stored in time: a, b, c, d and 23 more."
    assert told.ending is not None
    assert told.ending.failure is not None
    assert told.ending.failure.failure_class is FailureClass.INFRA
    job = sealing(reason=told.reason)
    assert job.attempt is not None
    job = replace(job, attempt=replace(job.attempt, outcome=told.ending.outcome, failure=told.ending.failure))
    end = decide(job, Seen(), NOW)
    assert (end.phase, end.reason) == (JobPhase.FAILED, "PlatformFailed")
    assert "a, b, c, d" in end.message


@pytest.mark.parametrize("outcome", [AttemptOutcome.FAILED, AttemptOutcome.CANCELLED])
def test_lost_artifacts_of_an_attempt_that_did_not_succeed_are_an_event_only(outcome: AttemptOutcome) -> None:
    seen = Seen(cluster=READY, work=ended(exit_code=1, sealed=True, artifacts=STORING))
    told = decide(sealing(outcome), seen, NOW)
    assert (told.reason, told.ending) == ("ArtifactsLost", None)


def test_what_was_left_out_by_a_rule_fails_nothing_and_is_said() -> None:
    pipe = replace(WHOLE, left_out=("s (no regular file)",), left_out_count=1)
    told = decide(sealing(), Seen(cluster=READY, work=ended(exit_code=0, sealed=True, artifacts=pipe)), NOW)
    assert (told.reason, told.ending) == ("ArtifactsLeftOut", None)
    assert told.message == "7 files of its output are stored. Left out: s (no regular file)."


def test_a_machine_that_goes_away_while_it_stores_loses_artifacts() -> None:
    told = decide(sealing(), Seen(), NOW)
    assert told.reason == "ArtifactsLost"
    assert told.ending is not None
    assert decide(sealing(reason=told.reason), Seen(), NOW).phase.is_terminal


def test_terminal_phases_are_left_only_by_a_persons_retry() -> None:
    assert EDGES[JobPhase.SUCCEEDED] == frozenset()
    assert EDGES[JobPhase.FAILED] == EDGES[JobPhase.CANCELLED] == frozenset({JobPhase.QUEUED})
    with pytest.raises(ForbiddenEdge):
        require_edge(JobPhase.QUEUED, JobPhase.RUNNING)
