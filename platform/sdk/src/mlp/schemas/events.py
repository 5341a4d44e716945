"""Events: one line of a resource's history. And what `/api/v1/stream` sends."""

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


class LogChunk(Wire):
    """Lines of one source, in the order they were written; `start` and `end` count from 0, end exclusive."""

    source: str
    attempt: int
    at: Instant
    start: int
    lines: list[str]
