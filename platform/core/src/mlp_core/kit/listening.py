"""Hearing NOTIFY from Postgres, so that what is due now is looked at now. Only ever brings the next look forward."""

from __future__ import annotations

import asyncio
from typing import Any

import psycopg
import structlog
from psycopg import sql
from sqlalchemy import make_url

RECONNECT_SECONDS = 2.0
_CONNECT_SECONDS = 5

log = structlog.get_logger(__name__)


class Listener:
    """An event set by every notification of a channel; one connection of its own, made again when it breaks.

    It is also set whenever the connection is made: what was notified before that was not heard.
    """

    def __init__(self, database_url: str, channel: str) -> None:
        self._url = make_url(database_url)
        self._listen = sql.SQL("LISTEN {}").format(sql.Identifier(channel))
        self._event = asyncio.Event()

    async def wait(self) -> None:
        await self._event.wait()

    def set(self) -> None:
        self._event.set()

    def clear(self) -> None:
        self._event.clear()

    async def listen(self) -> None:
        """Listen until cancelled."""
        while True:
            try:
                await self._listen_once()
            except (psycopg.Error, OSError) as error:
                log.info("listening_again", error=str(error)[:300])
            await asyncio.sleep(RECONNECT_SECONDS)

    async def _listen_once(self) -> None:
        connection = await psycopg.AsyncConnection.connect(**self._parameters(), autocommit=True)
        async with connection:
            await connection.execute(self._listen)
            self._event.set()
            async for _ in connection.notifies():
                self._event.set()

    def _parameters(self) -> dict[str, Any]:
        """Keywords for libpq. Not the URL as text again: SQLAlchemy writes a space in it as `+`, which libpq keeps."""
        _, keywords = self._url.get_dialect()().create_connect_args(self._url)
        return {"connect_timeout": _CONNECT_SECONDS, **keywords}
