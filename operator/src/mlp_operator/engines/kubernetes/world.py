"""The engine's picture of the cluster: stores that reflectors keep, and looks at one job or cluster in them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from mlp_operator.engines.kubernetes import client as kube
from mlp_operator.engines.kubernetes import names
from mlp_operator.engines.kubernetes.causes import PodLook
from mlp_operator.engines.kubernetes.client import ApiError, KubeClient
from mlp_operator.engines.kubernetes.observing import SUSPENDED, JobLook
from mlp_operator.engines.kubernetes.reading import Manifest, annotation, condition, is_going, items, label, part, text
from mlp_operator.engines.kubernetes.requirements import Requirements
from mlp_operator.engines.kubernetes.settings import KubernetesSettings
from mlp_operator.engines.kubernetes.watching import Reflector, Store
from mlp_operator.engines.port import EngineAwayError

OURS = f"{names.MANAGED_BY}={names.MANAGER}"
_FIRST_LIST_SECONDS = 20.0


class World:
    """Begins to watch at the first look. Raises `EngineError` while what it knows cannot be believed."""

    def __init__(self, settings: KubernetesSettings, client: KubeClient, changed: Callable[[str], None]) -> None:
        """`changed` is told the ids of jobs and named clusters of which something was heard."""
        self._settings = settings
        self._tell = changed
        self._requirements = Requirements(client)
        self.ray_jobs = Store(_ray_job_keys)
        self.ray_clusters = Store(_ray_cluster_keys)
        self.workloads = Store(_workload_keys)
        self.pods = Store(_pod_keys)
        self.nodes = Store(_named)
        self._reflectors = [
            self._reflector(client, kube.RAY_JOB, self.ray_jobs, OURS),
            self._reflector(client, kube.RAY_CLUSTER, self.ray_clusters, OURS),
            self._reflector(client, kube.WORKLOAD, self.workloads, None),
            self._reflector(client, kube.POD, self.pods, OURS),
            self._reflector(client, kube.NODE, self.nodes, None),
        ]
        self._running: list[asyncio.Task[None]] = []

    async def fresh(self) -> None:
        """Return once the picture is whole and of now.

        Raises:
            EngineAwayError: KubeRay or Kueue is not there, or too old.
            EngineError: the API server was not heard for too long.
        """
        if not self._running:
            self._running = [asyncio.create_task(reflector.run()) for reflector in self._reflectors]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_FIRST_LIST_SECONDS):
                await asyncio.gather(*(reflector.tried.wait() for reflector in self._reflectors))
        for reflector in self._reflectors:
            if isinstance(reflector.error, ApiError) and reflector.error.status == 404:
                await self._requirements.require()
            # A watch breaks now and then, and is well again after a list; one that stays broken is not believed on.
            has_list = reflector.listed.is_set()
            if reflector.error is not None and not (
                has_list and reflector.broken_seconds < self._settings.stale_seconds
            ):
                raise reflector.error
            if not reflector.listed.is_set():
                raise EngineAwayError("ClusterAway", "The Kubernetes API has not answered yet.")
        await self._requirements.require()

    async def close(self) -> None:
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    # -- looks ---------------------------------------------------------------------------------------------------

    def ray_job(self, kind: str, id_: str) -> Manifest | None:
        """The RayJob of a `job`, an `attempt` or a `work` on a named cluster. The newest, where an older one goes."""
        return _newest(self.ray_jobs.by(f"{kind}:{id_}"))

    def named_cluster(self, id_: str) -> Manifest | None:
        return _newest(self.ray_clusters.by(f"cluster:{id_}"))

    def workload(self, owner: Manifest) -> Manifest | None:
        """The Workload by which Kueue knows a RayJob or RayCluster."""
        return _newest(self.workloads.by(f"owner:{text(owner, 'metadata', 'uid')}"))

    def neighbours(self, workload: Manifest | None) -> list[Manifest]:
        """All Workloads of the queue that one is in: each project has one."""
        return self.workloads.by(f"in:{text(workload, 'metadata', 'namespace')}") if workload is not None else []

    def waiting(self) -> dict[tuple[str, str], Manifest]:
        """RayJobs and RayClusters that Kueue holds back, by namespace and name of their Workload."""
        found: dict[tuple[str, str], Manifest] = {}
        for workload in self.workloads.all():
            owners = (str(owner["uid"]) for owner in items(workload, "metadata", "ownerReferences"))
            owner = _newest([one for uid in owners for one in self._owned_as(uid)])
            if owner is not None and condition(workload, "QuotaReserved") != "True":
                found[text(workload, "metadata", "namespace"), text(workload, "metadata", "name")] = owner
        return found

    def _owned_as(self, uid: str) -> list[Manifest]:
        return self.ray_jobs.by(f"uid:{uid}") or self.ray_clusters.by(f"uid:{uid}")

    def job(self, ray_job: Manifest) -> JobLook:
        namespace = text(ray_job, "metadata", "namespace")
        bound = annotation(ray_job, names.ATTEMPT_CLUSTER)
        cluster = _newest(self.ray_clusters.by(f"name:{namespace}/{bound}")) if bound else None
        pods = self.pods_of(namespace, bound) if bound else ()
        return JobLook(ray_job, self.workload(ray_job), cluster, pods)

    def has_cluster(self, ray_job: Manifest) -> bool:
        """Whether the RayCluster that a RayJob names is there and may be used.

        KubeRay names one also for a job that Kueue holds back, and forgets that name again.
        """
        if part(ray_job, "spec").get("suspend") is True or text(ray_job, "status", "jobDeploymentStatus") in SUSPENDED:
            return False
        namespace, name = text(ray_job, "metadata", "namespace"), text(ray_job, "status", "rayClusterName")
        found = _newest(self.ray_clusters.by(f"name:{namespace}/{name}")) if name else None
        return found is not None and not is_going(found)

    def pods_of(self, namespace: str, ray_cluster: str) -> tuple[PodLook, ...]:
        now = datetime.now(UTC)
        return tuple(
            PodLook(pod, now, self._is_ready(text(pod, "spec", "nodeName")), has_nodes=self._has_nodes(pod))
            for pod in self.pods.by(f"cluster:{namespace}/{ray_cluster}")
        )

    def _is_ready(self, node: str) -> bool | None:
        found = _newest(self.nodes.by(f"name:/{node}")) if node else None
        return None if found is None else condition(found, "Ready") == "True"

    def _has_nodes(self, pod: Manifest) -> bool | None:
        """Whether any node carries the labels that a pod without a node asks for."""
        wanted = part(pod, "spec", "nodeSelector")
        if text(pod, "spec", "nodeName") or not wanted:
            return None
        return any(wanted.items() <= part(node, "metadata", "labels").items() for node in self.nodes.all())

    # -- hearing ---------------------------------------------------------------------------------------------------

    def _reflector(self, client: KubeClient, kind: kube.Kind, store: Store, selector: str | None) -> Reflector:
        return Reflector(
            client, kind, store, selector=selector, resync_seconds=self._settings.resync_seconds, changed=self._changed
        )

    def _changed(self, manifest: Manifest) -> None:
        for id_ in (label(manifest, name) for name in (names.JOB, names.CLUSTER)):
            if id_:
                self._tell(id_)
        uid = label(manifest, names.JOB_UID)
        for owner in (self.ray_jobs.by(f"uid:{uid}") or self.ray_clusters.by(f"uid:{uid}")) if uid else ():
            self._tell(label(owner, names.JOB) or label(owner, names.CLUSTER))


def _newest(manifests: list[Manifest]) -> Manifest | None:
    return max(manifests, key=lambda one: text(one, "metadata", "creationTimestamp"), default=None)


def _named(manifest: Manifest) -> Iterable[str]:
    yield f"name:{text(manifest, 'metadata', 'namespace')}/{text(manifest, 'metadata', 'name')}"


def _ray_job_keys(manifest: Manifest) -> Iterable[str]:
    yield from _named(manifest)
    yield f"uid:{text(manifest, 'metadata', 'uid')}"
    for kind, name in (("job", names.JOB), ("attempt", names.ATTEMPT), ("work", names.WORK)):
        if label(manifest, name):
            yield f"{kind}:{label(manifest, name)}"


def _ray_cluster_keys(manifest: Manifest) -> Iterable[str]:
    yield from _named(manifest)
    yield f"uid:{text(manifest, 'metadata', 'uid')}"
    if label(manifest, names.CLUSTER):
        yield f"cluster:{label(manifest, names.CLUSTER)}"


def _workload_keys(manifest: Manifest) -> Iterable[str]:
    yield f"in:{text(manifest, 'metadata', 'namespace')}"
    for owner in items(manifest, "metadata", "ownerReferences"):
        yield f"owner:{owner['uid']}"


def _pod_keys(manifest: Manifest) -> Iterable[str]:
    yield f"cluster:{text(manifest, 'metadata', 'namespace')}/{label(manifest, names.RAY_CLUSTER)}"
