"""`/healthz` and `/readyz` of a process that serves nothing else: one small answer over HTTP, whatever is asked for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from http import HTTPStatus

State = Callable[[], tuple[HTTPStatus, Mapping[str, object]]]
"""How the process is now: what to answer with, and the fields of the body."""

READ_SECONDS = 5.0


async def serve_health(host: str, port: int, state: State, ready: State | None = None) -> None:
    """Answer until cancelled: `/readyz` by `ready`, all else by `state`. Port 0 = do not listen.

    Raises:
        OSError: the port is taken.
    """
    if not port:
        return

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _answer(reader, writer, state, ready or state)

    server = await asyncio.start_server(answer, host, port)
    async with server:
        await server.serve_forever()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, state: State, ready: State) -> None:
    try:
        async with asyncio.timeout(READ_SECONDS):
            asked = await reader.readuntil(b"\r\n\r\n")
        status, body = ready() if asked.startswith(b"GET /readyz ") else state()
        payload = json.dumps(body).encode()
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(payload)}\r\nconnection: close\r\n\r\n"
        )
        writer.write(head.encode() + payload)
        await writer.drain()
    except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return
    finally:
        writer.close()
