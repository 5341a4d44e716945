"""The whole platform of one data folder: its services, its steps, its address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import psutil

from mlp_standalone import services, steps
from mlp_standalone.config import Ports, is_free, load_ports, load_secrets
from mlp_standalone.errors import PortTakenError
from mlp_standalone.layout import Layout
from mlp_standalone.postgres import Postgres
from mlp_standalone.services import Service, Step


@dataclass(frozen=True)
class Plan:
    """What a supervisor runs."""

    url: str
    services: Sequence[Service]
    steps: Sequence[Step]


def make(layout: Layout) -> Plan:
    """The platform. Call when nothing of it runs: its ports must be free.

    Raises:
        PortTakenError: another program uses one of them.
        DamagedConfigError: the ports cannot be read.
    """
    ports = load_ports(layout)
    require_free(layout, ports)
    secrets = load_secrets(layout)
    postgres = Postgres(layout)
    settings = services.settings_environment(layout, ports, secrets, postgres)
    return Plan(
        url=services.url(ports),
        services=(
            services.postgres_service(postgres),
            services.valkey_service(layout, ports),
            services.mlflow_service(layout, ports, secrets, postgres),
            *services.platform_services(ports, settings),
        ),
        steps=(
            steps.databases(postgres),
            steps.migrate(layout, settings),
            steps.bootstrap(layout, settings, secrets),
        ),
    )


def require_free(layout: Layout, ports: Ports) -> None:
    """Raises PortTakenError when a port of this folder is used by somebody else."""
    for name, port in asdict(ports).items():
        if not is_free(port):
            raise PortTakenError(
                f"Port {port} of {name} is used by {_listener(port)}. "
                f"End that, or write another port into {layout.config}."
            )


def _listener(port: int) -> str:
    try:
        for connection in psutil.net_connections("tcp"):
            local = connection.laddr
            if connection.status == psutil.CONN_LISTEN and connection.pid and local and local.port == port:
                return f"process {connection.pid} ({psutil.Process(connection.pid).name()})"
    except psutil.Error:
        pass
    return "another program"
