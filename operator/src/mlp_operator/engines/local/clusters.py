"""Clusters on this machine: laid out once, and each node started that is not there. All state is in files."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
import signal
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from mlp_core.domain.execution import Dashboard
from mlp_operator.engines.local import cgroups, machine, nodes, ports, processes, spawn
from mlp_operator.engines.local.ending import end_all
from mlp_operator.engines.local.locking import locked
from mlp_operator.engines.local.settings import LocalSettings
from mlp_operator.engines.local.state import (
    ClusterPaths,
    ClusterRecord,
    Layout,
    NodeRecord,
    PidRecord,
    read_record,
    write_bytes,
    write_record,
)
from mlp_operator.engines.port import ClusterSpec, EngineError

NODE_MAIN = "mlp_operator.engines.local.node_main"
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - where Ray keeps object stores
STARTS_LIMIT = 3


class Clusters:
    """Everything about clusters except the work on them."""

    def __init__(self, settings: LocalSettings, layout: Layout) -> None:
        self._settings = settings
        self._layout = layout
        self._hierarchy = _hierarchy(settings)

    # -- making -------------------------------------------------------------------------------------------------

    async def ensure(self, spec: ClusterSpec) -> None:
        """Lay the cluster out once, then start each node that is not there. A head that was ready stays lost.

        Raises:
            EngineError: no ports or GPUs are free, or a node could not be started now.
        """
        paths = self._layout.cluster(spec.name)
        if paths.deleting.exists():
            raise EngineError(f"Cluster {spec.name} is being removed.")
        record = read_record(ClusterRecord, paths.record)
        if record is None or _has_lost_its_ports(record, paths):
            record = await self._lay_out(spec, paths)
        head_was_ready = paths.node(record.head.name).ready.exists()
        for node in record.nodes:
            if not (node.is_head and head_was_ready):
                await self._ensure_node(record, node, paths)

    async def _lay_out(self, spec: ClusterSpec, paths: ClusterPaths) -> ClusterRecord:
        paths.nodes.mkdir(parents=True, exist_ok=True)
        write_if_missing(secrets.token_urlsafe(32).encode(), paths.token)
        # One at a time on this machine: two clusters, of two platforms even, must not choose the same ports or GPUs.
        async with locked(self._settings.ray_root / f".mlp-layout-{os.geteuid()}.lock"):
            record = read_record(ClusterRecord, paths.record)
            if record is None or _has_lost_its_ports(record, paths):
                if record is not None:
                    _end_waiting_workers(record, paths)
                record = await asyncio.to_thread(self._choose, spec, paths)
                write_record(record, paths.record)
        return record

    def _choose(self, spec: ClusterSpec, paths: ClusterPaths) -> ClusterRecord:
        others = self.records()
        folder = nodes.ray_dir(self._settings.ray_root, paths.root.resolve())
        taken = [ports.PortRange(other.ports_first, other.ports_count) for other in others]
        chosen = ports.allocate(
            nodes.node_count(spec),
            taken + ports.reservations(self._settings.ray_root),
            base=self._settings.port_base,
            limit=self._settings.port_limit,
        )
        ports.reserve(chosen, folder)
        free = shutil.disk_usage(SHARED_MEMORY).free if SHARED_MEMORY.is_dir() else 0
        memory = nodes.Memory(self._hierarchy, free)
        now = datetime.now(UTC)
        return nodes.lay_out(spec, chosen, ray_dir=folder, now=now, memory=memory, gpus=self._free_gpus(others))

    def _free_gpus(self, others: Iterable[ClusterRecord]) -> tuple[int, ...] | None:
        real = () if self._settings.simulate_gpus else machine.describe().gpus
        if not real:
            return None
        taken = {device for other in others for node in other.nodes for device in node.gpu_devices or ()}
        return tuple(gpu.index for gpu in real if gpu.index not in taken)

    async def _ensure_node(self, cluster: ClusterRecord, node: NodeRecord, paths: ClusterPaths) -> None:
        where = paths.node(node.name)
        if processes.is_alive(read_record(PidRecord, where.pid)):
            return
        starts = read_record(int, where.starts) or 0
        if starts >= STARTS_LIMIT and not where.ready.exists():
            return  # observed as final trouble
        groups = self.groups(cluster, node)
        if starts:
            await end_all(lambda: _remains(cluster, node, groups), f"node {node.name}")
        if groups is not None:
            total = sum(one.cpu for one in cluster.nodes)
            cgroups.create(groups, memory_bytes=node.memory_bytes, cpu=node.cpu, cluster_cpu=total)
        where.root.mkdir(parents=True, exist_ok=True)
        node.temp_dir.mkdir(parents=True, exist_ok=True)
        where.ready.unlink(missing_ok=True)
        write_bytes(json.dumps(self._node_config(cluster, node, paths)).encode(), where.config)
        write_record(starts + 1, where.starts)
        await spawn.start(
            self._settings.python,
            spawn.Detached(
                argv=(str(self._settings.python), "-P", "-m", NODE_MAIN, str(where.config)),
                environment=nodes.node_environment(
                    cluster, node, python=self._settings.python, token=paths.token, inherited=os.environ
                ),
                cwd=where.root,
                paths=where,
                once=False,
                forbidden=(paths.deleting,),
                cgroups=cgroups.procs_files(groups) if groups is not None else (),
            ),
        )

    def _node_config(self, cluster: ClusterRecord, node: NodeRecord, paths: ClusterPaths) -> dict[str, object]:
        head_ready = None if node.is_head else str(paths.node(cluster.head.name).ready)
        return {
            "arguments": nodes.ray_arguments(cluster, node),
            "ready": str(paths.node(node.name).ready),
            "head_ready": head_ready,
        }

    # -- reading ------------------------------------------------------------------------------------------------

    def paths(self, name: str) -> ClusterPaths:
        return self._layout.cluster(name)

    def find(self, name: str) -> tuple[ClusterRecord, ClusterPaths] | None:
        paths = self._layout.cluster(name)
        record = read_record(ClusterRecord, paths.record)
        return None if record is None else (record, paths)

    def dashboard(self, name: str) -> Dashboard | None:
        """It listens on this machine alone."""
        found = self.find(name)
        if found is None:
            return None
        record, paths = found
        try:
            token = paths.token.read_text(encoding="ascii")
        except FileNotFoundError:
            return None
        return Dashboard(f"http://127.0.0.1:{record.dashboard_port}", token)

    def records(self) -> list[ClusterRecord]:
        found = (read_record(ClusterRecord, self._layout.cluster(name).record) for name in self.names())
        return [record for record in found if record is not None]

    def names(self) -> frozenset[str]:
        if not self._layout.clusters.is_dir():
            return frozenset()
        return frozenset(
            entry.name for entry in os.scandir(self._layout.clusters) if entry.is_dir() and entry.name[0] != "."
        )

    def groups(self, cluster: ClusterRecord, node: NodeRecord) -> cgroups.NodeCgroups | None:
        """The node's control groups, as the cluster was laid out."""
        if cluster.cgroup_version is None or cluster.cgroup_version != self._hierarchy.version:
            return None
        return self._hierarchy.node(cluster.name, node.name)

    def all_groups(self, cluster: ClusterRecord) -> tuple[cgroups.NodeCgroups, ...]:
        found = (self.groups(cluster, node) for node in cluster.nodes)
        return tuple(groups for groups in found if groups is not None)


def _has_lost_its_ports(cluster: ClusterRecord, paths: ClusterPaths) -> bool:
    """Whether another program took a port between the choice and the head's start, so that it never came up."""
    head = paths.node(cluster.head.name)
    if head.ready.exists() or not head.pid.exists() or processes.is_alive(read_record(PidRecord, head.pid)):
        return False
    first = ports.PortRange(cluster.ports_first, cluster.ports_count)
    return not all(ports.is_free(port) for port in first.used(len(cluster.nodes)))


def _end_waiting_workers(cluster: ClusterRecord, paths: ClusterPaths) -> None:
    """Workers that wait for the head were told the old ports; they hold nothing yet, and this was no failed try."""
    for node in cluster.nodes:
        where = paths.node(node.name)
        if processes.signal_record(read_record(PidRecord, where.pid), signal.SIGKILL):
            where.starts.unlink(missing_ok=True)


def _remains(cluster: ClusterRecord, node: NodeRecord, groups: cgroups.NodeCgroups | None) -> frozenset[int]:
    """What an earlier start of the node left behind."""
    found = processes.marked(processes.NODE_MARK, nodes.node_mark(cluster.name, node.name))
    if groups is None:
        return found
    return found | frozenset(pid for pid in cgroups.pids(groups) if processes.is_running(pid))


def write_if_missing(content: bytes, path: Path) -> None:
    """Create a secret file, once."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)


def _hierarchy(settings: LocalSettings) -> cgroups.Hierarchy:
    if not settings.enforce_memory:
        return cgroups.Hierarchy(None, reason="it is switched off")
    return cgroups.detect()
