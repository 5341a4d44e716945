"""Jobs and agents as real processes."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mlp.runtime.agent_config import AgentConfig
from mlp.runtime.records import ExitRecord, LaunchSpec, StopRequest, agent_command, launch_command, sigterm_held
from support.agent_api import AgentApi


def eventually(condition: Callable[[], Any], seconds: float = 20.0) -> Any:
    """The condition's value once it is true."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError("it did not come true in time")


@dataclass
class Job:
    """One attempt's folder, and the launcher at work in it."""

    folder: Path
    process: subprocess.Popen[bytes] | None = None
    mark: str = ""

    @property
    def log(self) -> Path:
        return self.folder / "logs" / "driver.log"

    def start(self, env: dict[str, str] | None = None, **spec: Any) -> Job:
        self.mark = f"job-{os.getpid()}-{id(self)}"
        self.folder.joinpath("code").mkdir(exist_ok=True)
        values = {"PATH": os.environ["PATH"], "MLP_ATTEMPT_ID": self.mark} | (env or {})
        LaunchSpec(cwd=str(self.folder / "code"), log=str(self.log), env=values, **spec).write(self.folder)
        with sigterm_held():
            self.process = subprocess.Popen(launch_command(sys.executable, self.folder), start_new_session=True)
        return self

    def stop(self, grace_seconds: float | None = None) -> Job:
        assert self.process is not None
        if grace_seconds is not None:
            StopRequest(grace_seconds, "a test").write(self.folder)
        self.process.send_signal(signal.SIGTERM)
        return self

    def wait(self) -> ExitRecord:
        assert self.process is not None
        status = self.process.wait(30)
        record = ExitRecord.read(self.folder)
        assert record is not None, "no exit.json"
        assert record.status == status
        assert self.pids() == [], "something of the job outlived it"
        return record

    def run(self, **spec: Any) -> ExitRecord:
        return self.start(**spec).wait()

    def says(self, text: str) -> None:
        eventually(lambda: self.log.exists() and text.encode() in self.log.read_bytes())

    def pids(self) -> list[int]:
        """Living processes that carry this job's mark."""
        wanted = f"MLP_ATTEMPT_ID={self.mark}".encode()
        found: list[int] = []
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if entry.name.isdecimal() and wanted in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
        return found

    def end(self) -> None:
        for pid in self.pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


@dataclass
class Agents:
    """Starts agents on one state folder."""

    folder: Path
    api: AgentApi
    started: list[subprocess.Popen[bytes]] = field(default_factory=list[subprocess.Popen[bytes]])

    def start(self, **config: Any) -> subprocess.Popen[bytes]:
        values: dict[str, Any] = {
            "api_url": self.api.url,
            "attempt_id": "att_1",
            "state_dir": str(self.folder / "state"),
            "token": "job-token",
            "poll_seconds": 0.02,
            "drain_seconds": 10.0,
        }
        path = self.folder / "agent.json"
        AgentConfig(**(values | config)).write(path)
        with sigterm_held():
            self.started.append(subprocess.Popen(agent_command(sys.executable, path), stderr=subprocess.PIPE))
        return self.started[-1]

    def drain(self) -> int:
        """SIGTERM, then the exit status."""
        self.started[-1].send_signal(signal.SIGTERM)
        return self.started[-1].wait(30)

    def end(self) -> None:
        for process in self.started:
            if process.poll() is None:
                process.kill()
                process.wait()
            if process.stderr is not None:
                process.stderr.close()
