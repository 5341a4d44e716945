"""What is chosen once and kept: ports, names and secrets of one data folder."""

from __future__ import annotations

import json
import secrets
import socket
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mlp_standalone.errors import DamagedConfigError
from mlp_standalone.files import write_atomically
from mlp_standalone.layout import Layout

API_PORT = 8080
HOST = "127.0.0.1"
SCHEMA = 1
TOKEN_PREFIX = "mlp_"  # noqa: S105 (how user tokens start, not a secret)


@dataclass(frozen=True)
class Ports:
    """TCP ports on loopback. Postgres has none: it listens on a unix socket only."""

    api: int
    valkey: int
    mlflow: int


@dataclass(frozen=True)
class Secrets:
    secret_key: str
    mlflow_password: str
    mlflow_session_key: str
    admin_password: str
    admin_token: str


def load_ports(layout: Layout) -> Ports:
    """The ports of this data folder, chosen and written down on the first call.

    Raises:
        DamagedConfigError: the file exists but is not what was written.
    """
    if not layout.config.exists():
        ports = _choose_ports()
        document = {"schema": SCHEMA, "ports": asdict(ports)}
        write_atomically(layout.config, json.dumps(document, indent=2) + "\n")
        return ports
    try:
        document: dict[str, Any] = json.loads(layout.config.read_text(encoding="utf-8"))
        ports = {str(name): int(port) for name, port in document["ports"].items()}
        return Ports(**ports)
    except (ValueError, KeyError, TypeError, AttributeError) as damage:
        raise DamagedConfigError(
            f"{layout.config} is damaged ({damage}). Remove it to have new ports chosen; no data is lost by that."
        ) from damage


def load_secrets(layout: Layout) -> Secrets:
    """The secrets of this data folder, each made on the first call and kept in a file that only its owner reads."""
    return Secrets(
        secret_key=_secret(layout.secrets / "secret-key", ""),
        mlflow_password=_secret(layout.secrets / "mlflow-password", ""),
        mlflow_session_key=_secret(layout.secrets / "mlflow-session-key", ""),
        admin_password=_secret(layout.secrets / "admin-password", ""),
        admin_token=_secret(layout.secrets / "admin-token", TOKEN_PREFIX),
    )


def _secret(path: Path, prefix: str) -> str:
    if path.exists():
        return path.read_text(encoding="utf-8").strip()
    value = prefix + secrets.token_urlsafe(32)
    write_atomically(path, value + "\n")
    return value


def _choose_ports() -> Ports:
    api = API_PORT if is_free(API_PORT) else None
    free = _free_ports(2 if api else 3, taken={API_PORT})
    return Ports(api=api or free[2], valkey=free[0], mlflow=free[1])


def is_free(port: int) -> bool:
    """Whether nothing listens on `port` of any address that loopback callers reach."""
    for address in (HOST, "0.0.0.0"):  # noqa: S104 (bound for a moment, never listening)
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((address, port))
            except OSError:
                return False
    return True


def _free_ports(count: int, *, taken: Iterable[int]) -> list[int]:
    """Distinct free ports below the range that the system hands out to outgoing connections."""
    avoid = set(taken)
    found: list[int] = []
    while len(found) < count:
        port = 20_000 + secrets.randbelow(12_000)
        if port not in avoid and is_free(port):
            avoid.add(port)
            found.append(port)
    return found
