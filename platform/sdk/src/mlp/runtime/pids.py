"""Processes told apart for good, found by marks in their environment, and signalled. A zombie is not alive: somebody
just has not looked yet.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from mlp.runtime import _json
from mlp.runtime._json import MalformedError

PROC = Path("/proc")
WORK_MARK = "MLP_ATTEMPT_ID"
"""A variable that every process of an attempt carries, whatever becomes of its parents."""


@dataclass(frozen=True, slots=True)
class PidRecord:
    """A process that may outlive who started it, told apart from a later one with the same number."""

    pid: int
    start_ticks: int
    """Start in clock ticks since boot, field 22 of /proc/PID/stat."""
    boot_id: str

    @classmethod
    def of(cls, pid: int) -> PidRecord | None:
        """None where it is gone."""
        ticks = start_ticks(pid)
        return None if ticks is None else cls(pid, ticks, boot_id())

    @classmethod
    def read(cls, path: Path) -> PidRecord | None:
        """None where there is none, or one that nobody wrote whole."""
        try:
            source = _json.read_object(path)
            return cls(
                pid=_json.as_integer(source.get("pid"), "pid"),
                start_ticks=_json.as_integer(source.get("start_ticks"), "start_ticks"),
                boot_id=_json.as_text(source.get("boot_id"), "boot_id"),
            )
        except (FileNotFoundError, NotADirectoryError, MalformedError):
            return None

    def write(self, path: Path) -> None:
        _json.write_object(path, {"pid": self.pid, "start_ticks": self.start_ticks, "boot_id": self.boot_id})


def boot_id() -> str:
    return (PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def is_alive(record: PidRecord | None) -> bool:
    """Whether the very process of the record runs, not a later one with its number."""
    if record is None or record.boot_id != boot_id():
        return False
    return start_ticks(record.pid) == record.start_ticks


def is_running(pid: int) -> bool:
    return start_ticks(pid) is not None


def start_ticks(pid: int) -> int | None:
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


def _carries(pid: int, mark: bytes) -> bool:
    try:
        environment = (PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return False
    return environment.startswith(mark + b"\0") or b"\0" + mark + b"\0" in environment
