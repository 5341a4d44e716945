"""Clusters and works from their start to the last trace of them, as KubeRay, the scheduler and kubelets tell it."""

from __future__ import annotations

import asyncio

import pytest

from mlp.schemas.phases import FailureClass
from mlp_core.domain.execution import WorkObserved
from mlp_operator.engines.kubernetes import names
from mlp_operator.engines.kubernetes.client import KubeClient
from mlp_operator.engines.kubernetes.engine import KubernetesEngine
from mlp_operator.engines.port import ClusterSpec, NodeGroup, WorkSpec
from support.kubernetes_stage import GIB, WITHIN, NoReports, Stage, StaticPools, gpus, settings_of, workers
from support.waiting import eventually

OURS = (
    ("ray.io/v1", "RayJob"),
    ("ray.io/v1", "RayCluster"),
    ("kueue.x-k8s.io/v1beta2", "Workload"),
    ("v1", "Pod"),
)
pytestmark = pytest.mark.timeout(600)


def a_work(spec: ClusterSpec) -> WorkSpec:
    return WorkSpec(spec.name, spec.name, ("true",), None, (), 5, None, "job_x", "http://api", "t.o.k", None, None)


@pytest.mark.parametrize(("run", "exit_code"), [("2s", 0), ("2s exit 3", None)])
async def test_a_job_s_end_is_told_and_nothing_of_it_is_left(stage: Stage, run: str, exit_code: int | None) -> None:
    project = await stage.project()
    spec = stage.job(project, workers(1))
    await stage.enter(spec, run)
    engine = stage.engine(run)

    async def ended() -> WorkObserved | None:
        await engine.ensure_cluster(spec)
        await engine.ensure_work(a_work(spec))
        seen = await engine.observe_work(spec.name, spec.name)
        return seen if seen is not None and seen.has_ended else None

    work = await eventually(ended, within=WITHIN)
    assert work.exit_code == exit_code
    if exit_code is None:
        assert work.trouble is not None

    async def sealed() -> bool:
        seen = await engine.observe_work(spec.name, spec.name)
        return seen is not None and seen.sealed

    await eventually(sealed, within=WITHIN)
    await stage.remove(spec.name)
    api, namespace = stage.cluster.api, names.namespace(project.slug)

    async def nothing_left() -> bool:
        kinds = (
            ("ray.io/v1", "RayJob"),
            ("ray.io/v1", "RayCluster"),
            ("v1", "Pod"),
            ("kueue.x-k8s.io/v1beta2", "Workload"),
        )
        secrets = [one for one in api.list("v1", "Secret", namespace) if one["metadata"]["name"].startswith("job-")]
        return not secrets and not any(api.list(*kind, namespace) for kind in kinds)

    await eventually(nothing_left, within=WITHIN)


async def test_case_d3_an_image_that_does_not_exist_is_told_as_such(stage: Stage) -> None:
    project = await stage.project()
    spec = stage.job(project)
    await stage.enter(spec, image="does-not-exist")
    observed = await stage.until_cluster(spec, lambda seen: seen.trouble is not None)
    assert observed.trouble is not None
    assert observed.trouble.failure_class is FailureClass.IMAGE
    await stage.remove(spec.name)


async def test_machines_without_room_are_told_in_the_scheduler_s_words(stage: Stage) -> None:
    project = await stage.project()
    # Kueue counts the pool as a whole; no single machine has so much.
    spec = stage.job(project, workers(1, cpu=40))
    await stage.enter(spec)
    observed = await stage.until_cluster(spec, lambda seen: seen.trouble is not None)
    assert observed.trouble is not None
    assert not observed.trouble.is_final
    assert "nodes are available" in observed.trouble.message
    await stage.remove(spec.name)


async def test_another_engine_sees_the_same_and_starts_nothing_twice(stage: Stage) -> None:
    project = await stage.project()
    spec = stage.job(project, gpus(1))
    settings = settings_of(stage.cluster, environment={"SIMULATED_RUN": "600s"})
    other = KubernetesEngine(settings, KubeClient(settings.kubeconfig, 15), StaticPools(), NoReports())
    assert other.queue is not None
    await asyncio.gather(stage.enter(spec), other.queue.enter(spec), stage.enter(spec))
    await stage.until_ready(spec)

    async def same() -> bool:
        seen = await other.observe_cluster(spec.name)
        return seen is not None and seen.nodes_ready == 2

    await eventually(same, within=WITHIN)
    assert spec.place is not None
    assert spec.place.job in await other.names()
    clusters = stage.cluster.api.list("ray.io/v1", "RayCluster", names.namespace(project.slug))
    assert len(clusters) == 1
    await other.close()
    await stage.remove(spec.name)


async def test_a_named_cluster_is_queued_started_and_removed(stage: Stage) -> None:
    project = await stage.project()
    head = NodeGroup("head", "cpu", 1, 0.5, GIB)
    name = f"cls_{project.slug}"
    spec = ClusterSpec(name, project.slug, head, (workers(1),))
    engine = stage.engine()
    assert engine.queue is not None
    await engine.ensure_cluster(spec)

    async def ready() -> bool:
        await engine.ensure_cluster(spec)
        seen = await engine.observe_cluster(name)
        return seen is not None and seen.head_ready and seen.nodes_ready == 2

    await eventually(ready, within=WITHIN)
    queued = await engine.queue.observe(name)
    assert queued is not None
    assert queued.verdict.admitted
    await stage.remove(name)
    assert stage.pods(project) == []


async def test_a_pod_killed_by_hand_is_a_lost_node(stage: Stage) -> None:
    project = await stage.project()
    spec = stage.job(project, workers(2))
    await stage.enter(spec)
    await stage.until_ready(spec)
    head = next(pod for pod in stage.pods(project) if pod["metadata"]["labels"][names.GROUP] == "head")
    stage.cluster.api.delete("v1", "Pod", head["metadata"]["name"], names.namespace(project.slug))
    await stage.until_cluster(spec, lambda seen: "head" in seen.lost_nodes)
    await stage.remove(spec.name)
