"""Kueue as the engine's queue: a job enters as a suspended RayJob and leaves by its removal."""

from __future__ import annotations

import math

from mlp_core.domain.execution import QueueObserved
from mlp_operator.engines.kubernetes import client as kube
from mlp_operator.engines.kubernetes import names, observing, queueing
from mlp_operator.engines.kubernetes.client import ApiError, KubeClient
from mlp_operator.engines.kubernetes.manifests import rays
from mlp_operator.engines.kubernetes.order import PendingWorkloads
from mlp_operator.engines.kubernetes.pools import Pools
from mlp_operator.engines.kubernetes.reading import Manifest, is_going, label, text
from mlp_operator.engines.kubernetes.refusals import not_taken, worded
from mlp_operator.engines.kubernetes.settings import KubernetesSettings
from mlp_operator.engines.kubernetes.world import World
from mlp_operator.engines.port import ClusterSpec, EngineError, EngineQueue, NotTakenError

_EPSILON = 1e-9


class KueueQueue(EngineQueue):
    def __init__(self, settings: KubernetesSettings, client: KubeClient, world: World, pools: Pools) -> None:
        self._settings = settings
        self._client = client
        self._world = world
        self._pools = pools
        self._pending = PendingWorkloads(client)

    @worded
    async def enter(self, spec: ClusterSpec) -> None:
        if spec.place is None:
            raise ValueError(f"{spec.name} has no place in a queue")
        await self._world.fresh()
        there = self._world.ray_job("job", spec.place.job)
        if there is not None and not is_going(there):
            return
        require_whole_gpus(spec)
        manifest = rays.ray_job(spec, spec.place, await self._pools.placements(), self._settings)
        await require_namespace(self._client, spec.project)
        await self._require_gone(manifest)
        try:
            # Whole and once: Kueue writes into the lists of its pod templates, which a second apply would take back.
            made = await self._client.apply(manifest)
        except ApiError as error:
            raise not_taken(error) from error
        self._world.ray_jobs.put_made(made)

    @worded
    async def observe(self, name: str) -> QueueObserved | None:
        await self._world.fresh()
        found = self._world.ray_job("job", name) or self._world.named_cluster(name)
        if found is None:
            return None
        workload = self._world.workload(found)
        neighbours = self._world.neighbours(workload) if queueing.is_passed_over(workload) else []
        return observing.of_queue(found, workload, neighbours)

    @worded
    async def order(self) -> list[str]:
        await self._world.fresh()
        waiting = self._world.waiting()
        projects = {label(owner, names.PROJECT) for owner in waiting.values()} - {""}
        order = await self._pending.of(names.cluster_queue(project) for project in projects)
        owners = (waiting.get((one.namespace, one.workload)) for one in order)
        return [label(owner, names.JOB) or label(owner, names.CLUSTER) for owner in owners if owner is not None]

    @worded
    async def leave(self, job: str) -> None:
        await self._world.fresh()
        found = self._world.ray_job("job", job)
        if found is not None:
            await remove(self._client, found)

    async def _require_gone(self, manifest: Manifest) -> None:
        """One of the same name that still goes would take the new one's place, and go."""
        metadata = manifest["metadata"]
        there = await self._client.get(kube.RAY_JOB, metadata["namespace"], metadata["name"])
        if there is not None and is_going(there):
            raise NotTakenError("WaitingForRemoval", "Waits until the pods of its last attempt are gone.")


def require_whole_gpus(spec: ClusterSpec) -> None:
    """A pod has its GPUs for itself, so nodes that would share one elsewhere take one each here.

    Raises:
        NotTakenError: it would take more GPUs than was asked for.
    """
    for group in spec.groups:
        sharing = math.floor(1 / group.gpu + _EPSILON) if 0 < group.gpu < 1 else 1
        if group.replicas > math.ceil(group.replicas / sharing):
            told = (
                f"On Kubernetes a node has whole GPUs: {group.replicas} nodes of {group.gpu:g} would take "
                f"{group.replicas}. Ask for {math.ceil(group.replicas / sharing)} of 1 GPU, and let Ray's tasks share "
                f"them (`num_gpus={group.gpu:g}`)."
            )
            raise NotTakenError("WholeGpusOnly", told)


async def require_namespace(client: KubeClient, project: str) -> None:
    """A namespace that is not the project's own is never used.

    Raises:
        NotTakenError: it is not there yet, goes, or belongs to somebody else.
    """
    name = names.namespace(project)
    try:
        found = await client.get(kube.NAMESPACE, None, name)
    except ApiError as error:
        raise not_taken(error) from error
    if found is None:
        raise NotTakenError("PreparingProject", f"Namespace '{name}' is being made.")
    if label(found, names.MANAGED_BY) != names.MANAGER or label(found, names.PROJECT) != project:
        text_ = f"Namespace '{name}' exists and is not the platform's; an administrator must rename or remove it."
        raise NotTakenError("NamespaceTaken", text_)
    if is_going(found):
        raise NotTakenError("PreparingProject", f"An older namespace '{name}' is still being removed.")


async def remove(client: KubeClient, manifest: Manifest) -> None:
    """Remove a RayJob or RayCluster so that it is gone only after everything below it: that is the proof."""
    if is_going(manifest):
        return
    await client.delete(
        kube.kind_of(manifest),
        text(manifest, "metadata", "namespace"),
        text(manifest, "metadata", "name"),
        uid=text(manifest, "metadata", "uid"),
    )


def project_of(manifest: Manifest) -> str:
    """The project an object of ours belongs to.

    Raises:
        EngineError: somebody has taken the label away.
    """
    project = label(manifest, names.PROJECT)
    if not project:
        raise EngineError(f"{text(manifest, 'metadata', 'name')} has lost its label {names.PROJECT}.")
    return project
