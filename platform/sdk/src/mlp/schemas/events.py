"""Events: one line of a resource's history. On `/api/v1/stream` they come as `event`, and `JobRead` as `job`."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from mlp.schemas.base import Instant, Wire


class EventRead(Wire):
    id: str
    project: str
    resource: str
    resource_id: str
    resource_name: str
    attempt: int | None = None
    reason: str
    message: str
    actor: str
    at: Instant
    data: dict[str, Any] = Field(default_factory=dict[str, Any])
