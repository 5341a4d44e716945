"""Names and labels of the platform's objects. Everything is found again by what stands here. Pure."""

from __future__ import annotations

import re

MANAGER = "mlp"
"""The field manager of every write, and the value of the label that says an object is the platform's."""
MANAGED_BY = "app.kubernetes.io/managed-by"
PROJECT = "mlp.dev/project"
PROJECT_ID = "mlp.dev/project-id"
TEAM = "mlp.dev/team"
JOB = "mlp.dev/job"
ATTEMPT = "mlp.dev/attempt"
CLUSTER = "mlp.dev/cluster"
WORK = "mlp.dev/work"
GROUP = "mlp.dev/group"
ATTEMPT_CLUSTER = "mlp.dev/attempt-cluster"
"""Annotation of a RayJob: the RayCluster that its attempt runs on."""
CAUSE = "mlp.dev/cause"
"""Annotation of a RayJob: what ended its attempt, kept because the pods that told it go at once."""
POOL = "mlp.dev/pool"
"""Label of nodes whose pool has no labels of its own."""
RAY_CLUSTER = "ray.io/cluster"
RAY_GROUP = "ray.io/group"
RAY_NODE_TYPE = "ray.io/node-type"
FROM_NAME = "ray.io/originated-from-cr-name"
QUEUE_NAME = "kueue.x-k8s.io/queue-name"
PRIORITY_CLASS = "kueue.x-k8s.io/priority-class"
JOB_UID = "kueue.x-k8s.io/job-uid"

LOCAL_QUEUE = "default"
SERVICE_ACCOUNT = "mlp-job"
ROOT_COHORT = "mlp"
MANAGED = {MANAGED_BY: MANAGER}

_RAY_JOB_LENGTH = 47
_DNS_1035 = re.compile(r"^[a-z]([-a-z0-9]*[a-z0-9])?$")


def object_name(id_: str) -> str:
    """The Kubernetes name of a platform id: `job_01J..` → `job-01j..`. Ids differ by more than case.

    Raises:
        ValueError: the id cannot name a RayJob, which is a defect of the platform: users' names never come here.
    """
    name = id_.lower().replace("_", "-")
    if len(name) > _RAY_JOB_LENGTH or not _DNS_1035.match(name):
        raise ValueError(f"{id_!r} cannot name a RayJob")
    return name


def namespace(project: str) -> str:
    return f"mlp-{project}"


def cluster_queue(project: str) -> str:
    return f"mlp-{project}"


def cohort(team: str) -> str:
    return f"mlp-team-{team}"


def flavor(pool: str) -> str:
    return f"mlp-{pool}"


def priority_class(priority: str) -> str:
    return f"mlp-{priority}"


def work_secret(ray_job: str) -> str:
    return f"{ray_job}-work"
