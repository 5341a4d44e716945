"""One request straight into an ASGI application, also where the answer is a stream without an end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from starlette.types import ASGIApp, Message

DEADLINE_SECONDS = 20.0


@dataclass(frozen=True)
class Answer:
    """Status, headers, and what of the body came until the first answer was whole, or the stream began."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def problem(self) -> dict[str, Any]:
        return json.loads(self.body)


async def first_answer(
    app: ASGIApp, method: str, path: str, headers: Mapping[str, str] | None = None, body: bytes = b""
) -> Answer:
    """Send one request; a stream is left as soon as it has begun."""
    started, ended = asyncio.Event(), asyncio.Event()
    messages: list[Message] = []
    requests: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if requests:
            return requests.pop(0)
        await ended.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        messages.append(message)
        streams = message["type"] == "http.response.start" and _is_stream(message)
        if streams or (message["type"] == "http.response.body" and not message.get("more_body")):
            started.set()

    task = asyncio.create_task(_call(app, _scope(method, path, headers or {}), receive, send, started))
    async with asyncio.timeout(DEADLINE_SECONDS):
        await started.wait()
    ended.set()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    start = next(message for message in messages if message["type"] == "http.response.start")
    found = {name.decode(): value.decode() for name, value in start["headers"]}
    return Answer(start["status"], found, b"".join(message.get("body", b"") for message in messages))


async def _call(app: ASGIApp, scope: dict[str, Any], receive: Any, send: Any, started: asyncio.Event) -> None:
    try:
        await app(scope, receive, send)
    finally:
        started.set()


def _scope(method: str, path: str, headers: Mapping[str, str]) -> dict[str, Any]:
    plain, _, query = path.partition("?")
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(plain),
        "raw_path": plain.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "client": ("192.0.2.1", 4711),
        "server": ("mlp.test", 80),
        "state": {},
    }


def _is_stream(message: Message) -> bool:
    return any(name == b"content-type" and value.startswith(b"text/event-stream") for name, value in message["headers"])
