"""A program of the platform as a real process, which a test may kill at any moment and start again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from support.ports import free_port

START_SECONDS = 600.0
STOP_SECONDS = 90.0
_LOOK_AGAIN = 0.05


@dataclass
class ServiceProcess:
    """One of `python -m MODULE`, healthy once its port answers `/healthz`."""

    name: str
    module: str
    environment: Mapping[str, str]
    log: Path
    port: int = field(default_factory=free_port)
    _process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None, f"{self.name} was not started"
        return self._process.pid

    def start(self) -> None:
        """Start it; what it says is appended to its log."""
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", self.module],
                env=kept | dict(self.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def kill(self) -> None:
        """SIGKILL; returns when it is gone."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """SIGTERM; its exit code. One that does not end in time is killed, and TimeoutExpired raised."""
        return self._end(signal.SIGTERM)

    def wait_until_healthy(self) -> None:
        until = time.monotonic() + START_SECONDS
        while not self._is_healthy():
            if self._process is None or self._process.poll() is not None:
                raise AssertionError(f"{self.name} has ended:\n{self.said()}")
            if time.monotonic() > until:
                raise AssertionError(f"{self.name} is not healthy after {START_SECONDS:g} s:\n{self.said()}")
            time.sleep(_LOOK_AGAIN)

    def said(self) -> str:
        """The end of its log."""
        return self.log.read_text(errors="replace")[-6000:] if self.log.exists() else ""

    def _is_healthy(self) -> bool:
        try:
            return httpx.get(f"http://127.0.0.1:{self.port}/healthz", timeout=5, trust_env=False).is_success
        except httpx.HTTPError:
            return False

    def _end(self, how: signal.Signals) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        process.send_signal(how)
        try:
            return process.wait(STOP_SECONDS)
        finally:
            process.kill()
            process.wait()
