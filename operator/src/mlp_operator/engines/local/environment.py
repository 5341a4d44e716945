"""What a job's process and its Ray workers find in their environment. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mlp_operator.engines.local import nodes
from mlp_operator.engines.local.processes import NODE_MARK, WORK_MARK
from mlp_operator.engines.local.state import ClusterRecord, NodeReady, WorkPaths, WorkRecord

JOB_CONFIG = "RAY_JOB_CONFIG_JSON_ENV_VAR"
NOT_FOR_WORKERS = frozenset({"PATH", "HOME", "PWD", NODE_MARK, "CUDA_VISIBLE_DEVICES", "RAY_ADDRESS"})
"""What each Ray worker has of its own node; the driver's would be wrong there."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a job runs."""

    cluster: ClusterRecord
    ready: NodeReady
    """The head."""
    where: WorkPaths
    token: Path
    checkpoints: Path
    pythons: tuple[Path, ...]
    """Interpreters by rank, the job's own first."""


def job_environment(work: WorkRecord, place: Place, inherited: Mapping[str, str]) -> dict[str, str]:
    """The driver's whole environment."""
    cluster, where = place.cluster, place.where
    given = dict(work.variables)
    plain = nodes.base_environment(
        cluster.name,
        [python.parent for python in place.pythons],
        {**inherited, **({"PATH": given["PATH"]} if "PATH" in given else {})},
    )
    ours = {
        WORK_MARK: work.name,
        "MLP_ATTEMPT_DIR": str(where.root),
        "MLP_CODE_DIR": str(where.code),
        "MLP_CHECKPOINT_DIR": str(place.checkpoints),
        "MLP_OUTPUT": str(where.output),
        "MLP_ARTIFACTS": str(where.output),
    }
    everywhere = {"PYTHONUNBUFFERED": "1", **given, **ours, "PATH": plain["PATH"]}
    workers = {name: value for name, value in everywhere.items() if name not in NOT_FOR_WORKERS} | {
        "PATH": plain["PATH"]
    }
    driver = {
        **plain,
        **nodes.token_environment(place.token),
        **everywhere,
        NODE_MARK: nodes.node_mark(cluster.name, cluster.head.name),
        "RAY_ADDRESS": place.ready.address,
        # Agents ship the workers' lines; through the driver they would come a second time.
        "RAY_LOG_TO_DRIVER": "0",
        "RAY_DEDUP_LOGS": "0",
        "RAY_USAGE_STATS_ENABLED": "0",
        # The user's own runtime_env in ray.init is added to ours instead of being refused for a shared key.
        "RAY_OVERRIDE_JOB_RUNTIME_ENV": "1",
        JOB_CONFIG: json.dumps({"runtime_env": {"py_executable": str(where.python), "env_vars": workers}}),
    }
    if cluster.head.gpu_devices is not None:
        driver.setdefault("CUDA_VISIBLE_DEVICES", ",".join(map(str, cluster.head.gpu_devices)))
    return driver
