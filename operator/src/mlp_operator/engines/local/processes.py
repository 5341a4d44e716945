"""Facts about processes from /proc, and ending them. A zombie is not alive: somebody just has not looked yet."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from pathlib import Path

from mlp_operator.engines.local.state import PidRecord

PROC = Path("/proc")
CLUSTER_MARK = "MLP_CLUSTER"
WORK_MARK = "MLP_ATTEMPT_ID"
NODE_MARK = "MLP_NODE"
MARKS = (CLUSTER_MARK, WORK_MARK, NODE_MARK)
"""Variables by which processes are found again, whatever became of their parents."""


def boot_id() -> str:
    return (PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def is_alive(record: PidRecord | None) -> bool:
    """Whether the very process of the record runs, not a later one with its number."""
    if record is None or record.boot_id != boot_id():
        return False
    return _start_ticks(record.pid) == record.start_ticks


def is_running(pid: int) -> bool:
    return _start_ticks(pid) is not None


def _start_ticks(pid: int) -> int | None:
    """When the process began; None where it is gone or a zombie."""
    try:
        stat = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The name in parentheses may hold anything, so count from its end: field 3 is the state, 22 the start.
    fields = stat.rpartition(")")[2].split()
    if not fields or fields[0] in "ZX":
        return None
    return int(fields[19])


def all_pids() -> list[int]:
    return [int(entry.name) for entry in os.scandir(PROC) if entry.name.isdigit()]


def marked(variable: str, value: str) -> frozenset[int]:
    """Live processes that carry `variable=value` in the environment they were started with."""
    mark = f"{variable}={value}".encode()
    return frozenset(pid for pid in all_pids() if _carries(pid, mark) and is_running(pid))


def _carries(pid: int, mark: bytes) -> bool:
    try:
        environment = (PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return False
    return environment.startswith(mark + b"\0") or b"\0" + mark + b"\0" in environment


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


def send(pids: Iterable[int], number: signal.Signals) -> None:
    """Signal each process; those that are gone meanwhile are passed over."""
    for pid in pids:
        if pid in (os.getpid(), 1):
            continue
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def signal_record(record: PidRecord | None, number: signal.Signals) -> bool:
    """Signal the very process of the record, through a handle that cannot slip to another one."""
    if record is None:
        return False
    try:
        handle = os.pidfd_open(record.pid)
    except (ProcessLookupError, OSError):
        return False
    try:
        if not is_alive(record):
            return False
        signal.pidfd_send_signal(handle, number)
    except ProcessLookupError:
        return False
    finally:
        os.close(handle)
    return True
