"""Asking for effects, and the life of a request for one: due, claimed, done, tried again, dead.

An effect is named by kind and key. Asked for twice while it waits, it is carried out once; asked for while it is
being carried out, it is carried out once more afterwards. A claim is a lease by the database's clock, fenced by a
token of its own: a worker that lost it can neither finish nor fail the row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession
from ulid import ULID

from mlp_core.outbox import repository
from mlp_core.tables.base import Json

OUTBOX_CHANNEL = "mlp_outbox"
"""Postgres NOTIFY channel on which relays hear that an effect is due now."""
CLAIM_SECONDS = 60.0
"""How long a worker that died keeps a row from others."""
MAX_TRIES = 12
FIRST_DELAY_SECONDS = 5.0
LONGEST_DELAY_SECONDS = 600.0
_ERROR_LENGTH = 2000


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to carry out one effect until the claim ends."""

    id: int
    kind: str
    key: str
    payload: Json
    tries: int
    """This one included."""
    token: str


async def enqueue(session: AsyncSession, kind: str, key: str, payload: Json | None = None, due_in: float = 0) -> None:
    """Ask for an effect, `due_in` seconds after this transaction; the newest payload counts."""
    await repository.upsert(session, kind, key, payload or {}, due_in)
    if due_in <= 0:
        await _notify(session)


async def enqueue_once(session: AsyncSession, kind: str, key: str, payload: Json | None = None) -> bool:
    """Ask for an effect unless it was asked for before, be it long done. Whether it is new.

    For what has a nominal moment, such as the slot of a schedule. Remembered as long as done rows are kept.
    """
    is_new = await repository.insert_once(session, kind, key, payload or {})
    if is_new:
        await _notify(session)
    return is_new


async def list_due(session: AsyncSession, limit: int = 200) -> Sequence[tuple[int, str]]:
    """Id and kind of effects that a worker should look at now."""
    return await repository.list_due(session, limit)


async def seconds_to_next(session: AsyncSession) -> float | None:
    """Until the next effect is due, negative where one is overdue; None where there is none."""
    return await repository.seconds_to_next(session)


async def claim(session: AsyncSession, row_id: int, worker: str, seconds: float = CLAIM_SECONDS) -> Claim | None:
    """Take the effect, unless it is done, not due, or somebody else's: then None."""
    token = f"{worker[:60]}/{ULID()}"
    row = await repository.claim(session, row_id, token, seconds)
    if row is None:
        return None
    return Claim(row.id, row.kind, row.key, row.payload, row.tries, token)


async def extend(session: AsyncSession, held: Claim, seconds: float = CLAIM_SECONDS) -> bool:
    """Keep a claim for `seconds` from now. False where it is lost."""
    return await repository.extend(session, held.id, held.token, seconds)


async def finish(session: AsyncSession, held: Claim) -> bool:
    """Record that the effect is carried out. False where the claim was lost meanwhile."""
    return await repository.finish(session, held.id, held.token)


async def fail(session: AsyncSession, held: Claim, error: str, *, max_tries: int = MAX_TRIES) -> bool:
    """Record a failed try: tried again later, or `dead` and kept for people to see after `max_tries`."""
    return await repository.put_back(
        session,
        held.id,
        held.token,
        error=error[:_ERROR_LENGTH].replace("\x00", ""),
        due_in=delay_seconds(held.tries),
        is_dead=held.tries >= max_tries,
    )


async def release(session: AsyncSession, held: Claim) -> bool:
    """Give the effect back untouched, because this worker is ending."""
    released = await repository.put_back(
        session, held.id, held.token, error="The worker ended before it was done.", due_in=0, is_dead=False
    )
    if released:
        await _notify(session)
    return released


async def forget_done(session: AsyncSession, older_than: timedelta, limit: int = 5000) -> int:
    """Remove effects done longer ago than `older_than`; how many."""
    return await repository.delete_done(session, older_than, limit)


async def count_by_state(session: AsyncSession) -> dict[str, int]:
    """How many effects are pending, claimed, done and dead."""
    return await repository.count_by_state(session)


def delay_seconds(tries: int) -> float:
    """Pause after the `tries`-th failed try: doubling, bounded."""
    return min(LONGEST_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2.0 ** min(tries - 1, 20))


async def _notify(session: AsyncSession) -> None:
    await session.execute(text("SELECT pg_notify(:channel, '')"), {"channel": OUTBOX_CHANNEL})
