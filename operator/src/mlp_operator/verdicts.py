"""The admission verdicts of all waiting jobs, computed at most once a second for all of them together."""

from __future__ import annotations

import asyncio
import time

from mlp_core.domain.admission import Verdict, verdicts
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
        self._known: dict[str, Verdict] = {}

    async def of(self, key: str) -> Verdict:
        """The verdict of one waiting job or cluster; a wait, never None, where it is not known yet."""
        async with self._lock:
            if key not in self._known or time.monotonic() - self._at > FRESH_SECONDS:
                async with self._database.transaction() as session:
                    snapshot = await load_snapshot(session)
                self._known = verdicts(snapshot)
                self._at = time.monotonic()
            return self._known.get(key, _NOT_LOOKED_AT)

    def forget(self) -> None:
        """Something was admitted or gave machines back: look afresh next time."""
        self._at = float("-inf")
