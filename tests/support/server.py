"""The api on a real port of this machine, for what a test client in the process cannot show: streams."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI

from support.ports import free_port
from support.waiting import eventually


@asynccontextmanager
async def serving(app: FastAPI) -> AsyncGenerator[str]:
    """Serve `app` on a free loopback port; gives its URL."""
    port = free_port()
    config = uvicorn.Config(app, host="127.0.0.1", port=port, log_config=None, lifespan="off", access_log=False)
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())

    async def is_up() -> bool:
        return server.started

    await eventually(is_up)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = server.force_exit = True
        await task


@dataclass(frozen=True)
class Message:
    """One server-sent event."""

    name: str
    data: dict[str, Any]
    id: str | None


class Stream:
    """An open stream of server-sent events."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self._lines = response.aiter_lines()
        self.comments = 0

    async def next(self, *names: str, within: float = 20.0) -> Message:
        """The next event, of one of `names` if given; others are passed over."""
        async with asyncio.timeout(within):
            while True:
                message = await self._read()
                if not names or message.name in names:
                    return message

    async def _read(self) -> Message:
        fields: dict[str, str] = {}
        async for line in self._lines:
            if line.startswith(":"):
                self.comments += 1
            elif line:
                name, _, value = line.partition(": ")
                fields[name] = value
            elif "data" in fields:
                return Message(fields.get("event", "message"), json.loads(fields["data"]), fields.get("id"))
            else:
                fields.clear()
        raise EOFError("the stream has ended")


@asynccontextmanager
async def stream(url: str, token: str, *, last_event_id: str | None = None, **params: Any) -> AsyncGenerator[Stream]:
    headers = {"Authorization": f"Bearer {token}"}
    if last_event_id is not None:
        headers["Last-Event-ID"] = last_event_id
    async with (
        httpx.AsyncClient(timeout=60) as client,
        client.stream("GET", url, headers=headers, params=params) as response,
    ):
        assert response.status_code == 200, (await response.aread()).decode()
        yield Stream(response)
