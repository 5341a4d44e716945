"""Specs for the engine, made from a job or a named cluster. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass

from mlp.schemas.jobs import JobCreate
from mlp.schemas.resources import Head, Resources, WorkerGroup
from mlp_core.domain.execution import EnvironmentLock
from mlp_core.domain.job import Attempt, Job
from mlp_core.tracking.runs import DEFAULT_EXPERIMENT
from mlp_operator.engines.port import ClusterSpec, NodeGroup, Place, WorkSpec


@dataclass(frozen=True, slots=True)
class Links:
    """Where a job's processes reach the platform."""

    api_url: str


def engine_cluster_of(job: Job, attempt: Attempt) -> str:
    """The engine's name of the cluster an attempt runs on: its own is called like the attempt."""
    return job.shared_cluster_id or attempt.id


def place_of(job: Job) -> Place:
    timeout = job.spec.timeout
    return Place(
        job=job.id,
        priority=job.spec.priority.value,
        grace_seconds=job.spec.grace.total_seconds(),
        timeout_seconds=None if timeout is None else timeout.total_seconds(),
    )


def cluster_spec(
    name: str, project: str, resources: Resources, memory_factor: float = 1.0, place: Place | None = None
) -> ClusterSpec:
    return ClusterSpec(
        name=name,
        project=project,
        head=_node_group("head", resources.head, 1, memory_factor),
        groups=tuple(
            _node_group(group.name, group, group.replicas.min, memory_factor)
            for group in resources.groups
            if group.replicas.min > 0
        ),
        place=place,
    )


def work_spec(
    *,
    job: Job,
    attempt: Attempt,
    run_id: str,
    token: str,
    links: Links,
    package_digest: str | None,
    environment: EnvironmentLock | None,
) -> WorkSpec:
    entrypoint = job.spec.entrypoint
    timeout = job.spec.timeout
    return WorkSpec(
        name=attempt.id,
        cluster=engine_cluster_of(job, attempt),
        argv=None if isinstance(entrypoint, str) else tuple(entrypoint),
        shell=entrypoint if isinstance(entrypoint, str) else None,
        variables=tuple(sorted(_variables(job, attempt, run_id, token, links).items())),
        grace_seconds=job.spec.grace.total_seconds(),
        timeout_seconds=None if timeout is None else timeout.total_seconds(),
        checkpoint_key=job.id,
        api_url=links.api_url,
        token=token,
        package_digest=package_digest,
        environment=environment,
    )


def experiment_of(spec: JobCreate) -> str:
    return spec.run.experiment or DEFAULT_EXPERIMENT


def _variables(job: Job, attempt: Attempt, run_id: str, token: str, links: Links) -> dict[str, str]:
    """The user's variables first: the platform's own always win."""
    deadline = job.spec.deadline
    return dict(job.spec.environment.variables) | {
        "MLP_URL": links.api_url,
        "MLP_TOKEN": token,
        "MLP_PROJECT": job.project,
        "MLP_JOB_ID": job.id,
        "MLP_JOB_NAME": job.name,
        "MLP_ATTEMPT": str(attempt.number),
        "MLP_ATTEMPT_ID": attempt.id,
        "MLP_DEADLINE": deadline.isoformat() if deadline else "",
        "MLP_CHECKPOINT_INTERVAL_SECONDS": f"{job.spec.checkpoint.interval.total_seconds():g}",
        "MLP_GROUPS": json.dumps(_groups(job.spec.resources), sort_keys=True),
        "MLFLOW_TRACKING_URI": f"{links.api_url}/mlflow/{job.project}",
        "MLFLOW_TRACKING_TOKEN": token,
        "MLFLOW_WORKSPACE": job.project,
        "MLFLOW_RUN_ID": run_id,
        "MLFLOW_EXPERIMENT_NAME": experiment_of(job.spec),
    }


def _groups(resources: Resources) -> dict[str, dict[str, object]]:
    """Worker groups with the labels their nodes carry, for `mlp.runtime.context().groups`."""
    return {
        group.name: {
            "replicas": group.replicas.min,
            "cpu": group.cpu,
            "gpu": group.gpu,
            "labels": {"pool": group.pool or "", "group": group.name, **group.labels},
        }
        for group in resources.groups
    }


def _node_group(name: str, part: Head | WorkerGroup, replicas: int, memory_factor: float) -> NodeGroup:
    group = part if isinstance(part, WorkerGroup) else None
    return NodeGroup(
        name=name,
        pool=part.pool or "",
        replicas=replicas,
        cpu=part.cpu,
        memory_bytes=int(part.memory * memory_factor),
        gpu=group.gpu if group else 0.0,
        labels=tuple(sorted(group.labels.items())) if group else (),
    )
