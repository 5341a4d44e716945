"""The operator brings jobs to their end exactly once, whatever dies in between."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from mlp.schemas.phases import FailureClass, JobPhase
from mlp_core.dashboards.service import tokens_sealer
from mlp_core.domain.execution import ArtifactsObserved, Trouble
from mlp_core.domain.job import Decision
from mlp_core.jobs import reconciling
from mlp_core.kit.leases import claim_due
from mlp_core.tables import DashboardRow, JobRow
from mlp_operator.engines.port import NotTakenError
from mlp_operator.engines.simulated import SimulatedQueue
from mlp_operator.orphans import sweep
from support.operators import World
from support.waiting import eventually

END = (JobPhase.SUCCEEDED, JobPhase.FAILED, JobPhase.CANCELLED)


async def test_a_job_goes_through_all_phases_once(world: World) -> None:
    world.start_operator()
    job = await world.submit("exit 0")
    row = await world.until(job, *END)
    assert (row.phase, row.exit_code, row.attempt_number) == ("succeeded", 0, 1)
    assert await world.reasons(job) == ["Admitted", "StartingCluster", "SettingUp", "Running", "Sealing", "Succeeded"]
    assert world.engine.clusters == {}
    assert row.due_at is None


async def test_a_failure_has_its_class_and_code(world: World) -> None:
    world.start_operator()
    row = await world.until(await world.submit("exit 3"), *END)
    assert row.phase == "failed"
    assert row.failure is not None
    assert (row.failure["class"], row.failure["exit_code"]) == ("user_error", 3)


async def test_two_operators_start_every_job_once(world: World) -> None:
    world.start_operator("one")
    world.start_operator("two")
    jobs = [await world.submit("exit 0") for _ in range(12)]
    for job in jobs:
        row = await world.until(job, *END, within=60)
        assert (row.phase, row.attempt_number) == ("succeeded", 1)
    assert len(world.engine.started) == len(set(world.engine.started)) == 12


async def test_what_fits_only_one_after_the_other_waits_and_says_whom_for(world: World) -> None:
    world.start_operator()
    big = {"resources": {"head": {"pool": "cpu", "cpu": 3, "memory": "1Gi"}}}
    first = await world.submit("run", **big)
    await world.until(first, JobPhase.RUNNING)
    second = await world.submit("exit 0", **big)

    row = await world.until_reason(second, "NoRoom")
    assert f"'test' ({first})" in row.message
    (attempt,) = await world.attempts(first)
    world.engine.finish(attempt.id)
    assert (await world.until(first, *END)).phase == "succeeded"
    assert (await world.until(second, *END)).phase == "succeeded"


@pytest.mark.parametrize("phase", [JobPhase.QUEUED, JobPhase.ADMITTED, JobPhase.PROVISIONING, JobPhase.RUNNING])
async def test_cancelled_in_any_phase_leaves_nothing(world: World, phase: JobPhase) -> None:
    world.engine.ready_nodes = 0 if phase is JobPhase.PROVISIONING else None
    job = await world.submit("run")
    while (await world.job(job)).phase != phase:
        await world.one_pass(job)
    await world.cancel(job)
    world.start_operator()
    row = await world.until(job, *END)
    assert row.phase == "cancelled"
    assert (world.engine.clusters, world.engine.works) == ({}, {})


async def test_a_lost_lease_writes_nothing(world: World) -> None:
    job = await world.submit("run")
    await world.make_due(job)
    async with world.database.transaction() as session:
        (stale,) = [lease for lease in await claim_due(session, JobRow, "slow", 100) if lease.key == job]
    async with world.database.transaction() as session:
        (await session.get_one(JobRow, job)).lease_token = "taken over"
    await world.reconciler().reconcile(stale)
    row = await world.job(job)
    assert (row.phase, row.lease_token) == ("queued", "taken over")


async def test_an_intent_that_changed_meanwhile_is_decided_again(world: World) -> None:
    job = await world.submit("run")
    await world.make_due(job)
    async with world.database.transaction() as session:
        (lease,) = [lease for lease in await claim_due(session, JobRow, "op", 100) if lease.key == job]
    context = await reconciling.load(world.database, lease)
    assert context is not None
    await world.cancel(job)
    decision = Decision(JobPhase.ADMITTED, "Admitted", "One node is reserved.")
    assert not await reconciling.record(world.database, lease, context.job, decision, reconciling.Effects())
    row = await world.job(job)
    assert (row.phase, row.lease_token) == ("queued", None)


async def test_killed_between_engine_write_and_row_update_starts_nothing_twice(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = await world.submit("run")
    while (await world.job(job)).phase != JobPhase.PROVISIONING:
        await world.one_pass(job)

    async def dies(*_: object) -> bool:
        raise asyncio.CancelledError

    with monkeypatch.context() as patched:
        patched.setattr(reconciling, "record", dies)
        for _ in range(3):
            with pytest.raises(asyncio.CancelledError):
                await world.one_pass(job)
    assert len(world.engine.started) == 1
    await world.expire_lease(job)
    world.start_operator()
    await world.until(job, JobPhase.RUNNING)
    (attempt,) = await world.attempts(job)
    world.engine.finish(attempt.id)
    assert (await world.until(job, *END)).phase == "succeeded"
    assert world.engine.started == [attempt.id]


async def test_an_engine_that_does_not_answer_loses_nothing(world: World) -> None:
    world.start_operator()
    job = await world.submit("run")
    await world.until(job, JobPhase.RUNNING)
    world.engine.away = True
    (attempt,) = await world.attempts(job)
    world.engine.finish(attempt.id)

    async def failed_twice() -> bool:
        return (await world.job(job)).failures >= 2

    await eventually(failed_twice)
    world.engine.away = False
    await world.make_due(job)
    assert (await world.until(job, *END)).phase == "succeeded"


async def test_mlflow_away_holds_the_start_and_the_end_is_kept_in_the_outbox(world: World) -> None:
    world.tracking.away = True
    world.start_operator()
    job = await world.submit("exit 0")
    await world.until_reason(job, "WaitingForMlflow")
    assert world.engine.started == []
    world.tracking.away = False
    assert (await world.until(job, *END)).phase == "succeeded"


async def test_retried_by_class_with_more_memory_as_a_fresh_attempt(world: World) -> None:
    world.start_operator()
    job = await world.submit("run", retries={"max": 1, "on": ["oom"], "memory_factor": 2})
    await world.until(job, JobPhase.RUNNING)
    (first,) = await world.attempts(job)
    oom = Trouble(FailureClass.OOM, "It used 1 of 1 GiB.", is_final=True)
    world.engine.finish(first.id, 1, trouble=oom)

    async def second_runs() -> bool:
        attempts = await world.attempts(job)
        return len(attempts) == 2 and attempts[1].phase == "running"

    await eventually(second_runs)
    first, second = await world.attempts(job)
    assert (first.outcome, first.phase, second.number, second.memory_factor) == ("failed", "failed", 2, 2.0)
    assert world.engine.clusters[second.id].spec.head.memory_bytes == 2 * 2**30
    world.engine.finish(second.id, 0)
    row = await world.until(job, *END)
    assert (row.phase, row.failures_used, row.failure) == ("succeeded", 1, None)


async def test_the_model_is_registered_before_the_job_succeeds(world: World) -> None:
    world.start_operator()
    row = await world.until(await world.submit("exit 0", model={"register": "digits"}), *END)
    assert row.phase == "succeeded"
    assert row.model == {"name": "digits", "version": "1", "url": None}
    assert world.tracking.registered == ["digits"]


async def test_clusters_that_no_row_wants_are_swept(world: World) -> None:
    job = await world.submit("run")
    while (await world.job(job)).phase != JobPhase.RUNNING:
        await world.one_pass(job)
    (attempt,) = await world.attempts(job)
    spec = world.engine.clusters[attempt.id].spec
    await world.engine.ensure_cluster(replace(spec, name="att_nobody"))
    assert await sweep(world.database, world.engine) == {"att_nobody"}
    assert set(world.engine.clusters) == {attempt.id}


async def test_on_an_engine_with_a_queue_a_preempted_job_keeps_its_place_and_runs_again(world: World) -> None:
    queue = world.engine.queue = SimulatedQueue()
    world.start_operator()
    job = await world.submit("run until preempted")
    await world.until_reason(job, "WaitingForQuota")
    assert await world.attempts(job) == []
    queue.admit(job)
    await world.make_due(job)
    await world.until(job, JobPhase.RUNNING)
    first = (await world.attempts(job))[0]
    queue.preempt(job)
    taken = Trouble(FailureClass.PREEMPTED, "Its machines were taken back.", is_final=True)
    world.engine.clusters[first.id].trouble = taken
    await world.make_due(job)
    await world.until(job, JobPhase.QUEUED)
    queue.admit(job)
    await world.make_due(job)
    await world.until(job, JobPhase.RUNNING)
    attempts = await world.attempts(job)
    assert [attempt.outcome for attempt in attempts] == ["preempted", None]
    assert queue.entered == [job]
    world.engine.finish(attempts[1].id)
    await world.make_due(job)
    assert (await world.until(job, JobPhase.SUCCEEDED)).failures_used == 0
    assert queue.jobs == {}


async def test_a_queue_that_takes_nothing_now_keeps_the_job_and_says_why(world: World) -> None:
    queue = world.engine.queue = SimulatedQueue()
    queue.refusal = NotTakenError("KueueAway", "Kueue does not answer.")
    world.start_operator()
    job = await world.submit("exit 0")
    row = await world.until_reason(job, "KueueAway")
    assert row.message == "Kueue does not answer."
    await world.cancel(job)
    await world.until(job, JobPhase.CANCELLED)
    assert queue.entered == []


# -- artifacts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stored", [2, 1])
async def test_what_became_of_the_artifacts_is_an_event_and_lost_ones_fail_the_job(world: World, stored: int) -> None:
    world.start_operator()
    job = await world.submit("run")
    await world.until(job, JobPhase.RUNNING)
    (attempt,) = await world.attempts(job)
    until = datetime.now(UTC) + timedelta(minutes=30)
    left = ArtifactsObserved(2, stored, 20, 10 * stored, until, ("big.bin",) if stored < 2 else ())
    world.engine.finish(attempt.id, artifacts=left)
    row = await world.until(job, *END)
    reasons = await world.reasons(job)
    if stored == 2:
        assert (row.phase, reasons[-2:]) == ("succeeded", ["ArtifactsStored", "Succeeded"])
        return
    assert (row.phase, reasons[-2:]) == ("failed", ["ArtifactsLost", "PlatformFailed"])
    assert row.failure is not None
    assert (row.failure["class"], row.failure["exit_code"]) == ("infra", 0)
    assert "big.bin" in row.failure["message"]
    assert world.engine.works == {}


async def test_where_the_head_answers_is_noted_and_its_token_sealed(world: World) -> None:
    world.engine.heads_at = "http://127.0.0.1:8265"
    world.start_operator()
    job = await world.submit("run")
    await world.until(job, JobPhase.RUNNING)
    (attempt,) = await world.attempts(job)
    async with world.database.transaction() as session:
        row = await session.get(DashboardRow, attempt.id)
    assert row is not None
    assert (row.url, row.attempt_id, row.cluster_id) == ("http://127.0.0.1:8265", attempt.id, None)
    assert "of " not in row.token
    sealer = tokens_sealer(world.settings.secret_key.get_secret_value())
    assert sealer.open(row.token) == f"of {attempt.id}".encode()


async def test_a_job_goes_on_where_its_heads_address_cannot_be_asked_for(world: World) -> None:
    world.engine.dashboards_refused = True
    world.start_operator()
    assert (await world.until(await world.submit("exit 0"), *END)).phase == "succeeded"
