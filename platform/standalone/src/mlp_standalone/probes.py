"""Is it healthy? Small questions in each service's own protocol, over sockets, without its client library.

A probe returns None for healthy, else what is wrong in a few words. It never raises for a service that is down.
"""

from __future__ import annotations

import asyncio
import os
import struct
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

Probe = Callable[[], Awaitable[str | None]]

TIMEOUT_SECONDS = 5.0
POSTGRES_PROTOCOL = 196_608
"""Version 3.0: major in the upper 16 bits."""
_Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def http(host: str, port: int, path: str) -> Probe:
    """Healthy when `GET path` is answered with 200."""

    async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str | None:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode("ascii"))
        await writer.drain()
        status = (await reader.readline()).split()
        if len(status) >= 2 and status[1] == b"200":
            return None
        return f"answered {status[1].decode('ascii', 'replace')}" if len(status) >= 2 else "answered nothing"

    return _probe(lambda: asyncio.open_connection(host, port), ask)


def valkey(host: str, port: int) -> Probe:
    """Healthy when `PING` is answered with `PONG`, so not while it still loads its data."""

    async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str | None:
        writer.write(b"PING\r\n")
        await writer.drain()
        answer = (await reader.readline()).strip()
        return None if answer == b"+PONG" else f"answered {answer.decode('utf-8', 'replace')}"

    return _probe(lambda: asyncio.open_connection(host, port), ask)


def postgres(socket: Path, *, user: str = "postgres") -> Probe:
    """Healthy when a session can be opened, so not while it recovers or shuts down."""
    body = struct.pack("!I", POSTGRES_PROTOCOL)
    body += b"".join(text.encode() + b"\0" for text in ("user", user, "database", "postgres", ""))
    startup = struct.pack("!I", len(body) + 4) + body

    async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str | None:
        writer.write(startup)
        await writer.drain()
        kind, length = struct.unpack("!cI", await reader.readexactly(5))
        answer = await reader.readexactly(length - 4)
        if kind == b"R":
            # It lets us in: that is the answer. The goodbye is only a courtesy.
            with suppress(OSError):
                writer.write(b"X" + struct.pack("!I", 4))
                await writer.drain()
            return None
        return _postgres_message(answer)

    return _probe(lambda: asyncio.open_unix_connection(str(socket)), ask)


def _postgres_message(fields: bytes) -> str:
    """The text of an error answer: zero-terminated fields, each after a letter; `M` is for people."""
    for field in fields.split(b"\0"):
        if field[:1] == b"M":
            return field[1:].decode("utf-8", "replace")
    return "refused the session"


def _probe(
    connect: Callable[[], Awaitable[_Streams]],
    ask: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[str | None]],
) -> Probe:
    async def run() -> str | None:
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                reader, writer = await connect()
                try:
                    return await ask(reader, writer)
                finally:
                    writer.close()
                    with suppress(OSError):
                        await writer.wait_closed()
        except TimeoutError:
            return f"no answer in {TIMEOUT_SECONDS:.0f} s"
        except (OSError, asyncio.IncompleteReadError) as error:
            return _reason(error)

    return run


def _reason(error: OSError | asyncio.IncompleteReadError) -> str:
    if isinstance(error, asyncio.IncompleteReadError):
        return "closed the connection"
    # Of the number, not the text: asyncio's own repeats the address.
    return os.strerror(error.errno) if error.errno else type(error).__name__
