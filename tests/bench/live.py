"""The platform under measurement: started like a user's, with a data folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import psutil

import mlp
from mlp.schemas.clusters import ClusterCreate, ClusterRead
from mlp.schemas.phases import ClusterPhase
from mlp.schemas.resources import Head, Resources

BIN = Path(sys.executable).parent
CLUSTER_SECONDS = 300


@dataclass(frozen=True)
class RayAddress:
    """How Ray's own tools reach a cluster of the platform."""

    dashboard: str
    environment: dict[str, str]


class ServiceDown(Exception):
    """A service of the measured platform does not run at the moment."""


class Live:
    """A running platform and its user."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.config = data / "client.toml"

    def user_environment(self) -> dict[str, str]:
        """Variables of a signed-in user's shell."""
        left_out = ("MLP_URL", "MLP_TOKEN", "MLP_PROJECT", "PYTHONDONTWRITEBYTECODE")
        kept = {name: value for name, value in os.environ.items() if name not in left_out}
        return {**kept, "MLP_CONFIG": str(self.config), "PATH": f"{BIN}{os.pathsep}{kept.get('PATH', '')}"}

    def command(self, *arguments: str | Path) -> str:
        """Standard output of one `mlp` command."""
        done = self._run(*arguments)
        if done.returncode != 0:
            raise RuntimeError(f"{done.args} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def _run(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        line = [str(BIN / "mlp"), *map(str, arguments)]
        return subprocess.run(line, env=self.user_environment(), capture_output=True, text=True, check=False)

    @cached_property
    def client(self) -> mlp.Client:
        os.environ["MLP_CONFIG"] = str(self.config)
        return mlp.Client()

    def status(self) -> dict[str, Any]:
        return json.loads(self._run("status", "--json", "--data", self.data).stdout)

    def process(self, name: str) -> psutil.Process:
        """The process of one service.

        Raises:
            ServiceDown: it has none at the moment.
        """
        pid = next(unit["pid"] for unit in self.status()["processes"] if unit["name"] == name)
        if pid is None:
            raise ServiceDown(name)
        return psutil.Process(pid)

    @contextmanager
    def cluster(self, name: str) -> Generator[ClusterRead]:
        """A project cluster of one head node, ready."""
        self.client.clusters.create(ClusterCreate(name=name, resources=Resources(head=Head(cpu=1, memory=3 << 30))))
        try:
            yield self._ready(name)
        finally:
            self.client.clusters.stop(name)

    def _ready(self, name: str) -> ClusterRead:
        until = time.monotonic() + CLUSTER_SECONDS
        while (cluster := self.client.clusters.get(name)).phase is not ClusterPhase.READY:
            if time.monotonic() > until:
                break
            time.sleep(0.5)
        else:
            return cluster
        raise TimeoutError(f"Cluster {name} was not ready after {CLUSTER_SECONDS} s: {cluster.message}")

    def ray_address(self, cluster: ClusterRead) -> RayAddress:
        """Address and token as the local engine wrote them down."""
        found = [folder for folder in (self.data / "clusters").iterdir() if folder.name.startswith(cluster.id)]
        folder = found[0]
        record = json.loads((folder / "cluster.json").read_text())
        environment = {
            **self.user_environment(),
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN_PATH": str(folder / "token"),
        }
        return RayAddress(f"http://127.0.0.1:{record['dashboard_port']}", environment)


@contextmanager
def running(data: Path) -> Generator[Live]:
    """Start the platform over `data`, and stop it."""
    live = Live(data.resolve())
    live.data.mkdir(parents=True, exist_ok=True)
    live.command("up", "--detach", "--data", live.data)
    try:
        yield live
    finally:
        live.command("down", "--data", live.data)
