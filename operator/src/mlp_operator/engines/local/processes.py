"""Facts about the processes of this machine, and their family trees; single processes are `mlp.runtime.pids`'s."""

from __future__ import annotations

from collections.abc import Iterable

from mlp.runtime.pids import PROC, WORK_MARK
from mlp.runtime.pids import all_pids as all_pids
from mlp.runtime.pids import boot_id as boot_id
from mlp.runtime.pids import is_alive as is_alive
from mlp.runtime.pids import is_running as is_running
from mlp.runtime.pids import marked as marked
from mlp.runtime.pids import send as send
from mlp.runtime.pids import signal_record as signal_record

CLUSTER_MARK = "MLP_CLUSTER"
NODE_MARK = "MLP_NODE"
MARKS = (CLUSTER_MARK, WORK_MARK, NODE_MARK)
"""Variables by which processes are found again, whatever became of their parents."""


def descendants(roots: Iterable[int]) -> frozenset[int]:
    """The processes `roots` and everything below them now."""
    children: dict[int, list[int]] = {}
    for pid in all_pids():
        parent = _parent(pid)
        if parent is not None:
            children.setdefault(parent, []).append(pid)
    found: set[int] = set()
    waiting = [pid for pid in roots if is_running(pid)]
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found.add(pid)
            waiting.extend(children.get(pid, ()))
    return frozenset(found)


def _parent(pid: int) -> int | None:
    try:
        stat = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return int(fields[1]) if len(fields) > 1 and fields[0] not in "ZX" else None
