"""The images as they are shipped: locked down like in the chart, each process starts and says that it is well."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Generator
from contextlib import contextmanager

import httpx
import pytest

from support import containers
from support.containers import podman

pytestmark = pytest.mark.timeout(3600)
START_SECONDS = 300
LOCKED = (
    "--read-only",
    "--tmpfs=/tmp",
    "--cap-drop=all",
    "--security-opt=no-new-privileges",
)
"""As the chart's pods run."""
SECRET = "a-secret-key-of-the-tests-that-is-long-enough"
PASSWORD = "a-password-of-the-tests"
SETTINGS = {
    "MLP_DATABASE_URL": f"postgresql+psycopg://mlp:{PASSWORD}@postgres:5432/mlp",
    "MLP_REDIS_URL": "redis://valkey:6379/0",
    "MLP_OBJECT_STORE_URL": "file:///tmp/objects",
    "MLP_SECRET_KEY": SECRET,
    "MLP_MLFLOW_URL": "http://mlflow:5000",
}


def variables(values: dict[str, str]) -> list[str]:
    return [f"--env={name}={value}" for name, value in values.items()]


@contextmanager
def running(name: str, *arguments: str, network: str) -> Generator[str]:
    """A container that others find by `name`; its id."""
    identity = podman(
        "run",
        "--detach",
        f"--name={name}-{uuid.uuid4().hex[:6]}",
        f"--network={network}",
        f"--network-alias={name}",
        *arguments,
    ).stdout.strip()
    try:
        yield identity
    finally:
        podman("rm", "--force", "--volumes", "--time=5", identity)


@pytest.fixture
def neighbours(network: str, platform_image: str) -> Generator[str]:
    """A network with Postgres (migrated by the image itself) and Valkey."""
    postgres = variables({"POSTGRES_USER": "mlp", "POSTGRES_DB": "mlp", "POSTGRES_PASSWORD": PASSWORD})
    with (
        running("postgres", *postgres, containers.built(containers.stand_in("postgres")), network=network),
        running("valkey", containers.built(containers.stand_in("valkey")), network=network),
    ):
        migrated = podman(
            "run", "--rm", f"--network={network}", *LOCKED, *variables(SETTINGS), platform_image,
            "sh", "-c", "until python -m mlp_core.migrate upgrade; do sleep 1; done",
            timeout=START_SECONDS,
        )  # fmt: skip
        assert "applied" in migrated.stdout
        yield network


def answer(container: str, port: int, path: str) -> httpx.Response:
    """What the process says once it says anything, asked from outside its container."""
    where = podman("port", container, f"{port}/tcp").stdout.strip()
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        try:
            return httpx.get(f"http://{where}{path}", timeout=10, trust_env=False)
        except httpx.HTTPError:
            state = json.loads(podman("inspect", container).stdout)[0]["State"]
            assert state["Running"], podman("logs", container, check=False)
            time.sleep(0.3)
    raise AssertionError(f"no answer within {START_SECONDS} s: {podman('logs', container, check=False)}")


@pytest.mark.parametrize(
    ("command", "more", "port", "path"),
    [
        (["mlp-api"], {}, 8080, "/healthz"),
        (["mlp-worker"], {"MLP_WORKER_PORT": "8082"}, 8082, "/healthz"),
        (
            ["python", "-m", "mlp_core.gateways.mlflow_main"],
            {
                "MLP_MLFLOW_DATABASE_URL": f"postgresql+psycopg://mlp:{PASSWORD}@postgres:5432/mlp_flow",
                "MLP_MLFLOW_ARTIFACTS": "/tmp/artifacts",
                "MLP_MLFLOW_ADMIN_PASSWORD": PASSWORD,
                "MLP_MLFLOW_SESSION_KEY": SECRET,
                "MLP_MLFLOW_HOST": "0.0.0.0",
            },
            5000,
            "/health",
        ),
    ],
    ids=["api", "worker", "mlflow"],
)
def test_each_process_answers(
    neighbours: str, platform_image: str, command: list[str], more: dict[str, str], port: int, path: str
) -> None:
    if "MLP_MLFLOW_DATABASE_URL" in more:
        podman(
            "run", "--rm", f"--network={neighbours}", platform_image, "python", "-c",
            "import psycopg, sys; psycopg.connect(sys.argv[1], autocommit=True).execute('CREATE DATABASE mlp_flow')",
            SETTINGS["MLP_DATABASE_URL"].replace("+psycopg", ""),
        )  # fmt: skip
    arguments = [*LOCKED, *variables(SETTINGS | more), f"--publish=127.0.0.1::{port}", platform_image, *command]
    with running("tested", *arguments, network=neighbours) as container:
        assert answer(container, port, path).status_code == 200


@pytest.mark.parametrize("which", ["platform", "ray"])
def test_what_is_inside(which: str, request: pytest.FixtureRequest) -> None:
    image: str = request.getfixturevalue(f"{which}_image")
    inspected = json.loads(podman("inspect", image).stdout)[0]
    configuration = inspected["Config"]
    assert configuration["User"] == {"platform": "10001:10001", "ray": "1000:1000"}[which]
    assert configuration["Labels"]["org.opencontainers.image.title"].startswith("mlp")
    assert inspected["Healthcheck"] == {"Test": ["NONE"]}
    looked = podman(
        "run", "--rm", *LOCKED, image, "sh", "-c",
        "command -v gcc pip npm; ls -d /src /opt/uv /root/.cache; "
        "for kind in py pyc; do find /opt/mlp -name \"*.$kind\" -path '*/site-packages/mlp/*' | wc -l; done; "
        "find / -xdev -perm /6000 -type f -path '/opt/*'",
        check=False,
    )  # fmt: skip
    sources, compiled = map(int, looked.stdout.split())
    assert compiled >= sources > 0


def test_the_runtime_holds_nothing_of_the_control_plane(ray_image: str) -> None:
    modules = ("mlp_core", "mlp_api", "mlp_operator", "mlp_worker")
    question = f"from importlib.util import find_spec; print([name for name in {modules!r} if find_spec(name)])"
    assert podman("run", "--rm", *LOCKED, ray_image, "python", "-c", question).stdout.strip() == "[]"


def test_ray_starts_and_passes_the_probes_of_kuberay(ray_image: str, network: str) -> None:
    start = "ray start --head --block --num-cpus=1 --object-store-memory=100000000 --dashboard-host=0.0.0.0"
    with running("head", *LOCKED, "--shm-size=256m", ray_image, "bash", "-lc", start, network=network) as container:
        probe = (
            "until wget --tries 1 -T 2 -q -O- http://localhost:52365/api/local_raylet_healthz"
            " && wget --tries 1 -T 10 -q -O- http://localhost:8265/api/gcs_healthz; do sleep 1; done"
        )
        said = podman("exec", container, "timeout", str(START_SECONDS), "bash", "-c", probe, timeout=START_SECONDS + 30)
        assert said.stdout.count("success") >= 2
        ran = podman(
            "exec", container, "python", "-I", "-c", "import mlp.runtime.agent, mlp.runtime.launch, mlflow, ray"
        )
        assert ran.returncode == 0
