"""A cluster laid out on this machine: node records, `ray start` arguments and environments. Pure."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from mlp_operator.engines.local.cgroups import Hierarchy
from mlp_operator.engines.local.ports import PortRange
from mlp_operator.engines.local.processes import CLUSTER_MARK, NODE_MARK
from mlp_operator.engines.local.state import ClusterRecord, NodeRecord
from mlp_operator.engines.port import ClusterSpec, EngineError, NodeGroup

MEBIBYTE = 2**20
OBJECT_STORE_SHARE = 0.3
"""Of a node's memory; Ray's own default share."""
OBJECT_STORE_LEAST = 80 * MEBIBYTE
"""Ray refuses less than 75 MiB."""
HEAD_MEMORY_LEAST = 1024 * MEBIBYTE
WORKER_MEMORY_LEAST = 512 * MEBIBYTE
"""Ray's own processes need this much before the user's first line; a smaller limit would only kill them."""

RAY_ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # Tasks run under the job's own Python, so a worker started ahead under Ray's is a second of work for nothing.
    "RAY_prestart_worker_first_driver": "0",
    # What a task or actor forked goes when its process goes, so memory and devices are free for the next.
    "RAY_process_group_cleanup_enabled": "1",
    # How long a raylet bears an agent that is still importing before it gives itself up; Ray's 30 s are too few on a
    # busy machine.
    "RAY_agent_register_timeout_ms": "180000",
    "RAY_DEDUP_LOGS": "0",
    "RAY_LOG_TO_DRIVER": "0",
    "RAY_COLOR_PREFIX": "0",
    "PYTHONUNBUFFERED": "1",
}
INHERITED = ("HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE",
             "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
             "LD_LIBRARY_PATH", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES")  # fmt: skip
"""What a node or a job may see of the operator's environment. Never MLP_*: the platform's secrets are there."""


@dataclass(frozen=True, slots=True)
class Memory:
    """How nodes' limits are kept on this machine."""

    hierarchy: Hierarchy
    shared_bytes: int
    """Free in /dev/shm, where object stores live."""


def lay_out(
    spec: ClusterSpec, ports: PortRange, *, ray_dir: Path, now: datetime, memory: Memory, gpus: tuple[int, ...] | None
) -> ClusterRecord:
    """The record of a cluster that is about to start. `gpus`: free real devices; None where GPUs are logical.

    Raises:
        EngineError: not enough real devices are free.
    """
    members = [(spec.head, 0), *((group, index) for group in spec.groups for index in range(group.replicas))]
    share = memory.shared_bytes // max(1, len(members))
    free = list(gpus) if gpus is not None else None
    nodes: list[NodeRecord] = []
    for number, (group, index) in enumerate(members):
        is_head = number == 0
        limit = max(group.memory_bytes, HEAD_MEMORY_LEAST if is_head else WORKER_MEMORY_LEAST)
        nodes.append(
            NodeRecord(
                name="head" if is_head else f"{group.name}-{index}",
                group="head" if is_head else group.name,
                pool=group.pool,
                cpu=group.cpu,
                memory_bytes=limit,
                gpu=group.gpu,
                labels=group.labels,
                ports=ports.node(number),
                temp_dir=ray_dir / str(number),
                object_store_bytes=_object_store(limit, share),
                gpu_devices=_devices(group, free),
            )
        )
    return ClusterRecord(
        name=spec.name,
        project=spec.project,
        created_at=now,
        gcs_port=ports.gcs,
        dashboard_port=ports.dashboard,
        ports_first=ports.first,
        ports_count=ports.count,
        ray_dir=ray_dir,
        memory=_how_memory_is_kept(memory.hierarchy),
        cgroup_version=memory.hierarchy.version,
        nodes=tuple(nodes),
    )


def node_count(spec: ClusterSpec) -> int:
    return 1 + sum(group.replicas for group in spec.groups)


def ray_dir(root: Path, cluster_root: Path) -> Path:
    """A short folder of the cluster's own: sockets below it must stay within 107 bytes."""
    return root / f"mlp-{hashlib.sha256(str(cluster_root).encode()).hexdigest()[:10]}"


def _object_store(limit: int, share: int) -> int:
    return max(OBJECT_STORE_LEAST, min(int(limit * OBJECT_STORE_SHARE), int(share * 0.8)))


def _devices(group: NodeGroup, free: list[int] | None) -> tuple[int, ...] | None:
    if free is None:
        return None
    wanted = math.ceil(group.gpu)
    if wanted > len(free):
        raise EngineError(f"Group {group.name} needs {wanted} GPUs and {len(free)} of this machine are free.")
    taken, free[:wanted] = tuple(free[:wanted]), []
    return taken


def _how_memory_is_kept(hierarchy: Hierarchy) -> str:
    if hierarchy.version is None:
        return f"Memory is declared to Ray and not enforced: {hierarchy.reason}."
    return f"Memory is enforced by control groups (version {hierarchy.version})."


def ray_arguments(cluster: ClusterRecord, node: NodeRecord) -> list[str]:
    """The words after `ray`. Ray counts whole CPUs and GPUs per node, so shares are rounded up.

    A worker's `--address` is added by `node_main`, which learns it from the head.
    """
    ports = node.ports
    arguments = [
        "start",
        "--block",
        "--disable-usage-stats",
        "--include-log-monitor=false",
        f"--temp-dir={node.temp_dir}",
        f"--num-cpus={math.ceil(node.cpu)}",
        f"--num-gpus={math.ceil(node.gpu)}",
        f"--memory={max(0, node.memory_bytes - node.object_store_bytes)}",
        f"--object-store-memory={node.object_store_bytes}",
        f"--labels={_labels(node)}",
        f"--object-manager-port={ports.object_manager}",
        f"--node-manager-port={ports.node_manager}",
        f"--dashboard-agent-grpc-port={ports.agent_grpc}",
        f"--dashboard-agent-listen-port={ports.agent_http}",
        f"--runtime-env-agent-port={ports.runtime_env}",
        f"--metrics-export-port={ports.metrics}",
    ]
    if node.is_head:
        arguments += ["--head", f"--port={cluster.gcs_port}"]
        arguments += ["--dashboard-host=127.0.0.1", f"--dashboard-port={cluster.dashboard_port}"]
    return arguments


def _labels(node: NodeRecord) -> str:
    labels = {**dict(node.labels), "pool": node.pool, "group": node.group}
    return ",".join(f"{key}={value}" for key, value in labels.items() if value)


def node_environment(
    cluster: ClusterRecord, node: NodeRecord, *, python: Path, token: Path, inherited: Mapping[str, str]
) -> dict[str, str]:
    environment = base_environment(cluster.name, (python.parent,), inherited)
    environment |= RAY_ENVIRONMENT | token_environment(token)
    environment[NODE_MARK] = node_mark(cluster.name, node.name)
    if node.gpu_devices is not None:
        environment["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, node.gpu_devices))
    return environment


def node_mark(cluster: str, node: str) -> str:
    return f"{cluster}/{node}"


def token_environment(token: Path) -> dict[str, str]:
    return {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(token)}


def base_environment(cluster: str, programs: Iterable[Path], inherited: Mapping[str, str]) -> dict[str, str]:
    """What every process of the cluster has: a plain environment, programs first on PATH, and the mark."""
    path = ":".join([*map(str, programs), inherited.get("PATH", "/usr/local/bin:/usr/bin:/bin")])
    kept = {name: inherited[name] for name in INHERITED if name in inherited}
    return {**kept, "PATH": path, CLUSTER_MARK: cluster}
