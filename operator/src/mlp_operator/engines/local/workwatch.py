"""How a work stands, from its files, /proc and the control groups of its nodes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from mlp.runtime.records import ArtifactsRecord, ExitRecord, MalformedError, Started
from mlp.schemas.phases import FailureClass
from mlp_core.domain.execution import ArtifactsObserved, Trouble, WorkObserved
from mlp_operator.engines.local import cgroups, evidence, processes
from mlp_operator.engines.local.clusters import Clusters
from mlp_operator.engines.local.evidence import Kill
from mlp_operator.engines.local.state import (
    ClusterPaths,
    ClusterRecord,
    LostRecord,
    NodeReady,
    NodeRecord,
    PidRecord,
    SealRecord,
    Setup,
    StopRecord,
    WorkBaseline,
    WorkPaths,
    read_record,
    write_record,
)
from mlp_operator.engines.local.works import is_started, modified_at, raylet_log


def observe(clusters: Clusters, cluster: str, where: WorkPaths, now: datetime) -> WorkObserved | None:
    """None where the work was never asked for or is forgotten."""
    if not where.record.exists():
        return None
    observed = _observe(clusters, cluster, where, now)
    # After the seal was looked at: once that is there the agent writes no more.
    return replace(observed, artifacts=_artifacts(where))


def _observe(clusters: Clusters, cluster: str, where: WorkPaths, now: datetime) -> WorkObserved:
    stop = read_record(StopRecord, where.stop)
    sealed = where.sealed.exists()
    ended = _exit(where)
    if ended is not None:
        return _ended(clusters, cluster, where, ended, sealed=sealed, stop=stop)
    if not is_started(where):
        return _not_started(where, stop, sealed=sealed)
    if processes.is_alive(read_record(PidRecord, where.launcher.pid)):
        kills = _kills(clusters, cluster, where, with_ray=False)
        return WorkObserved(
            started_at=_started_at(where),
            stopped=stop is not None,
            oom_kills=_nodes(kills),
            trouble=_out_of_memory(clusters, cluster, kills),
        )
    return _vanished(clusters, cluster, where, now, sealed=sealed, stop=stop)


def _artifacts(where: WorkPaths) -> ArtifactsObserved | None:
    seal = read_record(SealRecord, where.seal)
    try:
        found = ArtifactsRecord.read(where.agent_state)
    except MalformedError:
        return None
    if found is None or seal is None:
        return None
    return ArtifactsObserved(
        files=found.files,
        files_stored=found.files_stored,
        bytes=found.bytes,
        bytes_stored=found.bytes_stored,
        until=seal.until or seal.at,
        missing=found.missing,
        left_out=found.left_out,
        left_out_count=found.left_out_count,
    )


def _exit(where: WorkPaths) -> ExitRecord | None:
    try:
        return ExitRecord.read(where.root)
    except MalformedError:
        # The user's process may write in its own folder; a record that is none counts as missing.
        return None


def _ended(
    clusters: Clusters, cluster: str, where: WorkPaths, ended: ExitRecord, *, sealed: bool, stop: StopRecord | None
) -> WorkObserved:
    failed = ended.exit_code != 0
    kills = _kills(clusters, cluster, where, with_ray=failed)
    trouble = _out_of_memory(clusters, cluster, kills)
    if trouble is None and ended.error is not None and ended.exit_code is None:
        trouble = Trouble(FailureClass.INFRA, ended.error, is_final=True)
    return WorkObserved(
        started_at=_instant(ended.started_at),
        ended_at=_instant(ended.ended_at),
        exit_code=ended.exit_code,
        signal=ended.signal,
        timed_out=ended.timed_out,
        stopped=ended.stopped or stop is not None,
        oom_kills=_nodes(kills),
        sealed=sealed,
        trouble=trouble,
    )


def _not_started(where: WorkPaths, stop: StopRecord | None, *, sealed: bool) -> WorkObserved:
    if stop is not None:
        return WorkObserved(ended_at=stop.at, stopped=True, sealed=sealed)
    setup = read_record(Setup, where.setup) or Setup("Waits to be set up.")
    trouble = None
    if setup.failure_class is not None:
        trouble = Trouble(
            setup.failure_class, setup.sentence, setup.is_final, hint=setup.hint, last_lines=setup.last_lines
        )
    return WorkObserved(setting_up=setup.sentence, sealed=sealed, trouble=trouble)


def _vanished(
    clusters: Clusters, cluster: str, where: WorkPaths, now: datetime, *, sealed: bool, stop: StopRecord | None
) -> WorkObserved:
    """The launcher was killed: there is no exit code, and the time is that of the first look."""
    lost = read_record(LostRecord, where.lost)
    if lost is None:
        lost = LostRecord(now)
        write_record(lost, where.lost)
    kills = _kills(clusters, cluster, where, with_ray=True)
    unknown = Trouble(
        FailureClass.INFRA,
        "The process that watches over the job was killed, so how the job ended is not known.",
        is_final=True,
        hint="Something outside the job ended it, or the machine restarted.",
        node="head",
        last_lines=evidence.last_lines(where.launcher.log),
    )
    return WorkObserved(
        started_at=_started_at(where),
        ended_at=lost.at,
        stopped=stop is not None,
        oom_kills=_nodes(kills),
        sealed=sealed,
        trouble=_out_of_memory(clusters, cluster, kills) or unknown,
    )


def _started_at(where: WorkPaths) -> datetime | None:
    """When the user's process began; until the launcher says so, when the launcher itself did."""
    try:
        return _instant(Started.read(where.root).started_at)
    except (FileNotFoundError, MalformedError):
        return modified_at(where.launcher.pid)


def _instant(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        return None


# -- memory ---------------------------------------------------------------------------------------------------------


def _kills(clusters: Clusters, name: str, where: WorkPaths, *, with_ray: bool) -> list[Kill]:
    """Kills for memory on the cluster since the work began, the kernel's first."""
    found = clusters.find(name)
    baseline = read_record(WorkBaseline, where.baseline)
    if found is None or baseline is None:
        return []
    cluster, paths = found
    kernel = [
        evidence.kernel_kill(cluster.name, node.name, facts)
        for node in cluster.nodes
        if (facts := _memory(clusters, cluster, node)) and facts.oom_kills > baseline.oom_kills.get(node.name, 0)
    ]
    if not with_ray:
        return kernel
    ray = (_ray_kill(node, paths, baseline.raylet_log_bytes.get(node.name, 0)) for node in cluster.nodes)
    return kernel + [kill for kill in ray if kill is not None]


def _memory(clusters: Clusters, cluster: ClusterRecord, node: NodeRecord) -> cgroups.MemoryFacts | None:
    groups = clusters.groups(cluster, node)
    return cgroups.memory_facts(groups) if groups is not None else None


def _ray_kill(node: NodeRecord, paths: ClusterPaths, start: int) -> Kill | None:
    ready = read_record(NodeReady, paths.node(node.name).ready)
    return evidence.ray_kill(node.name, raylet_log(ready), start) if ready is not None else None


def _nodes(kills: list[Kill]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(kill.node for kill in kills))


def _out_of_memory(clusters: Clusters, name: str, kills: list[Kill]) -> Trouble | None:
    found = clusters.find(name)
    if not kills or found is None:
        return None
    return evidence.out_of_memory(kills, {node.name: node.group for node in found[0].nodes})
