"""Server-sent events: pulled by the client's pace, watched for its leaving, and ended when its access ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import structlog
from fastapi import Response
from starlette.types import Receive, Scope, Send

from mlp_api.problems import problem_of
from mlp_core.domain.errors import DomainError

HEARTBEAT_SECONDS = 15.0
"""A comment after so much silence keeps proxies from closing the connection, and shows that a client is gone."""
SEND_SECONDS = 30.0
"""A client that takes nothing for so long is given up; it resumes by its cursor."""
CHECK_SECONDS = 30.0
"""How often it is asked whether the caller may still read."""
RETRY_MILLISECONDS = 1000
EVENT_STREAM: dict[str, Any] = {
    "text/event-stream": {
        "schema": {
            "type": "object",
            "description": "One event; a stream is a sequence of them.",
            "properties": {
                "event": {"type": "string"},
                "data": {"type": "string", "description": "JSON."},
                "id": {"type": "string", "description": "Cursor behind it, for `Last-Event-ID`."},
                "retry": {"type": "integer"},
            },
        }
    }
}
"""What a route that streams documents as its content."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One message; `data` is JSON without newlines, `id` the cursor behind it."""

    name: str
    data: str
    id: str | None = None

    def encode(self) -> bytes:
        head = f"id: {self.id}\n" if self.id is not None else ""
        return f"{head}event: {self.name}\ndata: {self.data}\n\n".encode()


Recheck = Callable[[], Awaitable[object]]
"""Raises a `DomainError` once the caller may no longer read."""


class EventSource(Response):
    """Sends what `events` yields; None means that nothing happened meanwhile."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[ServerEvent | None], recheck: Recheck) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._events = events
        self._recheck = recheck

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sending = asyncio.create_task(self._send_all(send))
        leaving = asyncio.create_task(_client_left(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sending, leaving):
                task.cancel()
            outcomes = await asyncio.gather(sending, leaving, return_exceptions=True)
        if isinstance(outcomes[0], TimeoutError):
            _log.info("slow_reader_dropped", path=scope["path"])
        elif isinstance(outcomes[0], Exception):
            raise outcomes[0]

    async def _send_all(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        await _send(send, f"retry: {RETRY_MILLISECONDS}\n\n".encode())
        try:
            async with aclosing(self._events) as events:
                await self._send_events(send, events)
        except DomainError as error:
            problem = problem_of(error, None)
            await _send(send, ServerEvent("error", problem.model_dump_json(exclude_none=True)).encode())
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send_events(self, send: Send, events: AsyncGenerator[ServerEvent | None]) -> None:
        clock = asyncio.get_running_loop().time
        sent_at = checked_at = clock()
        async for event in events:
            if clock() - checked_at >= CHECK_SECONDS:
                await self._recheck()
                checked_at = clock()
            if event is not None:
                await _send(send, event.encode())
                sent_at = clock()
            elif clock() - sent_at >= HEARTBEAT_SECONDS:
                await _send(send, b": still here\n\n")
                sent_at = clock()


async def _send(send: Send, body: bytes) -> None:
    async with asyncio.timeout(SEND_SECONDS):
        await send({"type": "http.response.body", "body": body, "more_body": True})


async def _client_left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
