"""The engine on a real API server, with KubeRay and Kueue, over simulated nodes; the test is the reconciler."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from cluster.api import Object
from cluster.cluster import Cluster
from mlp_core.domain.execution import ClusterObserved, QueueObserved
from mlp_core.domain.packing import Shape
from mlp_operator.engines.kubernetes import names
from mlp_operator.engines.kubernetes.client import KubeClient
from mlp_operator.engines.kubernetes.engine import KubernetesEngine
from mlp_operator.engines.kubernetes.manifests.tenancy import Limits, Pool, Project
from mlp_operator.engines.kubernetes.observing import WorkReport
from mlp_operator.engines.kubernetes.placement import Placement
from mlp_operator.engines.kubernetes.settings import KubernetesSettings
from mlp_operator.engines.kubernetes.tenancy import Tenancy, Tenants
from mlp_operator.engines.port import ClusterSpec, NodeGroup, Place
from support.kubernetes_rights import operator_kubeconfig
from support.waiting import eventually

GIB = 2**30
WITHIN = 60.0
POOLS = (
    Pool(Placement("cpu", (("pool", "cpu"),)), Shape(16, 64 * GIB), 4),
    Pool(Placement("gpu", (("pool", "gpu"),), has_gpus=True), Shape(16, 64 * GIB, 4), 2),
)


NOWHERE = Pool(Placement("nowhere", (("pool", "nowhere"),)), Shape(16, 64 * GIB), 2)
"""No node carries its labels."""


class StaticPools:
    async def placements(self) -> dict[str, Placement]:
        return {pool.name: pool.placement for pool in (*POOLS, NOWHERE)}


class NoReports:
    """Simulated nodes run no agents."""

    async def of(self, work: str) -> WorkReport | None:
        return None


@dataclass
class Source:
    """The database's part of tenancy."""

    projects: dict[str, Project] = field(default_factory=dict[str, Project])
    deleted: set[str] = field(default_factory=set[str])
    notes: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])

    async def load(self) -> Tenants:
        return Tenants((*POOLS, NOWHERE), tuple(self.projects.values()), frozenset(self.deleted))

    async def note(self, project: Project, reason: str, message: str) -> None:
        self.notes.append((project.slug, reason, message))


@dataclass
class Stage:
    cluster: Cluster
    client: KubeClient
    source: Source
    tenancy: Tenancy
    engines: dict[str, KubernetesEngine] = field(default_factory=dict[str, KubernetesEngine])
    _count: int = 0

    def engine(self, run: str = "600s", image: str = "ray") -> KubernetesEngine:
        """An engine whose jobs end after `run`, by the simulated dashboard."""
        key = f"{run} {image}"
        if key not in self.engines:
            settings = settings_of(self.cluster, environment={"SIMULATED_RUN": run}, runtime_image=image)
            client = KubeClient(settings.kubeconfig, settings.request_seconds)
            self.engines[key] = KubernetesEngine(settings, client, StaticPools(), NoReports())
        return self.engines[key]

    async def project(self, team: str | None = None, limits: Limits | None = None, **guarantees: Shape) -> Project:
        """A new project whose queue is ready."""
        slug = f"t{uuid.uuid4().hex[:8]}"
        made = Project(f"prj_{slug}", slug, team or slug, limits or Limits(), tuple(guarantees.items()))
        self.source.projects[made.id] = made
        await self.tenancy.keep()

        async def is_active() -> bool:
            queue = self.cluster.api.get("kueue.x-k8s.io/v1beta2", "ClusterQueue", names.cluster_queue(slug))
            return any(
                one["type"] == "Active" and one["status"] == "True"
                for one in queue.get("status", {}).get("conditions", [])
            )

        await eventually(is_active, within=WITHIN)
        return made

    def job(self, project: Project, *groups: NodeGroup, priority: str = "normal") -> ClusterSpec:
        """A job of a new name; the head asks for half a core."""
        self._count += 1
        key = f"{project.slug}{self._count:02}"
        head = NodeGroup("head", "cpu", 1, 0.5, GIB)
        return ClusterSpec(f"att_{key}", project.slug, head, groups, Place(f"job_{key}", priority, 5, None))

    async def enter(self, spec: ClusterSpec, run: str = "600s", image: str = "ray") -> None:
        queue = self.engine(run, image).queue
        assert queue is not None
        await queue.enter(spec)

    async def queued(self, spec: ClusterSpec) -> QueueObserved | None:
        assert spec.place is not None
        queue = self.engine().queue
        assert queue is not None
        return await queue.observe(spec.place.job)

    async def queue_order(self) -> list[str]:
        """Ids of what waits, as the engine tells it."""
        queue = self.engine().queue
        assert queue is not None
        return list(await queue.order())

    async def until_reason(self, spec: ClusterSpec, *reasons: str) -> QueueObserved:
        async def said() -> QueueObserved | None:
            found = await self.queued(spec)
            return found if found is not None and found.verdict.reason in reasons else None

        return await eventually(said, within=WITHIN)

    async def until_cluster(
        self, spec: ClusterSpec, fits: Callable[[ClusterObserved], bool], attempt: str | None = None
    ) -> ClusterObserved:
        """Asking again and again, as a reconciler would, once Kueue has admitted the job."""
        await self.until_reason(spec, "Admitted")
        bound = replace(spec, name=attempt or spec.name)

        async def seen() -> ClusterObserved | None:
            await self.engine().ensure_cluster(bound)
            observed = await self.engine().observe_cluster(bound.name)
            return observed if observed is not None and fits(observed) else None

        return await eventually(seen, within=WITHIN)

    async def until_ready(self, spec: ClusterSpec, attempt: str | None = None) -> ClusterObserved:
        return await self.until_cluster(
            spec, lambda seen: seen.head_ready and seen.nodes_ready == seen.nodes_wanted, attempt
        )

    async def remove(self, name: str) -> None:
        async def gone() -> bool:
            await self.engine().delete_cluster(name)
            return await self.engine().observe_cluster(name) is None

        await eventually(gone, within=WITHIN)

    def pods(self, project: Project) -> list[Object]:
        return self.cluster.api.list("v1", "Pod", names.namespace(project.slug))


def settings_of(cluster: Cluster, **more: Any) -> KubernetesSettings:
    """The engine has the rights that the chart gives the operator, and no other."""
    base: dict[str, Any] = {"kubeconfig": operator_kubeconfig(cluster), "runtime_image": "ray"}
    return KubernetesSettings(**(base | more))


def workers(count: int, cpu: float = 1.0) -> NodeGroup:
    return NodeGroup("prep", "cpu", count, cpu, GIB)


def gpus(count: int, each: float = 1.0) -> NodeGroup:
    return NodeGroup("train", "gpu", count, 1, GIB, gpu=each)


def job_of(spec: ClusterSpec) -> str:
    assert spec.place is not None
    return spec.place.job
