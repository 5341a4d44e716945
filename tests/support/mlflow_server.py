"""A real MLflow server, started exactly as `mlp up` starts it; half a minute and 570 MB, so once per test session."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import httpx

from mlp_core.gateways.mlflow.tokens import workspace_of
from mlp_standalone.config import Ports, Secrets
from mlp_standalone.layout import Layout
from mlp_standalone.postgres import Postgres as StandalonePostgres
from mlp_standalone.services import Service, mlflow_service
from support.platform import SECRET
from support.ports import free_port
from support.postgres import Postgres

START_SECONDS = 240
_KILLER = """
import os, signal, sys
root, pid, least = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
print("looking", flush=True)
while True:
    for folder, _, names in os.walk(root):
        for name in names:
            try:
                size = os.stat(os.path.join(folder, name)).st_size
            except FileNotFoundError:
                continue
            if size >= least:
                os.kill(pid, signal.SIGKILL)
                sys.exit()
"""


class _TestDatabase:
    """Stands in for the standalone platform's Postgres: only the URL is asked for."""

    def __init__(self, postgres: Postgres, database: str) -> None:
        self._postgres = postgres
        self._database = database

    def url(self, database: str) -> str:
        return self._postgres.url(self._database)


@dataclass
class MlflowServer:
    """Where MLflow listens, and the key that signs what it takes. `kill` and `start` are for tests of outages."""

    service: Service
    base_url: str
    secret: str
    artifacts: Path
    _log: Path
    start_seconds: float = START_SECONDS
    _process: subprocess.Popen[bytes] | None = None

    def artifacts_of(self, project_id: str) -> Path:
        return self.artifacts / "workspaces" / workspace_of(project_id)

    def start(self) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self.service.command, env=dict(self.service.environment), stdout=log, stderr=subprocess.STDOUT
            )

    def kill(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()

    @contextmanager
    def killed_under_an_upload(self, project_id: str, at_bytes: int) -> Generator[subprocess.Popen[bytes]]:
        """A process that kills the server once an artifact of the project has `at_bytes` bytes, and ends then.

        Not a thread: the api that passes the upload on may run in this very process, and would keep a thread from
        looking until all is over.
        """
        assert self._process is not None
        program = [sys.executable, "-I", "-S", "-c", _KILLER]
        arguments = [str(self.artifacts_of(project_id)), str(self._process.pid), str(at_bytes)]
        with subprocess.Popen([*program, *arguments], stdout=subprocess.PIPE) as killer:
            assert killer.stdout is not None
            assert killer.stdout.readline() == b"looking\n"
            try:
                yield killer
            finally:
                killer.kill()

    def wait(self) -> None:
        """Until it answers."""
        deadline = time.monotonic() + self.start_seconds
        while time.monotonic() < deadline:
            if self._process is None or self._process.poll() is not None:
                raise RuntimeError(f"MLflow has ended:\n{self._tail()}")
            try:
                if httpx.get(f"{self.base_url}/health", timeout=2).is_success:
                    return
            except httpx.HTTPError:
                pass
            time.sleep(0.2)
        raise TimeoutError(f"MLflow does not answer after {self.start_seconds:g} s:\n{self._tail()}")

    def resident_bytes(self) -> int:
        """Memory of the server's process now."""
        assert self._process is not None
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) * 1024

    def _tail(self) -> str:
        return self._log.read_text(errors="replace")[-4000:]


@contextmanager
def running_mlflow(postgres: Postgres, start_seconds: float = START_SECONDS) -> Generator[MlflowServer]:
    """Start the server over a database and an artifact folder of its own; both are gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="mlp-mlflow-"))
    database = postgres.create(migrated=False)
    layout = Layout.at(folder)
    layout.create()
    ports = Ports(api=1, valkey=1, mlflow=free_port())
    secrets = Secrets(SECRET, "a-password-of-the-tests", "a-session-key-of-the-tests", "unused", "unused")
    standalone = cast(StandalonePostgres, _TestDatabase(postgres, database))
    service = mlflow_service(layout, ports, secrets, standalone)
    if service.prepare is not None:
        service.prepare()
    server = MlflowServer(
        service, f"http://127.0.0.1:{ports.mlflow}", SECRET, layout.artifacts, folder / "log", start_seconds
    )
    server.start()
    try:
        server.wait()
        yield server
    finally:
        server.kill()
        postgres.drop(database)
        shutil.rmtree(folder, ignore_errors=True)


def client_environment(url: str, slug: str, token: str) -> dict[str, str]:
    """What a person sets to use the stock `mlflow` client on the platform, and nothing else of ours."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return {
        **kept,
        "MLFLOW_TRACKING_URI": f"{url}/mlflow/{slug}",
        "MLFLOW_TRACKING_TOKEN": token,
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "GIT_PYTHON_REFRESH": "quiet",
    }
