"""The relay: tells Celery which rows of the outbox are due, by polling and by NOTIFY.

What it sends is a hint. It sends it again after a while, until the row is no longer due: so nothing depends on the
broker keeping a message, and a broker that is away only delays.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession

from mlp_core.kit.database import Database
from mlp_core.kit.listening import Listener
from mlp_core.outbox import service as outbox
from mlp_worker import metrics

POLL_SECONDS = 5.0
"""Longest time between two looks; NOTIFY and due times make most of them come earlier."""
RESEND_SECONDS = 15.0
"""A row still due this long after it was sent is sent again: its message may be lost."""
AWAY_SECONDS = 2.0
COUNT_SECONDS = 30.0
BATCH = 200

log = structlog.get_logger(__name__)

Send = Callable[[int, str], Awaitable[None]]
"""Hands one row, by id and kind, to the broker. Raises `BrokerAway`."""


class BrokerAway(Exception):
    """The broker does not take messages now."""


class Relay:
    def __init__(self, database: Database, database_url: str, send: Send) -> None:
        self._database = database
        self._send = send
        self._sent: dict[int, float] = {}
        self._wanted = Listener(database_url, outbox.OUTBOX_CHANNEL)
        self._counted_at = 0.0
        self.last_pass_at: float | None = None
        """By the monotonic clock: when the outbox was last looked at without an error."""
        self.trouble: str | None = None

    async def run(self) -> None:
        """Relay until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._wanted.listen())
            while True:
                pause = await self._look()
                try:
                    async with asyncio.timeout(pause):
                        await self._wanted.wait()
                except TimeoutError:
                    continue

    async def _look(self) -> float:
        """One pass; how long to wait for the next one."""
        self._wanted.clear()
        try:
            pause = await self.relay_due()
        except (SQLAlchemyError, OSError) as error:
            return self._note("database", error)
        except BrokerAway as error:
            self.last_pass_at = time.monotonic()
            return self._note("broker", error)
        self.last_pass_at = time.monotonic()
        if self.trouble is not None:
            log.info("relay_works_again", after=self.trouble)
            self.trouble = None
        return pause

    async def relay_due(self) -> float:
        """Send what is due and not sent lately; seconds until there may be more.

        Raises:
            BrokerAway: the rest of what is due was not sent.
        """
        async with self._database.transaction() as session:
            due = await outbox.list_due(session, BATCH)
            next_in = await outbox.seconds_to_next(session)
            await self._count(session)
        now = time.monotonic()
        self._sent = {row_id: at for row_id, at in self._sent.items() if now - at < RESEND_SECONDS}
        for row_id, kind in due:
            if row_id not in self._sent:
                await self._send(row_id, kind)
                self._sent[row_id] = time.monotonic()
        if next_in is None or next_in <= 0:
            return POLL_SECONDS
        return min(POLL_SECONDS, max(0.05, next_in))

    async def _count(self, session: AsyncSession) -> None:
        if time.monotonic() - self._counted_at > COUNT_SECONDS:
            metrics.show_outbox(await outbox.count_by_state(session))
            self._counted_at = time.monotonic()

    def _note(self, neighbour: str, error: Exception) -> float:
        if self.trouble != neighbour:
            log.warning("relay_waits", neighbour=neighbour, error=str(error)[:300])
        self.trouble = neighbour
        return AWAY_SECONDS
