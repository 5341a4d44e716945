"""How the platform itself is."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mlp.schemas.base import Instant, Wire


class Dependency(Wire):
    name: str
    ok: bool
    required: bool = Field(description="Without it nothing works; without the others something is late or missing.")
    milliseconds: float
    message: str


class Queue(Wire):
    """Rows of one kind that operators look after, or the effects that workers carry out."""

    name: Literal["job", "cluster", "environment", "outbox"]
    due: int = Field(description="To be looked at now and held by nobody; counted up to 10,000.")
    lag_seconds: float = Field(description="How long the oldest of them has been waiting.")
    held: int = Field(description="Being worked on.")
    failing: int = Field(description="Whose last try failed; of the outbox those that were given up.")


class Stuck(Wire):
    """A resource that has not got on for longer than it should."""

    kind: Literal["job", "cluster", "environment"]
    id: str
    name: str
    project: str
    phase: str
    since: Instant
    why: str


class Versions(Wire):
    server: str
    client: str
    schema_revision: str
    postgres: str
    mlflow: str | None = Field(default=None, description="Null where it does not answer.")
    python: str


class PlatformHealth(Wire):
    status: str = Field(description="`ready`, `degraded` or `unavailable`, as `/readyz` has it.")
    at: Instant
    dependencies: list[Dependency]
    queues: list[Queue]
    stuck: list[Stuck] = Field(description="At most 100, the oldest first.")
    versions: Versions
