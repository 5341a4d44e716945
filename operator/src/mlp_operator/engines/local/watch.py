"""How a cluster stands, from its files and /proc alone: no connection, no memory of earlier looks."""

from __future__ import annotations

from mlp.schemas.phases import FailureClass
from mlp_core.domain.execution import ClusterObserved, Trouble
from mlp_operator.engines.local import cgroups, evidence, processes
from mlp_operator.engines.local.clusters import STARTS_LIMIT, Clusters
from mlp_operator.engines.local.state import (
    ClusterPaths,
    ClusterRecord,
    NodeReady,
    NodeRecord,
    PidRecord,
    read_record,
)


def observe(clusters: Clusters, name: str) -> ClusterObserved | None:
    """None where nothing of the cluster is left. One that is being removed has no nodes any more."""
    paths = clusters.paths(name)
    if not paths.root.is_dir():
        return None
    record = read_record(ClusterRecord, paths.record)
    if record is None or paths.deleting.exists():
        return ClusterObserved(nodes_wanted=0, nodes_ready=0, head_ready=False)
    ready = {node.name for node in record.nodes if is_node_ready(paths, node)}
    lost = tuple(node for node in record.nodes if node.name not in ready and paths.node(node.name).ready.exists())
    return ClusterObserved(
        nodes_wanted=len(record.nodes),
        nodes_ready=len(ready),
        head_ready=record.head.name in ready,
        trouble=_trouble(clusters, record, paths, lost),
        lost_nodes=tuple(node.name for node in lost),
    )


def is_node_ready(paths: ClusterPaths, node: NodeRecord) -> bool:
    """Registered with Ray, and both its processes that matter are alive."""
    where = paths.node(node.name)
    ready = read_record(NodeReady, where.ready)
    return (
        ready is not None
        and processes.is_alive(read_record(PidRecord, where.pid))
        and processes.is_running(ready.raylet_pid)
    )


def _trouble(
    clusters: Clusters, cluster: ClusterRecord, paths: ClusterPaths, lost: tuple[NodeRecord, ...]
) -> Trouble | None:
    """The worst first: a lost head, a node that does not start, a lost worker."""
    if cluster.head in lost:
        return _lost(clusters, cluster, cluster.head, paths)
    for node in cluster.nodes:
        trouble = None if node in lost else _start_trouble(node, paths)
        if trouble is not None:
            return trouble
    return _lost(clusters, cluster, lost[0], paths) if lost else None


def _lost(clusters: Clusters, cluster: ClusterRecord, node: NodeRecord, paths: ClusterPaths) -> Trouble:
    groups = clusters.groups(cluster, node)
    facts = cgroups.memory_facts(groups) if groups is not None else None
    return evidence.lost_node(node, facts, evidence.last_lines(paths.node(node.name).log))


def _start_trouble(node: NodeRecord, paths: ClusterPaths) -> Trouble | None:
    """A node that ended before it was ready; final once it was tried often enough."""
    where = paths.node(node.name)
    starts = read_record(int, where.starts) or 0
    pid = read_record(PidRecord, where.pid)
    if starts == 0 or pid is None or where.ready.exists() or processes.is_alive(pid):
        return None
    return Trouble(
        failure_class=FailureClass.INFRA,
        message=f"Node {node.name} ended while it started (try {starts} of {STARTS_LIMIT}).",
        is_final=starts >= STARTS_LIMIT,
        hint="The last lines are the node's own.",
        node=node.name,
        last_lines=evidence.last_lines(where.log),
    )
