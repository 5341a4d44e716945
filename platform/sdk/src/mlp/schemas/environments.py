"""Environments: what code needs, resolved to a lock with a digest."""

from __future__ import annotations

from pydantic import Field

from mlp.schemas.base import Instant, Intent, Slug, Wire
from mlp.schemas.jobs import Requirement
from mlp.schemas.phases import EnvironmentPhase


class EnvironmentCreate(Intent):
    name: Slug | None = Field(default=None, description="Name for later use; anonymous if absent.")
    python: str = Field(default="3.11", pattern=r"^3\.\d{1,2}$")
    requirements: list[Requirement] = Field(default_factory=list[str], max_length=500)


class EnvironmentRead(Wire):
    id: str
    project: str
    name: str | None
    python: str
    requirements: list[str]
    phase: EnvironmentPhase
    reason: str
    message: str
    digest: str | None = Field(default=None, description="sha256 of the lock; null until resolved.")
    lock: str | None = Field(default=None, description="The resolved lock, one pinned requirement a line.")
    created_by: str
    created_at: Instant
    used_by_jobs: int = 0
