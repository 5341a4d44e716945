"""Cases of kind c (queue and quota) under Kueue. c5's first half is in `test_admission`."""

from __future__ import annotations

import asyncio

import pytest

from mlp_core.domain.admission import Limits
from mlp_core.domain.execution import ClusterObserved
from mlp_operator.engines.port import ClusterSpec, NodeGroup
from support.kubernetes_stage import GIB, WITHIN, Stage, gpus, job_of, workers
from support.waiting import eventually

pytestmark = pytest.mark.timeout(600)


async def until_told(stage: Stage, job: ClusterSpec, words: str) -> None:
    """Until the job waits with a reason in which Kueue names what is lacking."""
    told: list[str] = []

    async def tells() -> bool:
        seen = await stage.queued(job)
        assert seen is not None
        told.append(f"{seen.verdict.reason}: {seen.verdict.message}")
        return not seen.verdict.admitted and words in seen.verdict.message

    try:
        await eventually(tells, within=WITHIN)
    except AssertionError as error:
        raise AssertionError(f"Kueue said: {list(dict.fromkeys(told))}") from error


async def test_case_c1_large_jobs_at_the_head_do_not_block_small_ones(stage: Stage) -> None:
    project = await stage.project(limits=Limits(gpu=4))
    holder = stage.job(project, gpus(1, each=3))
    await stage.enter(holder)
    await stage.until_ready(holder)
    large = [stage.job(project, gpus(1, each=4)) for _ in range(3)]
    for job in large:
        await stage.enter(job)
    small = [stage.job(project, workers(1)), stage.job(project, gpus(1, each=1))]
    await asyncio.gather(*(stage.enter(job) for job in small))
    for job in small:
        await stage.until_reason(job, "Admitted")
    for job in large:
        await until_told(stage, job, "nvidia.com/gpu")
    order = await stage.queue_order()
    places = [order.index(job_of(job)) for job in large]
    assert places == sorted(places), "and each knows its place"
    for job in (*large, *small, holder):
        await stage.remove(job_of(job))


@pytest.mark.parametrize("times", [5])
async def test_case_c5_two_gangs_at_the_same_instant_never_both_hold_half(stage: Stage, times: int) -> None:
    project = await stage.project(limits=Limits(cpu=4.9))
    for _ in range(times):
        jobs = [stage.job(project, workers(3)) for _ in range(2)]
        await asyncio.gather(*(stage.enter(job) for job in jobs))

        async def one_admitted(jobs: list[ClusterSpec] = jobs) -> list[bool] | None:
            seen = [await stage.queued(job) for job in jobs]
            said = [one is not None and one.verdict.admitted for one in seen]
            return said if True in said else None

        said = await eventually(one_admitted, within=WITHIN)
        assert sorted(said) == [False, True]
        await asyncio.gather(*(stage.remove(job_of(job)) for job in jobs))


async def test_case_c5_a_gang_that_does_not_come_whole_says_how_much_of_it_came(stage: Stage) -> None:
    project = await stage.project()
    # Kueue counts the pool as a whole; four of five find a machine.
    spec = stage.job(project, NodeGroup("prep", "cpu", 5, 11, GIB))
    await stage.enter(spec)
    observed = await stage.until_cluster(spec, lambda seen: seen.trouble is not None and seen.nodes_ready > 1)
    assert observed.nodes_ready < observed.nodes_wanted
    assert observed.trouble is not None
    assert (observed.trouble.is_final, "nodes are available" in observed.trouble.message) == (False, True)
    await stage.remove(spec.name)
    assert stage.pods(project) == []


async def test_case_c8_at_every_moment_there_is_a_reason(stage: Stage) -> None:
    project = await stage.project()
    spec = stage.job(project, workers(3))
    await stage.enter(spec)
    told: list[str] = []

    async def ready() -> ClusterObserved | None:
        queued = await stage.queued(spec)
        assert queued is not None
        assert queued.verdict.reason
        assert queued.verdict.message
        told.append(queued.verdict.reason)
        if not queued.verdict.admitted:
            return None
        await stage.engine().ensure_cluster(spec)
        seen = await stage.engine().observe_cluster(spec.name)
        return seen if seen is not None and seen.nodes_ready == seen.nodes_wanted else None

    observed = await eventually(ready, within=WITHIN)
    assert (observed.nodes_ready, observed.nodes_wanted) == (4, 4)
    assert told[-1] == "Admitted"
    await stage.remove(spec.name)
