"""The api as its users run it: the `mlp-api` process with a real server in it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from mlp_core.settings import Settings
from support.ports import free_port

START_SECONDS = 180.0
_LOOK_AGAIN = 0.05


@dataclass(frozen=True)
class ApiProcess:
    """Where it listens, and which process it is."""

    url: str
    pid: int


@contextmanager
def running_api(settings: Settings, log: Path, **more: str) -> Generator[ApiProcess]:
    """An api process on `settings`; `more` are further variables. Ended at the end of the block."""
    port = free_port()
    environment = os.environ | {
        "MLP_DATABASE_URL": settings.database_url,
        "MLP_OBJECT_STORE_URL": settings.object_store_url,
        "MLP_SECRET_KEY": settings.secret_key.get_secret_value(),
        "MLP_REDIS_URL": settings.redis_url,
        "MLP_MLFLOW_URL": settings.mlflow_url,
        "MLP_PUBLIC_URL": f"http://127.0.0.1:{port}",
        "MLP_DATA_DIR": str(settings.data_dir),
        "MLP_API_PORT": str(port),
        **more,
    }
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "mlp_api.main"], env=environment, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_until_alive(url, process, log)
        yield ApiProcess(url, process.pid)
    finally:
        process.terminate()
        process.wait(30)


def _wait_until_alive(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        if process.poll() is not None:
            raise AssertionError(f"the api ended with {process.returncode}:\n{log.read_text()[-4000:]}")
        try:
            if httpx.get(f"{url}/healthz", timeout=2).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(_LOOK_AGAIN)
    raise AssertionError(f"the api did not come up:\n{log.read_text()[-4000:]}")
