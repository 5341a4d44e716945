"""Pods of a Ray cluster: the Ray container, and beside it what brings code in and evidence out. Pure.

The agent is a container of its own, not a process of Ray's container: a job that runs out of memory takes down
everything in its container, and the lines that tell of it must still be shipped. As a sidecar of the kubelet's own kind
(an init container that restarts) it begins before Ray and is ended after it, so it flushes within the grace period.
"""

from __future__ import annotations

import math
from typing import Any

from mlp_operator.engines.kubernetes import names
from mlp_operator.engines.kubernetes.manifests import quantities
from mlp_operator.engines.kubernetes.placement import GPU, Placement
from mlp_operator.engines.kubernetes.settings import KubernetesSettings
from mlp_operator.engines.port import NodeGroup

Manifest = dict[str, Any]

WORK_DIR = "/mlp/work"
ATTEMPT_DIR = "/mlp/attempt"
CHECKPOINTS_DIR = "/mlp/checkpoints"
FLUSH_SECONDS = 30
"""How long agents may go on shipping after the Ray container has ended."""
PROGRAM = ("python", "-I", "-m", "mlp.runtime.pods")
AGENT = "agent"
SETUP = "setup"
HEAD = "head"
RAY_CONTAINERS = {HEAD: "ray-head"}
WORKER_CONTAINER = "ray-worker"

_OBJECT_STORE_SHARE = 0.3
_USER = 1000
_SECURITY: Manifest = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}
_AGENT_RESOURCES: Manifest = {
    "requests": {"cpu": "50m", "memory": "64Mi"},
    "limits": {"cpu": "500m", "memory": "256Mi"},
}
_SETUP_RESOURCES: Manifest = {
    "requests": {"cpu": "50m", "memory": "64Mi"},
    "limits": {"cpu": "2", "memory": "2Gi"},
}


def ray_pod(
    group: NodeGroup, placement: Placement, settings: KubernetesSettings, *, labels: dict[str, str], grace: float,
    work_secret: str | None,
) -> Manifest:  # fmt: skip
    """The pod template of a group. `work_secret` names the Secret of the one work that the cluster is for."""
    mounts = _mounts(work_secret, settings)
    environment = _environment(group, grace, settings, work_secret)
    spec: Manifest = {
        "serviceAccountName": names.SERVICE_ACCOUNT,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        # The agent looks at the Ray container's processes, and `stop` signals the launcher there.
        "shareProcessNamespace": True,
        "terminationGracePeriodSeconds": math.ceil(grace) + FLUSH_SECONDS,
        "securityContext": _pod_security(),
        "nodeSelector": placement.node_labels,
        "volumes": _volumes(group, work_secret, settings),
        "initContainers": [
            _helper(SETUP, settings, environment, mounts, _SETUP_RESOURCES),
            _helper(AGENT, settings, environment, mounts, _AGENT_RESOURCES) | {"restartPolicy": "Always"},
        ],
        "containers": [_ray_container(group, settings, [*environment, *_ray_environment(work_secret)], mounts)],
    }
    if placement.tolerations:
        spec["tolerations"] = placement.tolerations
    if settings.image_pull_secret:
        spec["imagePullSecrets"] = [{"name": settings.image_pull_secret}]
    return {"metadata": {"labels": {**labels, names.GROUP: group.name}}, "spec": spec}


def submitter_pod(settings: KubernetesSettings, *, labels: dict[str, str], placement: Placement) -> Manifest:
    """The pod from which KubeRay submits the entrypoint; it stands on the head's pool."""
    spec: Manifest = {
        "serviceAccountName": names.SERVICE_ACCOUNT,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "restartPolicy": "Never",
        "securityContext": _pod_security(),
        "nodeSelector": placement.node_labels,
        "containers": [
            {
                "name": "ray-job-submitter",
                "image": settings.runtime_image,
                "imagePullPolicy": settings.image_pull_policy,
                "securityContext": _SECURITY,
                "env": [{"name": "HOME", "value": "/tmp"}],  # noqa: S108 - of the container
                "resources": {
                    "requests": {"cpu": "100m", "memory": "256Mi"},
                    "limits": {"cpu": "1", "memory": "512Mi"},
                },
            }
        ],
    }
    if placement.tolerations:
        spec["tolerations"] = placement.tolerations
    if settings.image_pull_secret:
        spec["imagePullSecrets"] = [{"name": settings.image_pull_secret}]
    return {"metadata": {"labels": {**labels, names.GROUP: "submitter"}}, "spec": spec}


def object_store_bytes(group: NodeGroup) -> int:
    """Ray's own default share of a node's memory."""
    return int(group.memory_bytes * _OBJECT_STORE_SHARE)


def _pod_security() -> Manifest:
    return {
        "runAsNonRoot": True,
        "runAsUser": _USER,
        "runAsGroup": _USER,
        "fsGroup": _USER,
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def _ray_container(
    group: NodeGroup, settings: KubernetesSettings, environment: list[Manifest], mounts: list[Manifest]
) -> Manifest:
    resources: Manifest = {"cpu": quantities.cores(group.cpu), "memory": quantities.memory(group.memory_bytes)}
    if group.gpu:
        resources[GPU] = str(math.ceil(group.gpu))
    return {
        "name": RAY_CONTAINERS.get(group.name, WORKER_CONTAINER),
        "image": settings.runtime_image,
        "imagePullPolicy": settings.image_pull_policy,
        "securityContext": _SECURITY,
        "env": environment,
        # Memory is limited to what was asked for: a head that outgrows its node takes the whole cluster with it.
        "resources": {"requests": dict(resources), "limits": dict(resources)},
        "lifecycle": {"preStop": {"exec": {"command": [*PROGRAM, "end"]}}},
        "volumeMounts": mounts,
        **({"ports": _HEAD_PORTS} if group.name == HEAD else {}),
    }


_HEAD_PORTS: list[Manifest] = [
    {"name": "gcs-server", "containerPort": 6379},
    {"name": "dashboard", "containerPort": 8265},
    {"name": "client", "containerPort": 10001},
]


def _helper(
    name: str, settings: KubernetesSettings, environment: list[Manifest], mounts: list[Manifest], resources: Manifest
) -> Manifest:
    return {
        "name": name,
        "image": settings.runtime_image,
        "imagePullPolicy": settings.image_pull_policy,
        "command": [*PROGRAM, name],
        "securityContext": _SECURITY,
        "env": environment,
        "resources": resources,
        "volumeMounts": mounts,
    }


def _environment(
    group: NodeGroup, grace: float, settings: KubernetesSettings, work_secret: str | None
) -> list[Manifest]:  # fmt: skip
    """Of all containers: what `mlp.runtime.pods` knows its pod by."""
    ray_cluster = f"metadata.labels['{names.RAY_CLUSTER}']"
    return [
        {"name": "MLP_POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {
            "name": "MLP_RAY_CLUSTER",
            "valueFrom": {"fieldRef": {"fieldPath": ray_cluster}},
        },
        *_variables(
            {
                "MLP_GROUP": group.name,
                "MLP_GRACE_SECONDS": f"{grace:g}",
                "MLP_FLUSH_SECONDS": str(FLUSH_SECONDS),
                "MLP_MEMORY_BYTES": str(group.memory_bytes),
                "MLP_POD_DIR": ATTEMPT_DIR,
                "HOME": ATTEMPT_DIR,
            }
            | ({} if work_secret is None else {"MLP_WORK_DIR": WORK_DIR})
            | ({} if settings.checkpoint_claim is None else {"MLP_CHECKPOINTS_DIR": CHECKPOINTS_DIR})
            | settings.environment
        ),
    ]


def _ray_environment(work_secret: str | None) -> list[Manifest]:
    values = {
        # By this the agent finds the container's processes among those of the pod.
        "MLP_CONTAINER": "ray",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_DEDUP_LOGS": "0",
        "RAY_LOG_TO_DRIVER": "0",
        "RAY_COLOR_PREFIX": "0",
        "RAY_process_group_cleanup_enabled": "1",
        # The launcher keeps the grace period; Ray must not kill it after its own 3 seconds.
        "RAY_JOB_STOP_WAIT_TIME_S": "86400",
        "PYTHONUNBUFFERED": "1",
    }
    if work_secret is None:
        # A worker's first step there is to bring in code and environment; Ray gives it up after 60 seconds.
        values["RAY_worker_register_timeout_seconds"] = "1800"
    return _variables(values)


def _variables(values: dict[str, str]) -> list[Manifest]:
    return [{"name": name, "value": value} for name, value in values.items()]


def _mounts(work_secret: str | None, settings: KubernetesSettings) -> list[Manifest]:
    mounts: list[Manifest] = [
        {"name": "attempt", "mountPath": ATTEMPT_DIR},
        {"name": "ray", "mountPath": "/tmp/ray"},  # noqa: S108 - of the container
        {"name": "shm", "mountPath": "/dev/shm"},  # noqa: S108 - of the container
    ]
    if work_secret is not None:
        mounts.append({"name": "work", "mountPath": WORK_DIR, "readOnly": True})
    if settings.checkpoint_claim is not None:
        mounts.append({"name": "checkpoints", "mountPath": CHECKPOINTS_DIR})
    return mounts


def _volumes(group: NodeGroup, work_secret: str | None, settings: KubernetesSettings) -> list[Manifest]:
    volumes: list[Manifest] = [
        {"name": "attempt", "emptyDir": {}},
        {"name": "ray", "emptyDir": {}},
        {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": quantities.memory(object_store_bytes(group))}},
    ]
    if work_secret is not None:
        # Not optional: the pod waits for it, and so never starts with the work of an earlier attempt.
        volumes.append({"name": "work", "secret": {"secretName": work_secret, "defaultMode": 0o440}})
    if settings.checkpoint_claim is not None:
        volumes.append({"name": "checkpoints", "persistentVolumeClaim": {"claimName": settings.checkpoint_claim}})
    return volumes
