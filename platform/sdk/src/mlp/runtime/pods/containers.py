"""The Ray container as seen from the one beside it: they share their processes, not their files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from mlp.runtime import pids
from mlp.runtime.pods.places import RAY_MARK, AttemptPlace


def link_cgroups(places: Sequence[AttemptPlace]) -> None:
    """Lay links to the Ray container's control group where the agents look. They lead through one of its processes,
    and so are laid anew when the container was started anew."""
    wanting = [place for place in places if not place.cgroup_memory.exists() and place.engine.is_dir()]
    if not wanting:
        return
    first = min(
        pids.marked(RAY_MARK, "ray"), key=lambda pid: (pids.start_ticks(pid) or float("inf"), pid), default=None
    )
    if first is None:
        return
    memory, cpu = groups_of(Path("/proc", str(first), "root/sys/fs/cgroup"))
    for place in wanting:
        _link(memory, place.cgroup_memory)
        _link(cpu, place.cgroup_cpu)


def groups_of(root: Path) -> tuple[Path, Path]:
    """Folders with the facts of memory and of processor time, in either version of control groups."""
    if (root / "memory").is_dir():
        cpu = next((root / name for name in ("cpuacct", "cpu,cpuacct") if (root / name).is_dir()), root)
        return root / "memory", cpu
    return root, root


def _link(target: Path, link: Path) -> None:
    draft = link.with_name(f".{link.name}.draft")
    draft.unlink(missing_ok=True)
    os.symlink(target, draft)
    draft.replace(link)
