"""Bad input and a bad API server: each is a state with words, nothing is lost, and it goes on by itself."""

from __future__ import annotations

import copy
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from mlp.schemas.phases import FailureClass
from mlp_core.domain.admission import Limits
from mlp_core.domain.execution import ClusterObserved
from mlp_operator.engines.kubernetes import names
from mlp_operator.engines.kubernetes.client import KubeClient
from mlp_operator.engines.kubernetes.engine import KubernetesEngine
from mlp_operator.engines.port import ClusterSpec, EngineAwayError, NodeGroup, NotTakenError
from support.kube_proxy import Answer, KubeProxy, Rule, slow, throttled, without
from support.kubernetes_rights import ACCOUNT, NAMESPACE, token_of
from support.kubernetes_stage import GIB, WITHIN, NoReports, Stage, StaticPools, job_of, settings_of, workers
from support.waiting import eventually

pytestmark = pytest.mark.timeout(600)
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@dataclass
class Proxied:
    """An engine whose way to the API server leads through the proxy."""

    engine: KubernetesEngine
    proxy: KubeProxy
    kubeconfig: Path
    token: str

    async def enter(self, spec: ClusterSpec) -> None:
        assert self.engine.queue is not None
        await self.engine.queue.enter(spec)

    async def until_entered(self, spec: ClusterSpec) -> None:
        """As a reconciler would: again and again, until it is taken."""

        async def taken() -> bool:
            try:
                await self.enter(spec)
            except EngineAwayError:
                return False
            return True

        await eventually(taken, within=WITHIN)

    async def until_ready(self, spec: ClusterSpec) -> ClusterObserved:
        async def ready() -> ClusterObserved | None:
            try:
                await self.engine.ensure_cluster(spec)
                seen = await self.engine.observe_cluster(spec.name)
            except EngineAwayError:
                return None
            return seen if seen is not None and seen.nodes_ready == seen.nodes_wanted else None

        return await eventually(ready, within=WITHIN)

    async def refusal(self, spec: ClusterSpec) -> EngineAwayError:
        with pytest.raises(EngineAwayError) as refused:
            await self.enter(spec)
        return refused.value


@asynccontextmanager
async def proxied(stage: Stage, folder: Path, *rules: Rule, **settings: Any) -> AsyncGenerator[Proxied]:
    plane = stage.cluster.plane
    proxy = await KubeProxy(plane.url, plane.authority.pem.decode(), list(rules)).start()
    kubeconfig, token = folder / "proxied.kubeconfig", token_of(stage.cluster, NAMESPACE, ACCOUNT)
    kubeconfig.write_text(proxy.kubeconfig(token))
    chosen = settings_of(
        stage.cluster, kubeconfig=kubeconfig, environment={"SIMULATED_RUN": "600s"}, stale_seconds=3, **settings
    )
    client = KubeClient(kubeconfig, chosen.request_seconds)
    engine = KubernetesEngine(chosen, client, StaticPools(), NoReports())
    try:
        yield Proxied(engine, proxy, kubeconfig, token)
    finally:
        await engine.close()
        await proxy.stop()


def ray_jobs(stage: Stage, spec: ClusterSpec) -> list[Any]:
    return stage.cluster.api.list("ray.io/v1", "RayJob", names.namespace(spec.project))


# -- the API server ---------------------------------------------------------------------------------------------------


async def test_every_second_request_refused_as_too_many_costs_time_and_nothing_else(
    stage: Stage, tmp_path: Path
) -> None:
    spec = stage.job(await stage.project(), workers(1))
    async with proxied(stage, tmp_path, throttled(2)) as world:
        await world.until_entered(spec)
        await world.until_ready(spec)
        assert len(ray_jobs(stage, spec)) == 1
        await stage.remove(spec.name)


async def test_while_no_write_is_taken_the_job_says_so_and_enters_later(stage: Stage, tmp_path: Path) -> None:
    spec = stage.job(await stage.project())
    async with proxied(stage, tmp_path, throttled(1, "PATCH"), request_seconds=4) as world:
        refused = await world.refusal(spec)
        assert (refused.reason, ray_jobs(stage, spec)) == ("ClusterBusy", [])
        assert "goes on soon" in str(refused)
        patches = [path for method, path in world.proxy.seen if method == "PATCH"]
        assert 1 < len(patches) < 8, "it asks again, and when the server says"
        world.proxy.rules.clear()
        await world.until_entered(spec)
        assert len(ray_jobs(stage, spec)) == 1
        await stage.remove(job_of(spec))


async def test_slow_answers_are_waited_for_and_too_slow_ones_are_told(stage: Stage, tmp_path: Path) -> None:
    spec = stage.job(await stage.project(), workers(1))
    async with proxied(stage, tmp_path, slow(1.5), request_seconds=6) as world:
        await world.until_entered(spec)
        await world.until_ready(spec)
        world.proxy.rules[:] = [slow(60)]
        another = replace(stage.job(await stage.project()), project=spec.project)
        refused = await world.refusal(another)
        assert refused.reason == "ClusterAway"
        assert "did not answer within 6 s" in str(refused)
        world.proxy.rules.clear()
        await world.until_entered(another)
        assert len(ray_jobs(stage, spec)) == 2
        await stage.remove(job_of(another))
        await stage.remove(spec.name)


async def test_expired_credentials_are_told_and_renewed_ones_are_taken_up(stage: Stage, tmp_path: Path) -> None:
    spec = stage.job(await stage.project())
    async with proxied(stage, tmp_path) as world:
        world.kubeconfig.write_text(world.proxy.kubeconfig("expired"))
        refused = await world.refusal(spec)
        assert refused.reason == "ClusterRefuses"
        assert "an administrator must renew them" in str(refused)
        world.kubeconfig.write_text(world.proxy.kubeconfig(world.token))
        await world.until_entered(spec)
        await world.until_ready(spec)
        await stage.remove(spec.name)


# -- KubeRay and Kueue ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hidden", "told"),
    [
        (("/apis/ray.io/", f"{DEFINITIONS}/ray"), "KubeRay is not installed: the cluster lacks rayclusters.ray.io"),
        (("/apis/kueue.x-k8s.io/", f"{DEFINITIONS}/workloads"), "Kueue is not installed: the cluster lacks workloads"),
    ],
    ids=["KubeRay", "Kueue"],
)
async def test_what_is_not_installed_is_named_and_used_once_it_is(
    stage: Stage, tmp_path: Path, hidden: tuple[str, ...], told: str
) -> None:
    spec = stage.job(await stage.project())
    async with proxied(stage, tmp_path, without(*hidden)) as world:
        refused = await world.refusal(spec)
        assert (refused.reason, told in str(refused)) == ("ClusterNotReady", True), str(refused)
        world.proxy.rules.clear()
        await world.until_entered(spec)
        await world.until_ready(spec)
        await stage.remove(spec.name)


async def test_an_older_kuberay_that_would_drop_the_token_is_refused(stage: Stage, tmp_path: Path) -> None:
    spec = stage.job(await stage.project())
    async with proxied(stage, tmp_path) as world:

        async def older(request: web.Request) -> Answer:
            if request.path != f"{DEFINITIONS}/rayjobs.ray.io":
                return None
            definition = copy.deepcopy(await world.proxy.fetch(request))
            for version in definition["spec"]["versions"]:
                job = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
                job["rayClusterSpec"]["properties"].pop("authOptions", None)
            return web.json_response(definition)

        world.proxy.rules.append(older)
        refused = await world.refusal(spec)
        assert refused.reason == "ClusterNotReady"
        assert "KubeRay is too old: rayjobs.ray.io lacks rayClusterSpec.authOptions" in str(refused)
        assert ray_jobs(stage, spec) == []


# -- tenants, quotas and pools ----------------------------------------------------------------------------------------


async def test_neither_job_nor_cluster_goes_into_a_namespace_of_somebody_else(stage: Stage) -> None:
    api, slug = stage.cluster.api, "somebody-elses"
    api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": names.namespace(slug)}})
    head = NodeGroup("head", "cpu", 1, 0.5, GIB)
    try:
        job = stage.job(replace(await stage.project(), slug=slug))
        with pytest.raises(NotTakenError, match="is not the platform's") as refused:
            await stage.enter(job)
        assert refused.value.reason == "NamespaceTaken"
        with pytest.raises(NotTakenError, match="is not the platform's"):
            await stage.engine().ensure_cluster(ClusterSpec("cls_elsewhere", slug, head, ()))
        for kind in ("RayJob", "RayCluster"):
            assert api.list("ray.io/v1", kind, names.namespace(slug)) == []
    finally:
        api.delete("v1", "Namespace", names.namespace(slug))


async def test_a_quota_below_what_runs_ends_nothing_and_lets_nothing_new_start(stage: Stage) -> None:
    project = await stage.project(limits=Limits(cpu=6))
    runs = stage.job(project, workers(3))
    await stage.enter(runs)
    await stage.until_ready(runs)
    pods = {pod["metadata"]["uid"] for pod in stage.pods(project)}
    stage.source.projects[project.id] = replace(project, limits=Limits(cpu=2))
    await stage.tenancy.keep()
    fits, never = stage.job(project), stage.job(project, workers(4))
    await stage.enter(fits)
    await stage.enter(never)
    waits = await stage.until_reason(fits, "WaitingForQuota")
    assert "quota" in waits.verdict.message
    told = await stage.until_reason(never, "ExceedsMaxQuota")
    assert "cannot start unless its quota grows" in told.verdict.message
    assert pods <= {pod["metadata"]["uid"] for pod in stage.pods(project)}, "the submitter may have come, nothing went"
    observed = await stage.engine().observe_cluster(runs.name)
    assert observed is not None
    assert (observed.nodes_ready, observed.trouble) == (4, None)
    await stage.remove(runs.name)
    await stage.until_ready(fits)
    await stage.remove(fits.name)
    await stage.remove(job_of(never))


async def test_a_pool_whose_labels_match_no_node_is_named(stage: Stage) -> None:
    project = await stage.project()
    spec = stage.job(project, NodeGroup("prep", "nowhere", 1, 1, GIB))
    await stage.enter(spec)
    observed = await stage.until_cluster(spec, lambda seen: seen.trouble is not None)
    assert observed.trouble is not None
    assert not observed.trouble.is_final, "a machine may still come"
    assert "No node of the cluster carries the labels of prep's pool (pool=nowhere): " in observed.trouble.message
    assert "nodes are available" in observed.trouble.message
    await stage.remove(spec.name)


async def test_an_image_that_does_not_exist_ends_and_gives_its_quota_back(stage: Stage) -> None:
    project = await stage.project(limits=Limits(cpu=1))
    spec, later = stage.job(project), stage.job(project)
    await stage.enter(spec, image="does-not-exist")
    await stage.enter(later)
    observed = await stage.until_cluster(spec, lambda seen: seen.trouble is not None)
    assert observed.trouble is not None
    assert observed.trouble.failure_class is FailureClass.IMAGE
    await stage.remove(spec.name)
    await stage.until_ready(later)
    await stage.remove(later.name)
