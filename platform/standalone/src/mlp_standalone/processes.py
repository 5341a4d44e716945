"""Processes by identity, not by number: a pid is reused, a pid together with its start is not.

A zombie counts as gone. It holds no port, no file and no lock, and where process 1 does not reap (many containers)
it never disappears.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

MARKER = "MLP_STANDALONE"
"""Variable that every service's process carries; its value is the data folder."""
CLUSTER_MARKER = "MLP_CLUSTER"
"""Variable of the operator's cluster processes. They outlive the services and are not ours to end."""
POLL_SECONDS = 0.05


@dataclass(frozen=True)
class Identity:
    """One process of one boot of one machine."""

    pid: int
    started: str

    @classmethod
    def of(cls, pid: int) -> Identity | None:
        """Identity of the live process `pid`; None where there is none or only its zombie."""
        try:
            process = psutil.Process(pid)
            if process.status() == psutil.STATUS_ZOMBIE:
                return None
            return cls(pid, _start_of(process))
        except (psutil.NoSuchProcess, FileNotFoundError, ProcessLookupError):
            return None

    def is_alive(self) -> bool:
        return Identity.of(self.pid) == self

    def send(self, number: int) -> None:
        """Send a signal, unless the process is gone."""
        if self.is_alive():
            _kill(self.pid, number)


def _start_of(process: psutil.Process) -> str:
    """Start of a process in a form that a changed wall clock does not alter."""
    if sys.platform != "linux":
        return f"{process.create_time():.2f}"
    stat = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8", errors="replace")
    ticks = stat.rpartition(")")[2].split()[19]
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return f"{boot}/{ticks}"


def _kill(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Poll `condition` until it holds or `seconds` passed. Returns whether it held."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def end(processes: Iterable[Identity], *, number: int = signal.SIGTERM, grace_seconds: float) -> list[Identity]:
    """Ask processes to end, then make them. Returns those that had to be killed."""
    alive = [process for process in processes if process.is_alive()]
    for process in alive:
        process.send(number)
    if wait_until(lambda: not any(process.is_alive() for process in alive), grace_seconds):
        return []
    stubborn = [process for process in alive if process.is_alive()]
    for process in stubborn:
        process.send(signal.SIGKILL)
    wait_until(lambda: not any(process.is_alive() for process in stubborn), grace_seconds)
    return stubborn


def marked(data: Path, *, name: str = MARKER) -> list[Identity]:
    """Processes of the services of `data` that are alive: found by the variable that each inherits."""
    wanted = str(data)
    found: list[Identity] = []
    for process in psutil.process_iter():
        environment = _environment(process)
        if environment.get(name) == wanted and CLUSTER_MARKER not in environment:
            identity = Identity.of(process.pid)
            if identity is not None and process.pid != os.getpid():
                found.append(identity)
    return found


def working_in(folder: Path) -> list[Identity]:
    """Live processes whose working directory is `folder`.

    Postgres is found by this: it writes its title over the memory that holds its environment.
    """
    wanted = str(folder)
    found: list[Identity] = []
    for process in psutil.process_iter():
        try:
            inside = process.cwd() == wanted
        except (psutil.Error, OSError):
            continue
        identity = Identity.of(process.pid) if inside else None
        if identity is not None:
            found.append(identity)
    return found


def end_group(leader: int) -> None:
    """Kill what the ended process `leader` left behind in its session's process group."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def listens(pid: int, port: int) -> bool:
    """Whether `pid` or a process below it listens on TCP `port`."""
    for process in family(pid):
        try:
            connections = process.net_connections("tcp")
        except psutil.Error:
            continue
        if any(one.status == psutil.CONN_LISTEN and one.laddr and one.laddr.port == port for one in connections):
            return True
    return False


def family(pid: int) -> Sequence[psutil.Process]:
    """`pid` and everything below it, as far as it is alive."""
    try:
        top = psutil.Process(pid)
        return [top, *top.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def _environment(process: psutil.Process) -> dict[str, str]:
    try:
        return process.environ()
    except (psutil.Error, OSError):
        return {}
