"""Ray jobs and the queues they wait in, as plain manifests for tests of the cluster itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cluster.api import KubernetesApi, Object
from cluster.nodes import GPU, GPU_TAINT

RAY_VERSION = "2.60.0"
KUEUE = "kueue.x-k8s.io/v1beta2"
SUBMITTER = {"cpu": "100m", "memory": "200Mi"}


def flavors() -> list[Object]:
    """The flavors `cpu` and `gpu`, over the nodes that the label `pool` names so."""
    specs: dict[str, Object] = {
        "cpu": {"nodeLabels": {"pool": "cpu"}},
        "gpu": {"nodeLabels": {"pool": "gpu"}, "nodeTaints": [GPU_TAINT]},
    }
    return [
        {"apiVersion": KUEUE, "kind": "ResourceFlavor", "metadata": {"name": name}, "spec": spec}
        for name, spec in specs.items()
    ]


def cluster_queue(name: str, cpus: int, gpus: int, cohort: str | None = None) -> Object:
    """A queue with `cpus` of flavor cpu, and `gpus` with as many CPUs of flavor gpu."""
    # With the default, a waiting job's reason jumps to the flavor that was looked at last.
    next_flavor = {"whenCanBorrow": "TryNextFlavor", "whenCanPreempt": "TryNextFlavor"}
    quotas = [_flavor_quota("cpu", cpus, 0), _flavor_quota("gpu", gpus, gpus)]
    spec: Object = {
        "namespaceSelector": {},
        "queueingStrategy": "BestEffortFIFO",
        "preemption": {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"},
        "flavorFungibility": next_flavor,
        "resourceGroups": [{"coveredResources": ["cpu", "memory", GPU], "flavors": quotas}],
    }
    if cohort is not None:
        spec["cohortName"] = cohort
    return {"apiVersion": KUEUE, "kind": "ClusterQueue", "metadata": {"name": name}, "spec": spec}


def local_queue(namespace: str, queue: str) -> Object:
    """The queue `default` of a namespace, in front of a cluster queue."""
    metadata = {"name": "default", "namespace": namespace}
    return {"apiVersion": KUEUE, "kind": "LocalQueue", "metadata": metadata, "spec": {"clusterQueue": queue}}


@dataclass(frozen=True)
class Pods:
    """What all pods of a job have in common."""

    image: str = "ray"
    cpu: str = "1"
    """Requested by each; true nodes share the machine's few."""
    memory: str = "2Gi"
    limits: Mapping[str, str] = field(default_factory=dict[str, str])
    """Where they are above the requests."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    start: Mapping[str, str] = field(default_factory=dict[str, str])
    """Further parameters of `ray start`."""

    def template(self, gpus: int = 0) -> Object:
        """A pod with `gpus` GPUs."""
        wanted = {"cpu": self.cpu, "memory": self.memory} | ({GPU: str(gpus)} if gpus else {})
        container: Object = {"name": "ray", "image": self.image, "resources": {"requests": wanted}}
        container["resources"]["limits"] = wanted | dict(self.limits)
        container["env"] = [{"name": key, "value": value} for key, value in self.environment.items()]
        spec: Object = {"containers": [container]}
        if gpus:
            spec["tolerations"] = [{"key": GPU, "operator": "Exists", "effect": "NoSchedule"}]
        return {"spec": spec}


SIMULATED_PODS = Pods()


def ending(run: str) -> Pods:
    """Simulated pods, whose job runs for a time and then ends, as in "2s" or "2s exit 1"."""
    return Pods(environment={"SIMULATED_RUN": run})


def ray_job(
    namespace: str,
    name: str,
    *,
    cpu_workers: int = 0,
    gpu_workers: int = 0,
    pods: Pods = SIMULATED_PODS,
    entrypoint: str = "python main.py",
) -> Object:
    """A RayJob with a head and up to two groups of workers, submitted by a pod of its own."""
    groups: list[Object] = []
    if cpu_workers:
        groups.append(_group("cpu", cpu_workers, pods.template(), pods.start))
    if gpu_workers:
        groups.append(_group("gpu", gpu_workers, pods.template(gpus=1), pods.start))
    submitter = {"name": "ray-job-submitter", "image": pods.image, "resources": {"requests": SUBMITTER}}
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayJob",
        "metadata": {"name": name, "namespace": namespace, "labels": {"kueue.x-k8s.io/queue-name": "default"}},
        "spec": {
            "entrypoint": entrypoint,
            "submissionMode": "K8sJobMode",
            "submitterPodTemplate": {"spec": {"restartPolicy": "Never", "containers": [submitter]}},
            "shutdownAfterJobFinishes": True,
            "ttlSecondsAfterFinished": 0,
            "rayClusterSpec": {
                "rayVersion": RAY_VERSION,
                "authOptions": {"mode": "token"},
                "headGroupSpec": {"rayStartParams": {"num-cpus": "0", **pods.start}, "template": pods.template()},
                "workerGroupSpecs": groups,
            },
        },
    }


def workload_of(api: KubernetesApi, job: Object) -> Object | None:
    """Kueue's Workload for a job, once there is one."""
    name, namespace = job["metadata"]["name"], job["metadata"]["namespace"]
    for workload in api.list(KUEUE, "Workload", namespace):
        if any(owner["name"] == name for owner in workload["metadata"].get("ownerReferences", [])):
            return workload
    return None


def _group(name: str, count: int, template: Object, start: Mapping[str, str]) -> Object:
    size = {"replicas": count, "minReplicas": count, "maxReplicas": count}
    return {"groupName": name, "rayStartParams": dict(start), "template": template, **size}


def _flavor_quota(name: str, cpus: int, gpus: int) -> dict[str, Any]:
    quotas = {"cpu": cpus, "memory": f"{4 * max(cpus, gpus)}Gi", GPU: gpus}
    return {"name": name, "resources": [{"name": key, "nominalQuota": value} for key, value in quotas.items()]}
