"""Jobs through Kueue: whole gangs on the right machines, reasons in words, and a place that outlives a preemption."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from mlp.schemas.phases import FailureClass
from mlp_core.domain.admission import Limits
from mlp_core.domain.packing import Shape
from mlp_operator.engines.kubernetes import names
from mlp_operator.engines.port import NotTakenError
from support.kubernetes_stage import GIB, WITHIN, Stage, gpus, job_of, workers
from support.waiting import eventually

pytestmark = pytest.mark.timeout(600)


async def test_a_mixed_gang_is_admitted_at_once_with_the_right_flavor_per_group(stage: Stage) -> None:
    project = await stage.project()
    spec = stage.job(project, workers(2), gpus(1, each=2))
    await stage.enter(spec)
    admitted = await stage.until_reason(spec, "Admitted")
    assert "gpu (train)" in admitted.verdict.message
    assert "cpu (head, prep" in admitted.verdict.message
    observed = await stage.until_ready(spec)
    assert (observed.nodes_wanted, observed.trouble, observed.lost_nodes) == (4, None, ())
    places = {
        (pod["metadata"]["labels"][names.GROUP], pod["spec"]["nodeName"].split("-")[0]) for pod in stage.pods(project)
    }
    assert {("head", "cpu"), ("prep", "cpu"), ("train", "gpu")} <= places
    await stage.remove(spec.name)
    assert stage.pods(project) == []
    assert await stage.queued(spec) is None


async def test_one_gpu_too_many_waits_with_kueue_s_reason_in_words(stage: Stage) -> None:
    project = await stage.project(limits=Limits(gpu=2))
    spec = stage.job(project, gpus(3))
    await stage.enter(spec)
    waits = await stage.until_reason(spec, "ExceedsMaxQuota", "WaitingForQuota")
    assert not waits.verdict.admitted
    assert "nvidia.com/gpu" in waits.verdict.message
    assert stage.pods(project) == []
    queue = stage.engine().queue
    assert queue is not None
    await queue.leave(job_of(spec))

    async def left() -> bool:
        return await stage.queued(spec) is None

    await eventually(left, within=WITHIN)


async def test_a_lender_takes_back_its_quota_and_the_borrower_keeps_its_place(stage: Stage) -> None:
    half = Shape(8, 32 * GIB, 4)
    lender = await stage.project(team="lending", gpu=half)
    borrower = await stage.project(team="lending", gpu=half)
    first = stage.job(borrower, gpus(2, each=4))
    await stage.enter(first)
    await stage.until_ready(first)
    where = ("ray.io/v1", "RayJob", names.object_name(job_of(first)), names.namespace(borrower.slug))
    uid = stage.cluster.api.get(*where)["metadata"]["uid"]
    owner = stage.job(lender, gpus(1, each=4))
    await stage.enter(owner)

    async def taken() -> bool:
        seen = await stage.engine().observe_cluster(first.name)
        assert seen is not None
        return seen.trouble is not None and seen.trouble.failure_class is FailureClass.PREEMPTED

    await eventually(taken, within=WITHIN)

    async def released() -> bool:
        await stage.engine().delete_cluster(first.name, keep_place=True)
        return await stage.engine().observe_cluster(first.name) is None

    await eventually(released, within=WITHIN)
    await stage.until_ready(owner)
    waiting = await stage.queued(first)
    assert waiting is not None
    assert not waiting.verdict.admitted

    # A rival that came later does not overtake it.
    rival = stage.job(borrower, gpus(2, each=4))
    await stage.enter(rival)
    await stage.remove(owner.name)
    again = replace(first, name=f"{first.name}b")
    await stage.until_ready(again)
    assert stage.cluster.api.get(*where)["metadata"]["uid"] == uid
    rival_waits = await stage.queued(rival)
    assert rival_waits is not None
    assert not rival_waits.verdict.admitted
    await stage.remove(again.name)
    await stage.engine().delete_cluster(job_of(rival))


async def test_case_c5_two_gangs_on_machines_for_one_never_both_half_run(stage: Stage) -> None:
    project = await stage.project(limits=Limits(cpu=4.9))
    jobs = [stage.job(project, workers(3)) for _ in range(2)]
    await asyncio.gather(*(stage.enter(job) for job in jobs))

    async def one_admitted() -> list[bool] | None:
        seen = [await stage.queued(job) for job in jobs]
        said = [one is not None and one.verdict.admitted for one in seen]
        return said if True in said else None

    said = await eventually(one_admitted, within=WITHIN)
    assert sorted(said) == [False, True]
    runs, waits = (jobs[said.index(True)], jobs[said.index(False)])
    await stage.until_ready(runs)
    assert {pod["metadata"]["labels"][names.JOB] for pod in stage.pods(project)} == {job_of(runs)}
    await stage.remove(runs.name)
    await stage.until_reason(waits, "Admitted")
    await stage.until_ready(waits)
    await stage.remove(waits.name)


async def test_while_kueue_is_down_jobs_are_kept_out_with_words_and_go_through_later(stage: Stage) -> None:
    project = await stage.project()
    spec = stage.job(project)
    stage.cluster.programs.stop("kueue")
    try:
        with pytest.raises(NotTakenError) as refused:
            await stage.enter(spec)
        assert refused.value.reason == "KueueAway"
    finally:
        stage.cluster.operators.start_kueue()

    async def enters() -> bool:
        try:
            await stage.enter(spec)
        except NotTakenError:
            return False
        return True

    await eventually(enters, within=WITHIN)
    await stage.until_reason(spec, "Admitted")
    await stage.until_ready(spec)
    await stage.remove(spec.name)
