"""Places in Kueue's queues: told in its own order, kept through a preemption, also by named clusters."""

from __future__ import annotations

import pytest

from mlp_core.domain.admission import Limits
from mlp_core.domain.packing import Shape
from mlp_operator.engines.port import ClusterSpec, NodeGroup
from support.kubernetes_stage import GIB, WITHIN, Stage, gpus, job_of, workers
from support.waiting import eventually

pytestmark = pytest.mark.timeout(600)


async def test_the_order_is_kueue_s_over_all_projects(stage: Stage) -> None:
    one, other = await stage.project(limits=Limits(cpu=1)), await stage.project(limits=Limits(cpu=1))
    holders = [stage.job(project) for project in (one, other)]
    for job in holders:
        await stage.enter(job)
        await stage.until_reason(job, "Admitted")
    waiting = [
        stage.job(one, workers(1)),
        stage.job(other, workers(1)),
        stage.job(one, workers(1), priority="high"),
        stage.job(other, workers(1), priority="low"),
    ]
    for job in waiting:
        await stage.enter(job)
        await stage.until_reason(job, "WaitingForQuota", "ExceedsMaxQuota")
    ids = [job_of(job) for job in waiting]

    async def ordered() -> bool:
        return [id_ for id_ in await stage.queue_order() if id_ in ids] == [ids[2], ids[0], ids[1], ids[3]]

    await eventually(ordered, within=WITHIN)
    assert not {job_of(job) for job in holders} & set(await stage.queue_order())
    for job in (*waiting, *holders):
        await stage.remove(job_of(job))


async def test_a_preempted_named_cluster_waits_in_its_place_and_comes_back(stage: Stage) -> None:
    half = Shape(8, 32 * GIB, 4)
    lender = await stage.project(team="back", gpu=half)
    borrower = await stage.project(team="back", gpu=half)
    head = NodeGroup("head", "cpu", 1, 0.5, GIB)
    named = ClusterSpec(f"cls_{borrower.slug}", borrower.slug, head, (gpus(2, each=4),))
    engine = stage.engine()
    assert engine.queue is not None

    async def whole() -> bool:
        await engine.ensure_cluster(named)
        seen = await engine.observe_cluster(named.name)
        return seen is not None and seen.trouble is None and seen.nodes_ready == seen.nodes_wanted == 3

    await eventually(whole, within=WITHIN)
    owner = stage.job(lender, gpus(1, each=4))
    await stage.enter(owner)

    async def taken() -> bool:
        seen = await engine.observe_cluster(named.name)
        assert seen is not None
        return seen.trouble is not None and seen.trouble.failure_class == "preempted" and seen.nodes_ready == 0

    await eventually(taken, within=WITHIN)
    await stage.until_ready(owner)
    waiting = await engine.queue.observe(named.name)
    assert waiting is not None
    assert not waiting.verdict.admitted
    assert named.name in await stage.queue_order()
    await stage.remove(owner.name)
    await eventually(whole, within=WITHIN)
    await stage.remove(named.name)
