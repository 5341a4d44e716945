"""RayJob and RayCluster, made from specs. Pure.

What is left out is left out on purpose: `suspend`, node selectors of an admission and replicas of a live cluster belong
to Kueue and the autoscaler, and two writers of a field fight.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

from mlp_operator.engines.kubernetes import names
from mlp_operator.engines.kubernetes.manifests import pods
from mlp_operator.engines.kubernetes.placement import Placement
from mlp_operator.engines.kubernetes.settings import KubernetesSettings
from mlp_operator.engines.port import ClusterSpec, NodeGroup, Place, WorkSpec

Manifest = dict[str, Any]
Placements = dict[str, Placement]

GRACE_OF_NAMED_SECONDS = 30.0
PRE_RUNNING_DEADLINE_SECONDS = 20 * 60
"""Longer than the platform's own deadline from admission to start, which names the cause; this one only frees quota."""
DEADLINE_MARGIN_SECONDS = 30 * 60
"""From a job's own time limit, kept by the launcher, to the one by which KubeRay takes the cluster away."""
ENTRYPOINT = " ".join((*pods.PROGRAM, "drive"))


def ray_job(spec: ClusterSpec, place: Place, placements: Placements, settings: KubernetesSettings) -> Manifest:
    """A job and the cluster of its own, as Kueue queues them. Its first RayCluster is the first attempt."""
    name = names.object_name(place.job)
    labels = {**names.MANAGED, names.PROJECT: spec.project, names.JOB: place.job}
    queue = {names.QUEUE_NAME: names.LOCAL_QUEUE, names.PRIORITY_CLASS: names.priority_class(place.priority)}
    job: Manifest = {
        "submissionMode": "K8sJobMode",
        "entrypoint": ENTRYPOINT,
        "backoffLimit": 0,
        "shutdownAfterJobFinishes": True,
        "ttlSecondsAfterFinished": 0,
        "preRunningDeadlineSeconds": PRE_RUNNING_DEADLINE_SECONDS,
        "submitterConfig": {"backoffLimit": 0},
        "submitterPodTemplate": pods.submitter_pod(
            settings, labels=labels, placement=_placement(spec.head, placements)
        ),
        "rayClusterSpec": _cluster(
            spec, placements, settings, labels=labels, grace=place.grace_seconds, work_secret=names.work_secret(name)
        ),
    }
    if place.timeout_seconds is not None:
        own = math.ceil(place.timeout_seconds + place.grace_seconds)
        job["activeDeadlineSeconds"] = PRE_RUNNING_DEADLINE_SECONDS + own + DEADLINE_MARGIN_SECONDS
    return _object("RayJob", name, spec.project, {**labels, **queue}, job)


def ray_cluster(spec: ClusterSpec, placements: Placements, settings: KubernetesSettings) -> Manifest:
    """A named cluster, queued as itself."""
    labels = {**names.MANAGED, names.PROJECT: spec.project, names.CLUSTER: spec.name}
    queue = {names.QUEUE_NAME: names.LOCAL_QUEUE, names.PRIORITY_CLASS: names.priority_class("normal")}
    body = _cluster(spec, placements, settings, labels=labels, grace=GRACE_OF_NAMED_SECONDS, work_secret=None)
    return _object("RayCluster", names.object_name(spec.name), spec.project, {**labels, **queue}, body)


def work_on_cluster(spec: WorkSpec, project: str, settings: KubernetesSettings, head: Placement) -> Manifest:
    """A work on a named cluster. It has no queue label: the cluster holds the quota that the work uses."""
    name = names.object_name(spec.name)
    labels = {**names.MANAGED, names.PROJECT: project, names.WORK: spec.name}
    submitter = pods.submitter_pod(settings, labels=labels, placement=head)
    secret = names.work_secret(name)
    submitter["spec"]["volumes"] = [{"name": "work", "secret": {"secretName": secret, "defaultMode": 0o440}}]
    # The folder travels to the head as Ray's working directory: what it holds is on no command line and in no list.
    mount = {"name": "work", "mountPath": f"{pods.WORK_DIR}/work.json", "subPath": "work.json", "readOnly": True}
    submitter["spec"]["containers"][0]["volumeMounts"] = [mount]
    body: Manifest = {
        "submissionMode": "K8sJobMode",
        "entrypoint": f"{ENTRYPOINT} --work work.json",
        "runtimeEnvYAML": f"working_dir: {pods.WORK_DIR}\n",
        "clusterSelector": {names.RAY_CLUSTER: names.object_name(spec.cluster)},
        "submitterConfig": {"backoffLimit": 0},
        "submitterPodTemplate": submitter,
    }
    return _object("RayJob", name, project, labels, body)


def work_secret(spec: WorkSpec, project: str, ray_job: Manifest, ray_cluster: str) -> Manifest:
    """What the pods of one attempt are told. It names their RayCluster, so that pods of another one pass it over."""
    metadata = ray_job["metadata"]
    work = asdict(spec) | {"project": project, "ray_cluster": ray_cluster, "variables": dict(spec.variables)}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "Opaque",
        "metadata": {
            "name": names.work_secret(metadata["name"]),
            "namespace": names.namespace(project),
            "labels": {**names.MANAGED, names.PROJECT: project, names.ATTEMPT: spec.name},
            "ownerReferences": [
                {
                    "apiVersion": "ray.io/v1",
                    "kind": "RayJob",
                    "name": metadata["name"],
                    "uid": metadata["uid"],
                    "blockOwnerDeletion": False,
                }
            ],
        },
        "stringData": {"work.json": json.dumps(work, sort_keys=True)},
    }


def _object(kind: str, name: str, project: str, labels: dict[str, str], spec: Manifest) -> Manifest:
    metadata = {"name": name, "namespace": names.namespace(project), "labels": labels}
    return {"apiVersion": "ray.io/v1", "kind": kind, "metadata": metadata, "spec": spec}


def _cluster(
    spec: ClusterSpec, placements: Placements, settings: KubernetesSettings, *, labels: dict[str, str], grace: float,
    work_secret: str | None,
) -> Manifest:  # fmt: skip
    def template(group: NodeGroup) -> Manifest:
        placement = _placement(group, placements)
        return pods.ray_pod(group, placement, settings, labels=labels, grace=grace, work_secret=work_secret)

    # A head beside workers only steers: what Ray placed there would share its fate with the head's.
    head_cores = 0 if spec.groups else math.ceil(spec.head.cpu)
    return {
        "rayVersion": settings.ray_version,
        "authOptions": {"mode": "token"},
        "headGroupSpec": {
            "rayStartParams": _start_parameters(spec.head),
            "resources": _resources(spec.head, head_cores),
            "labels": _ray_labels(spec.head),
            "template": template(spec.head),
        },
        "workerGroupSpecs": [
            {
                "groupName": group.name,
                "replicas": group.replicas,
                "minReplicas": group.replicas,
                "maxReplicas": group.replicas,
                "numOfHosts": 1,
                "rayStartParams": _start_parameters(group),
                "resources": _resources(group, math.ceil(group.cpu)),
                "labels": _ray_labels(group),
                "template": template(group),
            }
            for group in spec.groups
        ],
    }


def _start_parameters(group: NodeGroup) -> dict[str, str]:
    # Not "false": KubeRay leaves out every flag that is called so, and Ray's log monitor would start.
    return {"object-store-memory": str(pods.object_store_bytes(group)), "include-log-monitor": "0"}


def _resources(group: NodeGroup, cpus: int) -> dict[str, str]:
    """Ray counts whole CPUs and GPUs per node, so shares are rounded up."""
    resources = {"CPU": str(cpus), "memory": str(group.memory_bytes - pods.object_store_bytes(group))}
    return resources | ({"GPU": str(math.ceil(group.gpu))} if group.gpu else {})


def _ray_labels(group: NodeGroup) -> dict[str, str]:
    return {**dict(group.labels), "pool": group.pool, "group": group.name}


def _placement(group: NodeGroup, placements: Placements) -> Placement:
    """A pool that was deleted meanwhile is looked for by its name, and the scheduler says that there is none."""
    return placements.get(group.pool) or Placement(group.pool)
