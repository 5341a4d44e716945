"""An engine that cannot be asked, or does not take things: a state with words and an event, and nothing is lost."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import func, select

from mlp.schemas.phases import ClusterPhase, FailureClass, JobPhase
from mlp_core.domain.admission import Verdict
from mlp_core.domain.execution import Trouble
from mlp_core.kit.ids import new_id
from mlp_core.tables import ClusterRow, EventRow
from mlp_operator.engines.port import ClusterSpec, EngineAwayError, NotTakenError
from mlp_operator.engines.simulated import SimulatedEngine, SimulatedQueue
from support.operators import World
from support.waiting import eventually

REFUSED = EngineAwayError("ClusterRefuses", "Kubernetes refuses the platform's credentials; an administrator must act.")
END = (JobPhase.SUCCEEDED, JobPhase.FAILED, JobPhase.CANCELLED)


async def a_cluster(world: World, name: str) -> str:
    id_ = new_id("cluster")
    async with world.database.transaction() as session:
        session.add(
            ClusterRow(
                id=id_,
                project_id=world.project.project_id,
                name=name,
                spec={"head": {"pool": "cpu", "cpu": 1, "memory": "1Gi"}},
                created_by="tester",
            )
        )
    return id_


async def cluster_in(world: World, id_: str, phase: ClusterPhase, reason: str | None = None) -> ClusterRow:
    async def there() -> ClusterRow | None:
        async with world.database.transaction() as session:
            row = await session.get_one(ClusterRow, id_)
            row.due_at = func.now()  # pyright: ignore[reportAttributeAccessIssue]
        return row if row.phase == phase.value and reason in (None, row.reason) else None

    return await eventually(there)


async def end_cluster(world: World, id_: str) -> None:
    async with world.database.transaction() as session:
        row = await session.get_one(ClusterRow, id_)
        row.phase, row.ended_at, row.due_at = "stopped", func.now(), None  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize("phase", [JobPhase.QUEUED, JobPhase.RUNNING])
async def test_a_job_says_why_nothing_is_known_of_it_and_goes_on(world: World, phase: JobPhase) -> None:
    queue = SimulatedQueue()
    world.engine.queue = queue
    world.start_operator()
    job = await world.submit("run")
    await world.until_reason(job, "WaitingForQuota")
    if phase is JobPhase.RUNNING:
        queue.admit(job)
        await world.make_due(job)
        await world.until(job, JobPhase.RUNNING)
    world.engine.trouble = REFUSED
    queue.trouble = REFUSED
    await world.make_due(job)
    row = await world.until_reason(job, "ClusterRefuses")
    assert (row.phase, row.message, row.failures) == (phase.value, str(REFUSED), 0)
    world.engine.trouble = queue.trouble = None
    queue.admit(job)
    await world.make_due(job)
    await world.until(job, JobPhase.RUNNING)
    (attempt,) = await world.attempts(job)
    world.engine.finish(attempt.id)
    await world.make_due(job)
    assert (await world.until(job, *END)).phase == "succeeded"
    assert world.engine.started == [attempt.id]
    assert (await world.reasons(job)).count("ClusterRefuses") == 1


async def test_a_named_cluster_that_is_not_taken_says_why_and_is_taken_later(world: World) -> None:
    class Picky(SimulatedEngine):
        refusal: NotTakenError | None = NotTakenError("NamespaceTaken", "Namespace 'mlp-x' is not the platform's.")

        async def ensure_cluster(self, spec: ClusterSpec) -> None:
            if self.refusal is not None:
                raise self.refusal
            await super().ensure_cluster(spec)

    engine = Picky()
    world.engine = engine
    world.start_operator()
    cluster = await a_cluster(world, "picky")
    row = await cluster_in(world, cluster, ClusterPhase.PROVISIONING, "NamespaceTaken")
    assert "is not the platform's" in row.message
    async with world.database.transaction() as session:
        told = await session.scalars(select(EventRow.reason).where(EventRow.resource_id == cluster))
        assert "NamespaceTaken" in list(told)
    engine.refusal = None
    await cluster_in(world, cluster, ClusterPhase.READY)
    await end_cluster(world, cluster)


async def test_a_preempted_cluster_waits_and_comes_back_under_its_name(world: World) -> None:
    queue = SimulatedQueue()
    world.engine.queue = queue
    world.start_operator()
    cluster = await a_cluster(world, "shared")
    waits = Verdict(False, "WaitingForQuota", "Waits for quota.", 1)
    queue.jobs[cluster] = replace(waits, admitted=True, reason="Admitted")
    await cluster_in(world, cluster, ClusterPhase.READY)
    queue.jobs[cluster] = waits
    taken = Trouble(FailureClass.PREEMPTED, "Its machines were taken back for others.", is_final=True)
    world.engine.clusters[cluster].trouble = taken
    await cluster_in(world, cluster, ClusterPhase.QUEUED, "WaitingForQuota")
    assert cluster in world.engine.clusters, "it keeps its place"
    world.engine.clusters[cluster].trouble = None
    queue.jobs[cluster] = replace(waits, admitted=True, reason="Admitted")
    await cluster_in(world, cluster, ClusterPhase.READY)
    async with world.database.transaction() as session:
        told = list(await session.scalars(select(EventRow.reason).where(EventRow.resource_id == cluster)))
    assert told.count("AllNodesReady") == 2
    assert "Preempted" in told
    await end_cluster(world, cluster)
