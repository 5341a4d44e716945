"""Listening on a real Postgres: what is notified is heard, also after the connection was ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url

from mlp_core.kit import listening
from mlp_core.kit.listening import Listener
from support.postgres import Postgres

CHANNEL = "mlp_test"
_LISTENERS = b"SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()"


@asynccontextmanager
async def hearing(listener: Listener) -> AsyncGenerator[None]:
    """Let it listen; entered once it does."""
    task = asyncio.create_task(listener.listen())
    try:
        await heard(listener)
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def heard(listener: Listener) -> None:
    async with asyncio.timeout(30):
        await listener.wait()
    listener.clear()


async def test_a_notification_is_heard_again_after_the_backend_was_terminated(
    postgres: Postgres, fresh_database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listening, "RECONNECT_SECONDS", 0.05)
    listener = Listener(fresh_database_url, CHANNEL)
    dsn = postgres.dsn(make_url(fresh_database_url).database or "")
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as other, hearing(listener):
        await other.execute(f"NOTIFY {CHANNEL}".encode())
        await heard(listener)
        (before,) = await (await other.execute(_LISTENERS)).fetchall()
        await other.execute("SELECT pg_terminate_backend(%s)", before)
        await heard(listener)  # it looks once more: it does not know what it has missed
        (after,) = await (await other.execute(_LISTENERS)).fetchall()
        assert after != before
        await other.execute(f"NOTIFY {CHANNEL}".encode())
        await heard(listener)
        await other.execute(b"NOTIFY another_channel")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await listener.wait()


@pytest.mark.parametrize("space", [" ", "%20"])
async def test_a_socket_folder_may_have_a_space(fresh_database_url: str, tmp_path: Path, space: str) -> None:
    url = make_url(fresh_database_url)
    folder = tmp_path / "a folder"
    folder.symlink_to(str(url.query["host"]))
    shown = str(folder).replace(" ", space)
    async with hearing(Listener(f"postgresql+psycopg://postgres@/{url.database}?host={shown}", CHANNEL)):
        pass
