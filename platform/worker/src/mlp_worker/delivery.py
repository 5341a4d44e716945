"""Carrying out one effect: claim it in Postgres, run it, record how it went.

A message of the broker is only a hint that a row is due. One that is lost is sent again, one that comes twice finds
the row claimed or done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import structlog
from sqlalchemy.exc import SQLAlchemyError

from mlp_core.outbox import service as outbox
from mlp_core.outbox.service import CLAIM_SECONDS, Claim
from mlp_worker import metrics
from mlp_worker.context import Context
from mlp_worker.effects import Effect

log = structlog.get_logger(__name__)


class ClaimLost(Exception):
    """Somebody else may carry the effect out by now; this worker must stop doing so."""


class Delivery:
    """Carries effects out, each under a claim that is kept alive meanwhile."""

    def __init__(self, context: Context, effects: Mapping[str, Effect], claim_seconds: float = CLAIM_SECONDS) -> None:
        self._context = context
        self._effects = effects
        self._claim_seconds = claim_seconds

    async def deliver(self, row_id: int) -> bool:
        """Carry out the effect if it is due and nobody else's. Whether it was done."""
        async with self._context.database.transaction() as session:
            claim = await outbox.claim(session, row_id, self._context.name, self._claim_seconds)
        if claim is None:
            return False
        try:
            await self._run(claim)
        except asyncio.CancelledError:
            await asyncio.shield(self._release(claim))
            raise
        except ClaimLost:
            log.warning("effect_claim_lost", kind=claim.kind, key=claim.key)
            return False
        except Exception as error:  # noqa: BLE001 - whatever an effect raises is recorded on its row and tried again
            await self._fail(claim, error)
            return False
        return await self._finish(claim)

    async def _run(self, claim: Claim) -> None:
        effect = self._effects.get(claim.kind)
        if effect is None:
            raise LookupError(f"This worker knows no effect '{claim.kind}'.")
        work = asyncio.ensure_future(effect.run(self._context, claim))
        keeping = asyncio.create_task(self._keep(claim))
        try:
            async with asyncio.timeout(effect.deadline_seconds):
                await asyncio.wait({work, keeping}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise ClaimLost
            await work
        finally:
            for task in (work, keeping):
                task.cancel()
            await asyncio.gather(work, keeping, return_exceptions=True)

    async def _keep(self, claim: Claim) -> None:
        """Extend the claim until it is lost. A database that is away for a moment is not a lost claim."""
        lost_after = asyncio.get_running_loop().time() + self._claim_seconds
        while True:
            await asyncio.sleep(self._claim_seconds / 4)
            try:
                async with self._context.database.transaction() as session:
                    held = await outbox.extend(session, claim, self._claim_seconds)
            except (SQLAlchemyError, OSError):
                held = asyncio.get_running_loop().time() < lost_after
            else:
                lost_after = asyncio.get_running_loop().time() + self._claim_seconds
            if not held:
                return

    async def _finish(self, claim: Claim) -> bool:
        async with self._context.database.transaction() as session:
            held = await outbox.finish(session, claim)
        metrics.EFFECTS.labels(claim.kind, "done").inc()
        return held

    async def _fail(self, claim: Claim, error: Exception) -> None:
        effect = self._effects.get(claim.kind)
        max_tries = effect.max_tries if effect else outbox.MAX_TRIES
        reason = f"{type(error).__name__}: {error}"
        is_dead = claim.tries >= max_tries
        log.warning("effect_failed", kind=claim.kind, key=claim.key, tries=claim.tries, dead=is_dead, error=reason)
        async with self._context.database.transaction() as session:
            await outbox.fail(session, claim, reason, max_tries=max_tries)
        metrics.EFFECTS.labels(claim.kind, "dead" if is_dead else "failed").inc()

    async def _release(self, claim: Claim) -> None:
        async with self._context.database.transaction() as session:
            await outbox.release(session, claim)
