"""Ray jobs and the queues they wait in, as plain manifests for tests of the cluster itself."""

from __future__ import annotations

from typing import Any

from cluster.api import KubernetesApi, Object
from cluster.nodes import GPU, GPU_TAINT

RAY_VERSION = "2.60.0"
KUEUE = "kueue.x-k8s.io/v1beta2"
SUBMITTER = {"cpu": "500m", "memory": "200Mi"}


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


def ray_job(namespace: str, name: str, *, cpu_workers: int = 0, gpu_workers: int = 0, run: str = "2s") -> Object:
    """A RayJob with a head and up to two groups of workers of one CPU each; `run` as simulated heads read it."""
    head = pod_template(env={"SIMULATED_RUN": run})
    groups: list[Object] = []
    if cpu_workers:
        groups.append(_group("cpu", cpu_workers, pod_template()))
    if gpu_workers:
        groups.append(_group("gpu", gpu_workers, pod_template(gpus=1)))
    container = {"name": "ray-job-submitter", "image": "ray", "resources": _resources(SUBMITTER)}
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayJob",
        "metadata": {"name": name, "namespace": namespace, "labels": {"kueue.x-k8s.io/queue-name": "default"}},
        "spec": {
            "entrypoint": "python main.py",
            "submissionMode": "K8sJobMode",
            "submitterPodTemplate": {"spec": {"restartPolicy": "Never", "containers": [container]}},
            "shutdownAfterJobFinishes": True,
            "ttlSecondsAfterFinished": 0,
            "rayClusterSpec": {
                "rayVersion": RAY_VERSION,
                "authOptions": {"mode": "token"},
                "headGroupSpec": {"rayStartParams": {"num-cpus": "0"}, "template": head},
                "workerGroupSpecs": groups,
            },
        },
    }


def pod_template(gpus: int = 0, env: dict[str, str] | None = None) -> Object:
    """A pod of one CPU, 2 GiB and `gpus` GPUs."""
    wanted = {"cpu": "1", "memory": "2Gi"} | ({GPU: str(gpus)} if gpus else {})
    container: Object = {"name": "ray", "image": "ray", "resources": _resources(wanted)}
    container["env"] = [{"name": key, "value": value} for key, value in (env or {}).items()]
    spec: Object = {"containers": [container]}
    if gpus:
        spec["tolerations"] = [{"key": GPU, "operator": "Exists", "effect": "NoSchedule"}]
    return {"spec": spec}


def workload_of(api: KubernetesApi, job: Object) -> Object | None:
    """Kueue's Workload for a job, once there is one."""
    name, namespace = job["metadata"]["name"], job["metadata"]["namespace"]
    for workload in api.list(KUEUE, "Workload", namespace):
        if any(owner["name"] == name for owner in workload["metadata"].get("ownerReferences", [])):
            return workload
    return None


def _group(name: str, count: int, template: Object) -> Object:
    size = {"replicas": count, "minReplicas": count, "maxReplicas": count}
    return {"groupName": name, "rayStartParams": {}, "template": template, **size}


def _resources(wanted: dict[str, str]) -> Object:
    return {"requests": wanted, "limits": wanted}


def _flavor_quota(name: str, cpus: int, gpus: int) -> dict[str, Any]:
    quotas = {"cpu": cpus, "memory": f"{4 * max(cpus, gpus)}Gi", GPU: gpus}
    return {"name": name, "resources": [{"name": key, "nominalQuota": value} for key, value in quotas.items()]}
