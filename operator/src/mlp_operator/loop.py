"""The loop that finds due rows, claims them and hands them to their reconciler. One bad row never stops it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Protocol

import structlog
from prometheus_client import Counter, Gauge, Histogram
from sqlalchemy.exc import SQLAlchemyError

from mlp_core.kit.database import Database
from mlp_core.kit.leases import Lease, back_off, claim_due, seconds_to_next_due
from mlp_core.tables.base import Leased
from mlp_operator.listening import DueSignal

RECONCILE_DEADLINE = 60.0
"""Seconds; shorter than the lease, so that a slow pass has ended before another may begin."""
LONGEST_NAP = 1.0
"""Seconds between looks where nothing said that something is due: correctness never depends on NOTIFY."""
_DATABASE_DOWN_NAP = 1.0

log = structlog.get_logger(__name__)

PASSES = Counter("mlp_operator_passes_total", "Reconcile passes.", ["kind", "result"])
SECONDS = Histogram("mlp_operator_pass_seconds", "Length of a reconcile pass.", ["kind"])
LAST_LOOK = Gauge("mlp_operator_last_look_timestamp_seconds", "When the loop last looked for due rows.")


class Reconciler(Protocol):
    """Brings one row of a kind closer to what it wants."""

    @property
    def kind(self) -> str: ...

    @property
    def row(self) -> type[Leased]: ...

    async def reconcile(self, lease: Lease) -> None: ...


class Loop:
    """Claims due rows of every kind and reconciles at most `concurrency` of them at once."""

    def __init__(
        self, database: Database, reconcilers: Sequence[Reconciler], due: DueSignal, *, owner: str, concurrency: int
    ) -> None:
        self._database = database
        self._reconcilers = reconcilers
        self._due = due
        self._owner = owner
        self._concurrency = concurrency
        self._running: set[asyncio.Task[None]] = set()
        self.last_look_at: float | None = None
        """Of the monotonic clock; None before the first look."""
        self.trouble: str | None = None
        """What the loop waits for, where it cannot work now."""

    async def run(self, stop: asyncio.Event) -> None:
        """Until `stop` is set; then finishes the passes that are under way."""
        stopping = asyncio.create_task(stop.wait())
        try:
            while not stop.is_set():
                claimed = await self._claim_all()
                if claimed:
                    continue
                await self._nap(stopping)
        finally:
            stopping.cancel()
            if self._running:
                await asyncio.wait(self._running, timeout=RECONCILE_DEADLINE)

    async def _claim_all(self) -> int:
        """Claim what is due, as far as there are free hands; how many rows were claimed."""
        claimed = 0
        try:
            for reconciler in self._reconcilers:
                free = self._concurrency - len(self._running)
                if free <= 0:
                    break
                async with self._database.transaction() as session:
                    leases = await claim_due(session, reconciler.row, self._owner, free)
                for lease in leases:
                    task = asyncio.create_task(self._one(reconciler, lease))
                    self._running.add(task)
                    task.add_done_callback(self._finished)
                claimed += len(leases)
            self.trouble = None
        except (SQLAlchemyError, OSError) as error:
            self.trouble = "database"
            log.warning("database_away", error=str(error))
            await asyncio.sleep(_DATABASE_DOWN_NAP)
        LAST_LOOK.set_to_current_time()
        self.last_look_at = time.monotonic()
        return claimed

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._due.set()

    async def _nap(self, stopping: asyncio.Task[bool]) -> None:
        """Until something is due, a pass has ended, or the longest nap is over."""
        waiting = asyncio.create_task(self._due.wait())
        try:
            timeout = LONGEST_NAP if len(self._running) >= self._concurrency else await self._seconds_to_next()
            await asyncio.wait({waiting, stopping}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
        self._due.clear()

    async def _seconds_to_next(self) -> float:
        nearest = LONGEST_NAP
        try:
            async with self._database.transaction() as session:
                for reconciler in self._reconcilers:
                    seconds = await seconds_to_next_due(session, reconciler.row)
                    if seconds is not None:
                        nearest = min(nearest, float(seconds))
        except (SQLAlchemyError, OSError) as error:
            log.warning("database_away", error=str(error))
        return max(0.02, nearest)

    async def _one(self, reconciler: Reconciler, lease: Lease) -> None:
        """One pass. Whatever goes wrong backs off this row alone."""
        with SECONDS.labels(reconciler.kind).time():
            try:
                async with asyncio.timeout(RECONCILE_DEADLINE):
                    await reconciler.reconcile(lease)
                PASSES.labels(reconciler.kind, "done").inc()
            except Exception as error:  # noqa: BLE001 - any defect of one row must not end the work on all others
                PASSES.labels(reconciler.kind, "error").inc()
                await self._back_off(reconciler, lease, error)

    async def _back_off(self, reconciler: Reconciler, lease: Lease, error: Exception) -> None:
        try:
            async with self._database.transaction() as session:
                wait = await back_off(session, reconciler.row, lease)
        except (SQLAlchemyError, OSError):
            # The lease runs out by itself; the row is due again then.
            log.warning("back_off_not_written", kind=reconciler.kind, key=lease.key, exc_info=error)
            return
        log.warning(
            "reconcile_failed", kind=reconciler.kind, key=lease.key, again_in=wait.total_seconds(), exc_info=error
        )
