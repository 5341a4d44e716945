"""docker-compose.yml, started with podman-compose: a job runs from its submission to its log and its MLflow run.

Nothing is pulled: images built here stand in for the official ones. Podman leaves health checks to systemd, which is
not everywhere, so the test runs the file's own checks itself.
"""

from __future__ import annotations

import subprocess
import sys
import time
import uuid
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import dotenv
import httpx
import pytest

import mlp
from support import containers
from support.containers import podman
from support.ports import free_port

pytestmark = pytest.mark.timeout(5400)
ROOT = Path(__file__).parents[2]
PODMAN_COMPOSE = Path(sys.executable).parent / "podman-compose"
HEALTHY_SECONDS = 600
SERVICES = ("mlflow", "api", "operator", "worker")
STORES = ("postgres", "valkey", "objects")


@dataclass(frozen=True)
class Project:
    """One started file."""

    name: str
    variables: dict[str, str]

    def run(self, *arguments: str, timeout: float = 900) -> str:
        done = subprocess.run(
            [str(PODMAN_COMPOSE), "--project-name", self.name, "--file", str(ROOT / "docker-compose.yml"), *arguments],
            env=containers.environment() | self.variables,
            cwd=ROOT, capture_output=True, text=True, timeout=timeout, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout

    def container(self, service: str) -> str:
        return f"{self.name}_{service}_1"

    def wait_until_healthy(self, *services: str) -> None:
        """By the checks that the file gives."""
        until = time.monotonic() + HEALTHY_SECONDS
        for service in services:
            while podman("healthcheck", "run", self.container(service), check=False).returncode:
                assert time.monotonic() < until, f"{service}: {podman('logs', self.container(service), check=False)}"
                time.sleep(0.5)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Generator[Project]:
    try:
        containers.require()
    except containers.CannotRun as reason:
        pytest.skip(str(reason))
    file = tmp_path_factory.mktemp("compose") / "made.env"
    subprocess.run([ROOT / "compose/make-env", str(file)], check=True, capture_output=True)
    images = {
        "MLP_IMAGE": containers.built(containers.COMPOSE),
        **{f"{name.upper()}_IMAGE": containers.built(containers.stand_in(name)) for name in STORES},
    }
    made = {name: value or "" for name, value in dotenv.dotenv_values(file).items()}
    project = Project(f"mlp{uuid.uuid4().hex[:6]}", made | images | {"MLP_PORT": str(free_port())})
    try:
        project.run("up", "--detach", "--no-build")
        project.wait_until_healthy(*STORES, *SERVICES)
        yield project
    finally:
        project.run("down", "--volumes")


@pytest.fixture(scope="module")
def client(project: Project) -> mlp.Client:
    url = f"http://127.0.0.1:{project.variables['MLP_PORT']}"
    signing_in = {"username": "admin", "password": project.variables["MLP_ADMIN_PASSWORD"], "device": "the test"}
    signed_in = httpx.post(f"{url}/api/v1/login", json=signing_in, timeout=30, trust_env=False).raise_for_status()
    return mlp.Client(url, signed_in.json()["token"], project="default")


def test_every_dependency_answers(client: mlp.Client) -> None:
    ready = httpx.get(f"{client.url}/readyz", timeout=10, trust_env=False).json()
    assert ready["status"] == "ready", ready


def test_a_job_runs_to_its_end(client: mlp.Client) -> None:
    code = "import mlflow; mlflow.log_metric('accuracy', 0.5); print('hello from a container')"
    job = client.jobs.submit(entrypoint=["python", "-c", code])
    job.wait(timeout=900, show=False)
    assert any("hello from a container" in line for line in job.logs())
    assert job.metrics["accuracy"] == 0.5


def test_a_second_up_changes_nothing(project: Project, client: mlp.Client) -> None:
    before = [job.id for job in client.jobs.list()]
    project.run("up", "--detach", "--no-build")
    project.wait_until_healthy(*SERVICES)
    assert [job.id for job in client.jobs.list()] == before
