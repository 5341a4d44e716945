"""What the supervisor knows, as others may read it: `run/state.json`."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from mlp_standalone.files import write_atomically
from mlp_standalone.layout import Layout
from mlp_standalone.processes import Identity


class Phase(StrEnum):
    """Of the platform as a whole."""

    STARTING = "starting"
    READY = "ready"
    DEGRADED = "degraded"
    FAILED = "failed"
    STOPPING = "stopping"
    STOPPED = "stopped"


class Health(StrEnum):
    """Of one service or step."""

    WAITING = "waiting"
    STARTING = "starting"
    HEALTHY = "healthy"
    UNHEALTHY = "unhealthy"
    BACKING_OFF = "backing-off"
    DONE = "done"
    FAILED = "failed"
    STOPPING = "stopping"
    STOPPED = "stopped"


@dataclass
class Unit:
    """One service or one step of the start."""

    name: str
    kind: str
    health: Health = Health.WAITING
    since: str = ""
    message: str = ""
    pid: int | None = None
    started: str | None = None
    restarts: int = 0
    was_healthy: bool = False
    """At any time since the supervisor started."""
    port: int | None = None
    log: str | None = None

    @property
    def identity(self) -> Identity | None:
        return Identity(self.pid, self.started) if self.pid is not None and self.started is not None else None


@dataclass
class State:
    phase: Phase
    supervisor: Identity
    url: str
    since: str
    version: str
    units: list[Unit] = field(default_factory=list["Unit"])

    def unit(self, name: str) -> Unit:
        return next(unit for unit in self.units if unit.name == name)

    def is_running(self) -> bool:
        """Whether the supervisor that wrote this is alive."""
        return self.supervisor.is_alive()


def write(layout: Layout, state: State) -> None:
    write_atomically(layout.state, json.dumps(asdict(state), indent=1) + "\n", mode=0o644)


def read(layout: Layout) -> State | None:
    """The last state written for this data folder; None where there is none or it cannot be read."""
    try:
        document: dict[str, Any] = json.loads(layout.state.read_text(encoding="utf-8"))
        return State(
            phase=Phase(document["phase"]),
            supervisor=Identity(**document["supervisor"]),
            url=document["url"],
            since=document["since"],
            version=document["version"],
            units=[_unit(unit) for unit in document["units"]],
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _unit(document: dict[str, Any]) -> Unit:
    unit = Unit(**document)
    unit.health = Health(unit.health)
    return unit
