"""What is chosen once and kept: ports, names and secrets of one data folder."""

from __future__ import annotations

import json
import secrets
import socket
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
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
    worker: int = 0
    api_metrics: int = 0
    operator_metrics: int = 0
    worker_metrics: int = 0


@dataclass(frozen=True)
class Secrets:
    secret_key: str
    mlflow_password: str
    mlflow_session_key: str
    admin_password: str
    admin_token: str


def load_ports(layout: Layout) -> Ports:
    """The ports of this data folder. Those that are not chosen yet are, and are written down.

    Raises:
        DamagedConfigError: the file exists but is not what was written.
    """
    known = _known_ports(layout.config) if layout.config.exists() else {}
    names = [field.name for field in fields(Ports)]
    if all(name in known for name in names):
        return Ports(**{name: known[name] for name in names})
    ports = _choose_ports(known)
    document = {"schema": SCHEMA, "ports": asdict(ports)}
    write_atomically(layout.config, json.dumps(document, indent=2) + "\n")
    return ports


def _known_ports(path: Path) -> dict[str, int]:
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return {str(name): int(port) for name, port in document["ports"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as damage:
        raise DamagedConfigError(
            f"{path} is damaged ({damage}). Remove it to have new ports chosen; no data is lost by that."
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


def _choose_ports(known: Mapping[str, int]) -> Ports:
    chosen = dict(known)
    if "api" not in chosen and is_free(API_PORT):
        chosen["api"] = API_PORT
    missing = [field.name for field in fields(Ports) if field.name not in chosen]
    free = _free_ports(len(missing), taken={API_PORT, *chosen.values()})
    chosen |= dict(zip(missing, free, strict=True))
    return Ports(**{field.name: chosen[field.name] for field in fields(Ports)})


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
