"""Ending processes until none is left, and removing what they left."""

from __future__ import annotations

import asyncio
import shutil

import structlog

from mlp_operator.engines.local import cgroups, processes
from mlp_operator.engines.local.clusters import Clusters
from mlp_operator.engines.local.ending import end_all
from mlp_operator.engines.local.state import ClusterPaths, ClusterRecord, PidRecord, read_record

log = structlog.get_logger(__name__)

ROUND_SECONDS = 0.05
GROUP_ROUNDS = 60


async def remove_cluster(clusters: Clusters, name: str) -> None:
    """End every process of the cluster and remove its folders; repeating it goes on where it stopped.

    Raises:
        EngineError: something does not die.
    """
    paths = clusters.paths(name)
    if not paths.root.is_dir():
        return
    paths.deleting.touch()
    record = read_record(ClusterRecord, paths.record)
    groups = clusters.all_groups(record) if record is not None else ()
    await end_all(lambda: _living(name, paths, groups), f"cluster {name}")
    await _remove_groups(groups)
    if record is not None:
        await asyncio.to_thread(shutil.rmtree, record.ray_dir, True)
    await asyncio.to_thread(_remove_tree, paths)


async def _remove_groups(groups: tuple[cgroups.NodeCgroups, ...]) -> None:
    """Nothing lives in them. Zombies that nobody reaps may hold one for good; an empty folder then stays, no more."""
    left = groups
    for _ in range(GROUP_ROUNDS):
        left = tuple(group for group in left if not cgroups.remove(group))
        if not left:
            return
        await asyncio.sleep(ROUND_SECONDS)
    log.warning("control_groups_left", folders=[str(group.memory) for group in left])


def _living(name: str, paths: ClusterPaths, groups: tuple[cgroups.NodeCgroups, ...]) -> frozenset[int]:
    """By control group, by pid file with all below, and by the mark in the environment."""
    found: set[int] = set(processes.marked(processes.CLUSTER_MARK, name))
    for group in groups:
        found.update(pid for pid in cgroups.pids(group) if processes.is_running(pid))
    files = [*paths.nodes.glob("*/pid.json"), *paths.works.glob("*/.engine/*/pid.json")]
    records = (read_record(PidRecord, file) for file in files)
    found |= processes.descendants(record.pid for record in records if record and processes.is_alive(record))
    return frozenset(found)


def _remove_tree(paths: ClusterPaths) -> None:
    """The mark of deletion goes last, so that a removal cut short is taken up again."""
    for entry in list(paths.root.iterdir()):
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        elif entry != paths.deleting:
            entry.unlink(missing_ok=True)
    shutil.rmtree(paths.root)
