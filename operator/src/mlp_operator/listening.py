"""Hearing NOTIFY from Postgres, so that what is due now is looked at now. Only ever brings the next look forward."""

from __future__ import annotations

import asyncio

import psycopg
import structlog
from sqlalchemy import make_url

from mlp_core.kit.database import DUE_CHANNEL

_RECONNECT_SECONDS = 2.0

log = structlog.get_logger(__name__)


class DueSignal:
    """An event set by every notification; one connection of its own, made again when it breaks."""

    def __init__(self, database_url: str) -> None:
        url = make_url(database_url).set(drivername="postgresql")
        self._conninfo = url.render_as_string(hide_password=False)
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
                log.info("listening_again", error=str(error))
                await asyncio.sleep(_RECONNECT_SECONDS)

    async def _listen_once(self) -> None:
        connection = await psycopg.AsyncConnection.connect(self._conninfo, autocommit=True, connect_timeout=5)
        async with connection:
            await connection.execute(f"LISTEN {DUE_CHANNEL}")
            self._event.set()
            async for _ in connection.notifies():
                self._event.set()
