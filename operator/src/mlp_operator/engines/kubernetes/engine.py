"""The compute engine of a Kubernetes cluster, behind the port that the local engine has too.

A job is one RayJob for as long as it keeps its place in Kueue's queue; each RayCluster that KubeRay makes for it is
one attempt, bound to the attempt's id by a label. A named cluster is one RayCluster, and a work on it a RayJob that
selects it. What is removed is removed in the foreground: an object is gone only after its pods are.
"""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import Callable
from typing import Protocol

import structlog

from mlp_core.domain.execution import ClusterObserved, Dashboard, WorkObserved
from mlp_operator.engines.kubernetes import client as kube
from mlp_operator.engines.kubernetes import names, observing
from mlp_operator.engines.kubernetes.causes import PodLook
from mlp_operator.engines.kubernetes.client import KubeClient
from mlp_operator.engines.kubernetes.commands import Commands
from mlp_operator.engines.kubernetes.lookup import EventLookup
from mlp_operator.engines.kubernetes.manifests import pods, rays
from mlp_operator.engines.kubernetes.manifests.tenancy import RAY_DASHBOARD_PORT
from mlp_operator.engines.kubernetes.observing import JobLook, WorkReport
from mlp_operator.engines.kubernetes.placement import Placement
from mlp_operator.engines.kubernetes.pools import Pools
from mlp_operator.engines.kubernetes.queue import (
    KueueQueue,
    project_of,
    remove,
    require_namespace,
    require_whole_gpus,
)
from mlp_operator.engines.kubernetes.reading import Manifest, is_going, label, text
from mlp_operator.engines.kubernetes.refusals import not_taken, worded
from mlp_operator.engines.kubernetes.settings import KubernetesSettings
from mlp_operator.engines.kubernetes.world import World
from mlp_operator.engines.port import ClusterSpec, ComputeEngine, EngineError, EngineQueue, WorkSpec

log = structlog.get_logger(__name__)

HANDED_SECONDS = 10.0
"""How long a work's Secret is taken to be there once it was written, while its nodes start."""


class Reports(Protocol):
    """What agents have told the api of a work's process."""

    async def of(self, work: str) -> WorkReport | None: ...


class KubernetesEngine(ComputeEngine):
    """Holds a picture of the cluster and no truth of its own: another one sees the same."""

    def __init__(
        self, settings: KubernetesSettings, client: KubeClient, pools: Pools, reports: Reports,
        changed: Callable[[str], None] = lambda _: None,
    ) -> None:  # fmt: skip
        self._settings = settings
        self._client = client
        self._pools = pools
        self._reports = reports
        self._world = World(settings, client, changed)
        self._events = EventLookup(client)
        self._commands = Commands(settings.kubeconfig, settings.request_seconds)
        self._handed: dict[str, float] = {}
        self._queue = KueueQueue(settings, client, self._world, pools)
        self.queue: EngineQueue | None = self._queue

    async def close(self) -> None:
        await self._world.close()
        await self._client.close()

    @worded
    async def names(self) -> frozenset[str]:
        await self._world.fresh()
        kinds = ("job:", "work:", "cluster:")
        found = self._world.ray_jobs.keys() | self._world.ray_clusters.keys()
        return frozenset(key.partition(":")[2] for key in found if key.startswith(kinds))

    # -- clusters ----------------------------------------------------------------------------------------------------

    @worded
    async def ensure_cluster(self, spec: ClusterSpec) -> None:
        await self._world.fresh()
        if spec.place is None:
            await self._ensure_named(spec)
            return
        ray_job = self._world.ray_job("job", spec.place.job)
        if ray_job is None:
            await self._queue.enter(spec)
        elif label(ray_job, names.ATTEMPT) != spec.name:
            await self._bind(ray_job, spec.name)

    async def _ensure_named(self, spec: ClusterSpec) -> None:
        there = self._world.named_cluster(spec.name)
        if there is not None:
            return
        require_whole_gpus(spec)
        manifest = rays.ray_cluster(spec, await self._pools.placements(), self._settings)
        await require_namespace(self._client, spec.project)
        try:
            made = await self._client.apply(manifest)
        except kube.ApiError as error:
            raise not_taken(error) from error
        self._world.ray_clusters.put_made(made)

    async def _bind(self, ray_job: Manifest, attempt: str) -> None:
        """The RayCluster that is there now becomes the attempt, for as long as it is."""
        if is_going(ray_job) or not (self._world.has_cluster(ray_job) or self._world.job(ray_job).has_ended):
            return
        current = text(ray_job, "status", "rayClusterName")
        metadata: Manifest = {
            "labels": {names.ATTEMPT: attempt},
            "annotations": {names.ATTEMPT_CLUSTER: current, names.CAUSE: None},
        }
        await self._write(ray_job, metadata)

    @worded
    async def observe_cluster(self, name: str) -> ClusterObserved | None:
        await self._world.fresh()
        ray_job = self._world.ray_job("attempt", name)
        if ray_job is not None:
            look = await self._look(ray_job)
            await self._note_cause(look)
            return observing.of_attempt(look)
        found = self._world.named_cluster(name)
        if found is None:
            return None
        namespace = text(found, "metadata", "namespace")
        looks = self._world.pods_of(namespace, text(found, "metadata", "name"))
        return observing.of_named(found, self._world.workload(found), await self._events.added(looks))

    @worded
    async def dashboard(self, name: str) -> Dashboard | None:
        """The head's service, and the token that KubeRay made for it.

        The operator may not read secrets. It marks this one as the platform's, and Kubernetes answers a change with
        what was changed.
        """
        await self._world.fresh()
        ray_job = self._world.ray_job("attempt", name)
        cluster = self._world.named_cluster(name) if ray_job is None else (await self._look(ray_job)).ray_cluster
        service = "" if cluster is None else text(cluster, "status", "head", "serviceName")
        if cluster is None or not service:
            return None
        namespace, ray_cluster = text(cluster, "metadata", "namespace"), text(cluster, "metadata", "name")
        secret = await self._client.annotate(kube.SECRET, namespace, ray_cluster, {"labels": dict(names.MANAGED)})
        token = "" if secret is None else text(secret, "data", "auth_token")
        if not token:
            return None
        url = f"http://{service}.{namespace}.svc:{RAY_DASHBOARD_PORT}"
        return Dashboard(url, base64.b64decode(token).decode("ascii"))

    @worded
    async def delete_cluster(self, name: str, *, keep_place: bool = False) -> None:
        await self._world.fresh()
        ray_job = self._world.ray_job("attempt", name)
        if ray_job is not None and keep_place and not self._world.job(ray_job).has_ended:
            await self._release(ray_job)
            return
        # An orphan is known by its job's id, because no attempt was ever bound to it.
        for found in (ray_job, self._world.ray_job("job", name), self._world.ray_job("work", name)):
            if found is not None:
                await remove(self._client, found)
        cluster = self._world.named_cluster(name)
        if cluster is not None:
            await remove(self._client, cluster)

    async def _release(self, ray_job: Manifest) -> None:
        """Let go of an attempt that Kueue has ended, once its pods are gone; the RayJob waits on in its queue."""
        namespace, look = text(ray_job, "metadata", "namespace"), self._world.job(ray_job)
        secret = names.work_secret(text(ray_job, "metadata", "name"))
        # First of all, so that pods of the next cluster wait for a Secret of their own.
        await self._client.delete(kube.SECRET, namespace, secret)
        if look.ray_cluster is not None and not is_going(look.ray_cluster) and not look.pods:
            await remove(self._client, look.ray_cluster)
            return
        if look.ray_cluster is not None or look.pods:
            return
        metadata: Manifest = {
            "labels": {names.ATTEMPT: None},
            "annotations": {names.ATTEMPT_CLUSTER: None, names.CAUSE: None},
        }
        await self._write(ray_job, metadata)

    # -- work --------------------------------------------------------------------------------------------------------

    @worded
    async def ensure_work(self, spec: WorkSpec) -> None:
        await self._world.fresh()
        if spec.cluster != spec.name:
            await self._ensure_work_on_named(spec)
            return
        ray_job = self._world.ray_job("attempt", spec.name)
        if ray_job is None or time.monotonic() - self._handed.get(spec.name, float("-inf")) < HANDED_SECONDS:
            return
        bound = self._world.job(ray_job).bound_to
        await self._client.apply(rays.work_secret(spec, project_of(ray_job), ray_job, bound))
        self._handed[spec.name] = time.monotonic()

    async def _ensure_work_on_named(self, spec: WorkSpec) -> None:
        cluster = self._world.named_cluster(spec.cluster)
        if cluster is None or is_going(cluster):
            raise EngineError(f"Cluster {spec.cluster} is not there to run {spec.name}.")
        if self._world.ray_job("work", spec.name) is not None:
            return
        project = project_of(cluster)
        made = await self._client.apply(
            rays.work_on_cluster(spec, project, self._settings, await self._head_placement(cluster))
        )
        name = text(cluster, "metadata", "name")
        await self._client.apply(rays.work_secret(spec, project, made, name))

    async def _head_placement(self, cluster: Manifest) -> Placement:
        pool = text(cluster, "spec", "headGroupSpec", "labels", "pool")
        return (await self._pools.placements()).get(pool) or Placement(pool)

    @worded
    async def observe_work(self, name: str, cluster: str) -> WorkObserved | None:
        await self._world.fresh()
        ray_job = self._world.ray_job("attempt" if name == cluster else "work", name)
        if ray_job is None:
            return None
        return observing.of_work(self._world.job(ray_job), await self._reports.of(name))

    @worded
    async def stop_work(self, name: str, cluster: str, grace_seconds: float, why: str) -> None:
        """Told to the launcher itself, and to the nodes of its Ray workers, whose processes look for the notice there.

        Where the head's pod takes no command, the end of the grace takes the cluster away.
        """
        await self._world.fresh()
        command = [*pods.PROGRAM, "stop", "--work", name, "--grace", f"{grace_seconds:g}", "--why", why]

        async def tell(look: PodLook) -> None:
            try:
                await self._commands.run(text(look.pod, "metadata", "namespace"), look.name, pods.AGENT, command)
            except EngineError as error:
                log.warning("stop_not_told", work=name, pod=look.name, reason=str(error))

        await asyncio.gather(*(tell(look) for look in self._running_pods(name, cluster)))

    def _running_pods(self, name: str, cluster: str) -> list[PodLook]:
        """Those of Ray that the work runs on."""
        if name == cluster:
            ray_job = self._world.ray_job("attempt", name)
            looks = self._world.job(ray_job).pods if ray_job is not None else ()
        else:
            found = self._world.named_cluster(cluster)
            namespace = text(found, "metadata", "namespace") if found is not None else ""
            looks = self._world.pods_of(namespace, names.object_name(cluster))
        return [look for look in looks if text(look.pod, "status", "phase") == "Running"]

    async def seal_work(self, name: str, cluster: str) -> None:
        """The pods do it by themselves: the launcher holds its exit until its agent has shipped everything."""

    @worded
    async def delete_work(self, name: str, cluster: str) -> None:
        self._handed.pop(name, None)
        if name == cluster:
            # It goes with its cluster.
            return
        await self._world.fresh()
        ray_job = self._world.ray_job("work", name)
        if ray_job is not None:
            await remove(self._client, ray_job)

    # -- shared ------------------------------------------------------------------------------------------------------

    async def _look(self, ray_job: Manifest) -> JobLook:
        look = self._world.job(ray_job)
        return JobLook(look.ray_job, look.workload, look.ray_cluster, await self._events.added(look.pods))

    async def _note_cause(self, look: JobLook) -> None:
        note = observing.cause_to_note(look)
        if note is not None:
            await self._write(look.ray_job, {"annotations": {names.CAUSE: note}})

    async def _write(self, manifest: Manifest, metadata: Manifest) -> None:
        """Labels and annotations of ours. The picture gets them at once, not only by the watch."""
        kind, namespace = kube.kind_of(manifest), text(manifest, "metadata", "namespace")
        written = await self._client.annotate(kind, namespace, text(manifest, "metadata", "name"), metadata)
        if written is not None:
            self._world.ray_jobs.put_newer(written)
