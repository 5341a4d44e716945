"""The admission verdicts of all waiting jobs, computed at most once a second for all of them together."""

from __future__ import annotations

import asyncio
import time

from mlp_core.domain.admission import Gang, Verdict, verdicts
from mlp_core.kit.database import Database
from mlp_core.scheduling.snapshot import load_snapshot

FRESH_SECONDS = 1.0

_NOT_LOOKED_AT = Verdict(False, "Waiting", "Waits to be looked at.", 0)


class Verdicts:
    """A first look, possibly a second old. Admission itself is decided afresh under its lock."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = asyncio.Lock()
        self._at = float("-inf")
        self._waiting: tuple[Gang, ...] = ()
        self._known: dict[str, Verdict] = {}

    async def of(self, key: str) -> Verdict:
        """The verdict of one waiting job or cluster; a wait, never None, where it is not known yet."""
        async with self._lock:
            if key not in self._known or self._is_old:
                await self._look()
            return self._known.get(key, _NOT_LOOKED_AT)

    async def all(self) -> tuple[tuple[Gang, ...], dict[str, Verdict]]:
        """Who waits, and the verdict of each in the order of the queue."""
        async with self._lock:
            if self._is_old:
                await self._look()
            return self._waiting, self._known

    @property
    def _is_old(self) -> bool:
        return time.monotonic() - self._at > FRESH_SECONDS

    async def _look(self) -> None:
        async with self._database.transaction() as session:
            snapshot = await load_snapshot(session)
        self._waiting, self._known = snapshot.waiting, verdicts(snapshot)
        self._at = time.monotonic()

    def forget(self) -> None:
        """Something was admitted or gave machines back: look afresh next time."""
        self._at = float("-inf")
