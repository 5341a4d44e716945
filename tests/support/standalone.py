"""A supervisor over small services, as a real process that can be killed."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from mlp_standalone import control, state
from mlp_standalone.layout import Layout
from mlp_standalone.processes import Identity, end, marked
from mlp_standalone.state import Health, Phase, State

T = TypeVar("T")
SMALL_PLATFORM = Path(__file__).with_name("small_platform.py")
DEADLINE_SECONDS = 30.0


def eventually(ask: Callable[[], T | None], what: str, seconds: float = DEADLINE_SECONDS) -> T:
    """The first answer that is true. Fails when none comes in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        answer = ask()
        if answer:
            return answer
        time.sleep(0.02)
    pytest.fail(f"{what} did not happen in {seconds} s")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class SmallPlatform:
    """One data folder and the supervisors that were started on it."""

    def __init__(self, root: Path, program: Path = SMALL_PLATFORM) -> None:
        self.layout = Layout.at(root)
        self.layout.create()
        self._program = program
        self.supervisors: list[subprocess.Popen[bytes]] = []

    def plan(self, *services: dict[str, Any], steps: tuple[dict[str, Any], ...] = (), **more: Any) -> None:
        document = {"services": services, "steps": steps, **more}
        (self.layout.root / "plan.json").write_text(json.dumps(document), encoding="utf-8")

    def start(self, *, attached: bool = False) -> subprocess.Popen[bytes]:
        supervisor = control.start(self.layout, attached=attached, program=("-P", str(self._program)))
        self.supervisors.append(supervisor)
        return supervisor

    def up(self) -> State:
        """Start and wait until everything is healthy."""
        supervisor = self.start()
        *_, last = control.follow_start(self.layout, supervisor)
        return last

    def state(self) -> State:
        found = state.read(self.layout)
        assert found is not None
        return found

    def wait_for(self, phase: Phase, seconds: float = DEADLINE_SECONDS) -> State:
        def ask() -> State | None:
            found = state.read(self.layout)
            return found if found is not None and found.phase is phase else None

        return eventually(ask, f"phase {phase}", seconds)

    def wait_for_restart(self, name: str, restarts: int = 1, seconds: float = DEADLINE_SECONDS) -> State:
        def ask() -> State | None:
            found = self.state()
            unit = found.unit(name)
            return found if unit.restarts >= restarts and unit.health is Health.HEALTHY else None

        return eventually(ask, f"restart {restarts} of {name}", seconds)

    def pid(self, name: str) -> int:
        pid = self.state().unit(name).pid
        assert pid is not None
        return pid

    def kill(self, name: str) -> None:
        os.kill(self.pid(name), signal.SIGKILL)

    def kill_supervisor(self) -> None:
        self.supervisors[-1].kill()
        self.supervisors[-1].wait()

    def stop(self) -> int:
        """Drain as `mlp down` does. Returns the supervisor's exit status."""
        self.supervisors[-1].send_signal(signal.SIGTERM)
        return self.supervisors[-1].wait(DEADLINE_SECONDS)

    def alive(self) -> list[Identity]:
        """Every process of this data folder except supervisors of this test."""
        own = {supervisor.pid for supervisor in self.supervisors}
        return [identity for identity in marked(self.layout.root) if identity.pid not in own]

    def events(self) -> list[str]:
        path = self.layout.root / "events"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def close(self) -> None:
        for supervisor in self.supervisors:
            if supervisor.poll() is None:
                supervisor.kill()
            supervisor.wait()
        end(marked(self.layout.root), grace_seconds=1)


def is_gone(pid: int) -> bool:
    return Identity.of(pid) is None
