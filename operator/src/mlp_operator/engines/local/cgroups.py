"""A control group per Ray node: memory as a hard limit, CPU as a share, and the kernel's word on what it killed.

CPU is a share and not a quota. Nodes on one machine may use what the others leave idle, Ray's own start-up needs far
more than a small node's declared CPU for a few seconds, and under load the shares keep the declared proportions. Only
memory cannot be taken back, so only memory is a limit. Shares weigh a group against its siblings, so each level gets
its own: a node by its CPUs, a cluster by the sum of them, and all clusters together by the machine. The last one
matters most: beside the group of all clusters stand plain processes, each with the weight of one CPU, and with the
kernel's default every cluster together would get no more than one of them.

Groups live at the root of the mounted hierarchy, not below the engine's own group: clusters outlive the engine, and a
service manager that ends the engine's group must not end them. In a container that root is the container's own.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

ROOT_GROUP = "mlp"
SHARES_PER_CPU = 1024
WEIGHT_PER_CPU = 100
CLUSTERS_PER_CORE = 4
"""Weight of all clusters together, in CPUs per core: busy jobs leave the platform's own processes a fifth."""
MOUNTS = Path("/proc/self/mounts")


@dataclass(frozen=True, slots=True)
class NodeCgroups:
    """The folders of one node's groups. With version 2 they are one and the same."""

    version: int
    memory: Path
    cpu: Path
    usage: Path
    """Where CPU time is counted (`cpuacct` with version 1)."""

    @property
    def folders(self) -> tuple[Path, ...]:
        return tuple(dict.fromkeys((self.memory, self.cpu, self.usage)))


@dataclass(frozen=True, slots=True)
class MemoryFacts:
    used_bytes: int
    peak_bytes: int
    limit_bytes: int
    oom_kills: int


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """The mounted control groups this process may write, or why it may not."""

    version: int | None
    memory: Path | None = None
    cpu: Path | None = None
    usage: Path | None = None
    reason: str = ""

    def node(self, cluster: str, node: str) -> NodeCgroups | None:
        """Where a node's groups belong; None where there are none to be had."""
        if self.version is None or self.memory is None or self.cpu is None or self.usage is None:
            return None
        below = Path(ROOT_GROUP) / cluster / node
        return NodeCgroups(self.version, self.memory / below, self.cpu / below, self.usage / below)


def detect(mounts: Path = MOUNTS, *, effective_uid: int | None = None) -> Hierarchy:
    """What this machine offers: version 2 where it has the memory controller, else version 1, else nothing."""
    if (os.geteuid() if effective_uid is None else effective_uid) != 0:
        return Hierarchy(None, reason="the operator does not run as root")
    found = _mounted(mounts)
    unified = found.get("unified")
    if unified is not None and "memory" in _words(unified / "cgroup.controllers"):
        return _version_two(unified)
    memory, cpu, usage = found.get("memory"), found.get("cpu"), found.get("cpuacct")
    if memory is None or cpu is None or usage is None:
        return Hierarchy(None, reason="no memory and cpu control groups are mounted")
    if not all(os.access(folder, os.W_OK) for folder in (memory, cpu, usage)):
        return Hierarchy(None, reason="the control groups are mounted read-only")
    return Hierarchy(1, memory, cpu, usage)


def _mounted(mounts: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for line in mounts.read_text(encoding="utf-8").splitlines():
        _, folder, kind, options = line.split(" ")[:4]
        if kind == "cgroup2":
            found["unified"] = Path(folder)
        elif kind == "cgroup":
            found.update(dict.fromkeys(options.split(","), Path(folder)))
    return found


def _version_two(unified: Path) -> Hierarchy:
    """Version 2 gives a group only the controllers that every group above it passes on."""
    group = unified / ROOT_GROUP
    try:
        group.mkdir(exist_ok=True)
        for folder in (unified, group):
            _pass_on(folder)
    except OSError as error:
        return Hierarchy(None, reason=f"control groups cannot be written ({error.strerror})")
    return Hierarchy(2, unified, unified, unified)


def _pass_on(folder: Path) -> None:
    wanted = {"memory", "cpu"} - _words(folder / "cgroup.subtree_control")
    if wanted:
        _write(folder / "cgroup.subtree_control", " ".join(f"+{name}" for name in sorted(wanted)))


def create(groups: NodeCgroups, *, memory_bytes: int, cpu: float, cluster_cpu: float) -> None:
    """Make the groups and set their limits. Repeating it changes nothing. `cluster_cpu`: of all the cluster's nodes."""
    for folder in groups.folders:
        folder.mkdir(parents=True, exist_ok=True)
    if groups.version == 2:
        _pass_on(groups.memory.parent)
        _write(groups.memory / "memory.max", str(memory_bytes))
        _write_if_there(groups.memory / "memory.swap.max", "0")
        # One process killed, not the whole node: Ray and the launcher must live to tell.
        _write_if_there(groups.memory / "memory.oom.group", "0")
    else:
        _write(groups.memory / "memory.limit_in_bytes", str(memory_bytes))
        _write_if_there(groups.memory / "memory.memsw.limit_in_bytes", str(memory_bytes))
    cluster = groups.cpu.parent
    cores = len(os.sched_getaffinity(0))
    for folder, cpus in ((groups.cpu, cpu), (cluster, cluster_cpu), (cluster.parent, cores * CLUSTERS_PER_CORE)):
        _weigh(folder, cpus, groups.version)


def _weigh(folder: Path, cpus: float, version: int) -> None:
    if version == 2:
        _write(folder / "cpu.weight", str(_bounded(round(cpus * WEIGHT_PER_CPU), 1, 10_000)))
    else:
        _write(folder / "cpu.shares", str(_bounded(round(cpus * SHARES_PER_CPU), 2, 262_144)))


def procs_files(groups: NodeCgroups) -> tuple[Path, ...]:
    """Where a process writes itself in."""
    return tuple(folder / "cgroup.procs" for folder in groups.folders)


def pids(groups: NodeCgroups) -> frozenset[int]:
    found: set[int] = set()
    for folder in groups.folders:
        found.update(int(word) for word in _words(folder / "cgroup.procs"))
    return frozenset(found)


def memory_facts(groups: NodeCgroups) -> MemoryFacts | None:
    """None once the group is gone."""
    folder = groups.memory
    try:
        if groups.version == 2:
            return MemoryFacts(
                used_bytes=_number(folder / "memory.current"),
                peak_bytes=_peak(folder),
                limit_bytes=_number(folder / "memory.max"),
                oom_kills=_count(folder / "memory.events", "oom_kill"),
            )
        return MemoryFacts(
            used_bytes=_number(folder / "memory.usage_in_bytes"),
            peak_bytes=_number(folder / "memory.max_usage_in_bytes"),
            limit_bytes=_number(folder / "memory.limit_in_bytes"),
            oom_kills=_count(folder / "memory.oom_control", "oom_kill"),
        )
    except (FileNotFoundError, NotADirectoryError):
        return None


def _peak(folder: Path) -> int:
    peak = folder / "memory.peak"  # since Linux 5.19
    return _number(peak if peak.exists() else folder / "memory.current")


def remove(groups: NodeCgroups) -> bool:
    """Remove the node's groups and the cluster's, when empty. False while a process is left in one."""
    for folder in groups.folders:
        try:
            folder.rmdir()
        except FileNotFoundError:
            continue
        except OSError:
            return False
    for folder in groups.folders:
        try:
            folder.parent.rmdir()
        except OSError:
            continue  # other nodes of the cluster are still there
    return True


def _words(path: Path) -> set[str]:
    try:
        return set(path.read_text(encoding="ascii").split())
    except (FileNotFoundError, NotADirectoryError, OSError):
        return set()


def _number(path: Path) -> int:
    text = path.read_text(encoding="ascii").strip()
    return 2**63 - 1 if text == "max" else int(text)


def _count(path: Path, key: str) -> int:
    for line in path.read_text(encoding="ascii").splitlines():
        name, _, value = line.partition(" ")
        if name == key:
            return int(value)
    return 0


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="ascii")


def _write_if_there(path: Path, text: str) -> None:
    if path.exists():
        _write(path, text)


def _bounded(value: int, low: int, high: int) -> int:
    return max(low, min(high, value))
