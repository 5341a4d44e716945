"""Probes against small servers that answer what the real ones answer, byte for byte."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from mlp_standalone import probes

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]


@asynccontextmanager
async def answering(data: bytes) -> AsyncGenerator[int]:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1024)
        writer.write(data)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\n", None),
        (b"HTTP/1.1 503 Service Unavailable\r\n\r\n", "answered 503"),
        (b"", "answered nothing"),
        (b"\xff\r\n", "answered nothing"),
    ],
)
async def test_http(answer: bytes, trouble: str | None) -> None:
    async with answering(answer) as port:
        assert await probes.http("127.0.0.1", port, "/healthz")() == trouble


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [(b"+PONG\r\n", None), (b"-LOADING Valkey is loading\r\n", "answered -LOADING Valkey is loading")],
)
async def test_valkey(answer: bytes, trouble: str | None) -> None:
    async with answering(answer) as port:
        assert await probes.valkey("127.0.0.1", port)() == trouble


def message(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack("!I", len(body) + 4) + body


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [
        (message(b"R", struct.pack("!I", 0)), None),
        (
            message(b"E", b"SFATAL\0C57P03\0Mthe database system is starting up\0\0"),
            "the database system is starting up",
        ),
        (message(b"E", b"\0"), "refused the session"),
        (b"E", "closed the connection"),
    ],
)
async def test_postgres(tmp_path: Path, answer: bytes, trouble: str | None) -> None:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        length, version = struct.unpack("!II", await reader.readexactly(8))
        assert version == 3 << 16
        assert await reader.readexactly(length - 8) == b"user\0postgres\0database\0postgres\0\0"
        writer.write(answer)
        await writer.drain()
        writer.close()

    socket = tmp_path / "socket"
    async with await asyncio.start_unix_server(handle, socket):
        assert await probes.postgres(socket)() == trouble


async def test_nobody_there(tmp_path: Path) -> None:
    async with answering(b"") as port:
        pass
    assert await probes.http("127.0.0.1", port, "/")() == "Connection refused"
    assert await probes.postgres(tmp_path / "none")() == "No such file or directory"


async def test_a_server_that_accepts_and_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "TIMEOUT_SECONDS", 0.1)
    ended = asyncio.Event()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await ended.wait()
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        assert (await probes.valkey("127.0.0.1", server.sockets[0].getsockname()[1])() or "").startswith("no answer")
        ended.set()
