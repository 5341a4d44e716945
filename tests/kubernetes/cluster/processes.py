"""Starts the cluster's programs in its network namespace, knows them again by a file, and ends them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cluster.network import Network

STOP_SECONDS = 15.0
"""From asking a program to end until it is killed."""


class NotReady(Exception):
    """A program ended, or did not get ready in time; the message ends with the last lines of its log."""


@dataclass(frozen=True)
class Programs:
    """The programs of one cluster, each with `NAME.pid` and `NAME.log` in its folder."""

    network: Network
    folder: Path

    def start(self, name: str, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        """Start `command` in the namespace, in a session of its own: Ctrl-C is for whoever runs the cluster."""
        with self.log(name).open("ab") as log:
            process = subprocess.Popen(
                self.network.inside(*command),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=os.environ | (environment or {}),
                start_new_session=True,
            )
        begun = _start_time(process.pid)
        self._pid_file(name).write_text(f"{process.pid} {begun}\n")

    def log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def pid(self, name: str) -> int | None:
        """The pid of the program while it lives; a pid that now belongs to another process is not taken for it."""
        try:
            pid, begun = self._pid_file(name).read_text().split()
        except (FileNotFoundError, ValueError):
            return None
        return int(pid) if begun and _start_time(int(pid)) == begun else None

    def running(self) -> dict[str, int]:
        """Name → pid of every program that lives."""
        found = {path.stem: self.pid(path.stem) for path in self.folder.glob("*.pid")}
        return {name: pid for name, pid in found.items() if pid is not None}

    def wait(self, name: str, ready: Callable[[], bool], seconds: float) -> None:
        """Wait until `ready` holds; NotReady as soon as `name` has ended, or after `seconds`."""
        deadline = time.monotonic() + seconds
        while not ready():
            if self.pid(name) is None:
                raise NotReady(f"{name} has ended.\n{self._last_words(name)}")
            if time.monotonic() > deadline:
                raise NotReady(f"{name} was not ready after {seconds:.0f} s.\n{self._last_words(name)}")
            time.sleep(0.1)

    def stop(self, *names: str, patience: float = STOP_SECONDS) -> None:
        """Ask all of them to end, wait, and kill those that do not; returns when none of them lives."""
        for name in names:
            self.signal(name, signal.SIGTERM)
        deadline = time.monotonic() + patience
        for name in names:
            while self.pid(name) is not None:
                if time.monotonic() > deadline:
                    self.signal(name, signal.SIGKILL)
                time.sleep(0.05)
            self._pid_file(name).unlink(missing_ok=True)

    def signal(self, name: str, number: signal.Signals) -> None:
        """Send a signal to the program, if it lives."""
        pid = self.pid(name)
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def _pid_file(self, name: str) -> Path:
        return self.folder / f"{name}.pid"

    def _last_words(self, name: str) -> str:
        return "\n".join(self.log(name).read_text(errors="replace").splitlines()[-15:])


def _start_time(pid: int) -> str:
    """When the process began, in the kernel's clock; empty where it has ended. A child that has is reaped."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    if fields[0] != "Z":
        return fields[19]
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
    return ""


def process_of(pid: int) -> str:
    """What identifies a process for as long as this machine is up: its pid and its start."""
    return f"{pid} {_start_time(pid)}"


def lives(process: str) -> bool:
    """Whether the process that `process_of` described still runs."""
    pid, _, begun = process.partition(" ")
    return bool(begun) and _start_time(int(pid)) == begun
