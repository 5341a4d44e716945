"""What a project, a team, a pool and a priority are in the cluster. Pure.

A project's queue guarantees its own share of each pool and borrows the rest, up to its limit; what it lends out it
takes back by preemption. What no project has been guaranteed belongs to the root cohort, for everyone to borrow.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from mlp.schemas.phases import Priority
from mlp_core.domain.admission import Limits
from mlp_core.domain.packing import NOTHING, Shape
from mlp_operator.engines.kubernetes import names
from mlp_operator.engines.kubernetes.manifests import quantities
from mlp_operator.engines.kubernetes.placement import GPU, Placement
from mlp_operator.engines.kubernetes.settings import KubernetesSettings

Manifest = dict[str, Any]

KUEUE = "kueue.x-k8s.io/v1beta2"
COVERED = ("cpu", "memory", GPU)
PRIORITY_VALUES = {Priority.LOW: 100, Priority.NORMAL: 1000, Priority.HIGH: 10_000}
BACKSTOP_FACTOR = 2
"""Pods that still end count beside the ones that start, so the backstop leaves room for both."""
BACKSTOP_PODS = 10_000
RAY_DASHBOARD_PORT = 8265


@dataclass(frozen=True, slots=True)
class Pool:
    placement: Placement
    machine: Shape
    machines: int

    @property
    def name(self) -> str:
        return self.placement.pool

    @property
    def capacity(self) -> Shape:
        return self.machine.times(self.machines)


@dataclass(frozen=True, slots=True)
class Project:
    id: str
    slug: str
    team: str
    limits: Limits = field(default_factory=Limits)
    guarantees: tuple[tuple[str, Shape], ...] = field(default=())
    """By pool: lent out while the project does not use it, and taken back when it does."""


def shared_objects(pools: Iterable[Pool], projects: Iterable[Project]) -> list[Manifest]:
    """What all projects stand on: priorities, flavors, and the tree of cohorts."""
    pools, projects = sorted(pools, key=lambda pool: pool.name), list(projects)
    cohorts = [_cohort(names.ROOT_COHORT, None, [(pool, _not_guaranteed(pool, projects)) for pool in pools])]
    cohorts += [_cohort(names.cohort(team), names.ROOT_COHORT, []) for team in sorted({one.team for one in projects})]
    return [*(_priority(priority) for priority in Priority), *(_flavor(pool) for pool in pools), *cohorts]


def project_objects(project: Project, pools: Iterable[Pool], settings: KubernetesSettings) -> list[Manifest]:
    """Everything a project is, in the order in which it can be made."""
    pools = sorted(pools, key=lambda pool: pool.name)
    return [
        _namespace(project),
        _service_account(project, settings),
        _role(project),
        _role_binding(project),
        *_network_policies(project, settings),
        _resource_quota(project, pools),
        _cluster_queue(project, pools),
        _local_queue(project),
    ]


def _labels(project: Project) -> dict[str, str]:
    return {
        **names.MANAGED,
        names.PROJECT: project.slug,
        names.PROJECT_ID: project.id,
        names.TEAM: project.team,
    }


def _namespace(project: Project) -> Manifest:
    security = {
        f"pod-security.kubernetes.io/{mode}{suffix}": value
        for mode in ("enforce", "audit", "warn")
        for suffix, value in (("", "restricted"), ("-version", "latest"))
    }
    metadata = {"name": names.namespace(project.slug), "labels": {**_labels(project), **security}}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


def _in_namespace(api: str, kind: str, name: str, project: Project, **body: Any) -> Manifest:
    metadata = {"name": name, "namespace": names.namespace(project.slug), "labels": _labels(project)}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **body}


def _service_account(project: Project, settings: KubernetesSettings) -> Manifest:
    secrets = [{"name": settings.image_pull_secret}] if settings.image_pull_secret else []
    body: Manifest = {"automountServiceAccountToken": False}
    return _in_namespace(
        "v1",
        "ServiceAccount",
        names.SERVICE_ACCOUNT,
        project,
        **(body | ({"imagePullSecrets": secrets} if secrets else {})),
    )


def _role(project: Project) -> Manifest:
    """Nothing at all: fixed-size clusters ask the API server for nothing."""
    return _in_namespace("rbac.authorization.k8s.io/v1", "Role", names.SERVICE_ACCOUNT, project, rules=[])


def _role_binding(project: Project) -> Manifest:
    subject = {"kind": "ServiceAccount", "name": names.SERVICE_ACCOUNT, "namespace": names.namespace(project.slug)}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": names.SERVICE_ACCOUNT}
    return _in_namespace(
        "rbac.authorization.k8s.io/v1",
        "RoleBinding",
        names.SERVICE_ACCOUNT,
        project,
        roleRef=role,
        subjects=[subject],
    )


def _network_policies(project: Project, settings: KubernetesSettings) -> list[Manifest]:
    """Nothing may pass but what follows: Ray among its own pods, names, the platform, and KubeRay's look at heads."""

    def policy(name: str, **spec: Any) -> Manifest:
        return _in_namespace("networking.k8s.io/v1", "NetworkPolicy", name, project, spec=spec)

    both = ["Ingress", "Egress"]
    everything: Manifest = {}
    own = [{"podSelector": everything}]
    dns = [{"protocol": protocol, "port": 53} for protocol in ("UDP", "TCP")]
    destinations: list[Manifest] = [{"to": [{"ipBlock": {"cidr": cidr}}]} for cidr in settings.egress_cidrs]
    return [
        policy("default-deny", podSelector=everything, policyTypes=both),
        policy("within", podSelector=everything, policyTypes=both, ingress=[{"from": own}], egress=[{"to": own}]),
        policy(
            "outward",
            podSelector=everything,
            policyTypes=["Egress"],
            egress=[
                {"to": [_namespace_selector(settings.dns_namespace)], "ports": dns},
                {"to": [_api(settings)], "ports": [{"protocol": "TCP", "port": settings.api_port}]},
                *destinations,
            ],
        ),
        policy(
            "dashboards",
            podSelector={"matchLabels": {names.RAY_NODE_TYPE: "head"}},
            policyTypes=["Ingress"],
            ingress=[
                {
                    "from": [_namespace_selector(settings.kuberay_namespace), _api(settings)],
                    "ports": [{"protocol": "TCP", "port": RAY_DASHBOARD_PORT}],
                }
            ],
        ),
    ]


def _api(settings: KubernetesSettings) -> Manifest:
    pods = {"podSelector": {"matchLabels": {"app.kubernetes.io/component": "api"}}}
    return {**_namespace_selector(settings.platform_namespace), **pods}


def _namespace_selector(name: str) -> Manifest:
    return {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": name}}}


def _resource_quota(project: Project, pools: list[Pool]) -> Manifest:
    """For the day on which Kueue is passed by: never tighter than what Kueue itself allows."""
    whole = _total(pools)
    limits = project.limits
    hard = {
        "pods": str(BACKSTOP_PODS),
        "requests.cpu": quantities.cores(BACKSTOP_FACTOR * _least(limits.cpu, whole.cpu)),
        "requests.memory": quantities.memory(BACKSTOP_FACTOR * int(_least(limits.memory_bytes, whole.memory_bytes))),
        f"requests.{GPU}": str(BACKSTOP_FACTOR * int(_least(limits.gpu, whole.gpu))),
    }
    return _in_namespace("v1", "ResourceQuota", "backstop", project, spec={"hard": hard})


def _cluster_queue(project: Project, pools: list[Pool]) -> Manifest:
    guarantees = dict(project.guarantees)
    spec: Manifest = {
        "cohortName": names.cohort(project.team),
        "namespaceSelector": {"matchLabels": {names.PROJECT: project.slug}},
        "queueingStrategy": "BestEffortFIFO",
        # With the default the reason of a wait flaps between flavors; see `causes`.
        "flavorFungibility": {"whenCanBorrow": "TryNextFlavor", "whenCanPreempt": "TryNextFlavor"},
        "preemption": {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"},
        "resourceGroups": _groups(
            [(pool, guarantees.get(pool.name, NOTHING), project.limits) for pool in pools]
        ),
    }  # fmt: skip
    metadata = {"name": names.cluster_queue(project.slug), "labels": _labels(project)}
    return {"apiVersion": KUEUE, "kind": "ClusterQueue", "metadata": metadata, "spec": spec}


def _local_queue(project: Project) -> Manifest:
    spec = {"clusterQueue": names.cluster_queue(project.slug)}
    return _in_namespace(KUEUE, "LocalQueue", names.LOCAL_QUEUE, project, spec=spec)


def _not_guaranteed(pool: Pool, projects: list[Project]) -> Shape:
    given = [amount for project in projects for name, amount in project.guarantees if name == pool.name]
    return Shape(
        max(0.0, pool.capacity.cpu - sum(amount.cpu for amount in given)),
        max(0, pool.capacity.memory_bytes - sum(amount.memory_bytes for amount in given)),
        max(0.0, pool.capacity.gpu - sum(amount.gpu for amount in given)),
    )


def _cohort(name: str, parent: str | None, shares: list[tuple[Pool, Shape]]) -> Manifest:
    spec: Manifest = {"parentName": parent} if parent is not None else {}
    groups = _groups([(pool, share, None) for pool, share in shares])
    if groups:
        spec["resourceGroups"] = groups
    return {
        "apiVersion": KUEUE,
        "kind": "Cohort",
        "metadata": {"name": name, "labels": dict(names.MANAGED)},
        "spec": spec,
    }


def _groups(shares: list[tuple[Pool, Shape, Limits | None]]) -> list[Manifest]:
    if not shares:
        return []
    flavors = [
        {"name": names.flavor(pool.name), "resources": _resources(pool, nominal, limits)}
        for pool, nominal, limits in shares
    ]
    return [{"coveredResources": list(COVERED), "flavors": flavors}]


def _resources(pool: Pool, nominal: Shape, limits: Limits | None) -> list[Manifest]:
    """Kueue bounds by flavor and a project's limit is over all of them, so each flavor alone may reach the limit.

    The platform's own check at submit keeps the sum.
    """
    rows = (
        ("cpu", nominal.cpu, limits.cpu if limits else None, pool.capacity.cpu, quantities.cores),
        ("memory", nominal.memory_bytes, limits.memory_bytes if limits else None, pool.capacity.memory_bytes, _bytes),
        (GPU, nominal.gpu, limits.gpu if limits else None, pool.capacity.gpu, _whole),
    )
    resources: list[Manifest] = []
    for name, guaranteed, limit, capacity, write in rows:
        resource: Manifest = {"name": name, "nominalQuota": write(guaranteed)}
        if limits is not None and limit is not None:
            resource["borrowingLimit"] = write(max(0, min(limit, capacity) - guaranteed))
        resources.append(resource)
    return resources


def _bytes(value: float) -> str:
    return quantities.memory(int(value))


def _whole(value: float) -> str:
    return str(int(value))


def _flavor(pool: Pool) -> Manifest:
    placement = pool.placement
    spec: Manifest = {"nodeLabels": placement.node_labels}
    if placement.taints:
        spec["nodeTaints"] = placement.taints
    metadata = {"name": names.flavor(pool.name), "labels": dict(names.MANAGED)}
    return {"apiVersion": KUEUE, "kind": "ResourceFlavor", "metadata": metadata, "spec": spec}


def _priority(priority: Priority) -> Manifest:
    return {
        "apiVersion": KUEUE,
        "kind": "WorkloadPriorityClass",
        "metadata": {"name": names.priority_class(priority.value), "labels": dict(names.MANAGED)},
        "value": PRIORITY_VALUES[priority],
        "description": f"Jobs of priority {priority.value}.",
    }


def _total(pools: list[Pool]) -> Shape:
    return reduce(Shape.plus, (pool.capacity for pool in pools), NOTHING)


def _least(limit: float | None, whole: float) -> float:
    return whole if limit is None else min(limit, whole)
