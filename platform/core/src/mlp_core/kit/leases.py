"""Leases on rows: which reconciler works on which row until when, judged by the database's clock.

A reconciler claims due rows, works with no session open, and writes back only while it still holds its token.
Losing a lease is harmless: the next pass observes what exists and repeats nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

from sqlalchemy import and_, func, literal, or_, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from mlp_core.tables.base import Leased

LEASE_TTL = timedelta(seconds=90)
"""Longer than a reconcile may take, so that a slow one is not joined by a second."""
MAX_BACK_OFF = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write one row back."""

    key: str
    token: str


R = TypeVar("R", bound=Leased)


async def claim_due(session: AsyncSession, row: type[R], owner: str, limit: int) -> list[Lease]:
    """Claim at most `limit` due rows that nobody holds, oldest due first."""
    key = _key(row)
    free = or_(row.lease_until.is_(None), row.lease_until < func.now())
    due = (
        select(key)
        .where(and_(row.due_at <= func.now(), free))
        .order_by(row.due_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )
    claimed = await session.execute(
        update(row)
        .where(key.in_(due))
        .values(
            lease_owner=owner,
            lease_token=text("gen_random_uuid()::text"),
            lease_until=func.now() + literal(LEASE_TTL),
        )
        .returning(key, row.lease_token)
        .execution_options(synchronize_session=False)
    )
    return [Lease(key=id_, token=token) for id_, token in claimed.all() if token is not None]


async def hold(session: AsyncSession, row: type[R], lease: Lease) -> R | None:
    """The row, locked, if the lease still holds; None if it was lost."""
    return await session.scalar(
        select(row).where(_key(row) == lease.key, row.lease_token == lease.token).with_for_update()
    )


def release(row: Leased, again_in: timedelta | None) -> None:
    """Give the row back, due again after `again_in`; None = nothing is left to do."""
    row.lease_owner = row.lease_token = row.lease_until = None
    row.failures = 0
    row.due_at = None if again_in is None else func.now() + literal(again_in)  # pyright: ignore[reportAttributeAccessIssue]


async def back_off(session: AsyncSession, row: type[R], lease: Lease) -> timedelta:
    """Give the row back after an unexpected error: 1, 2, 4 ... seconds, at most two minutes."""
    held = await hold(session, row, lease)
    if held is None:
        return timedelta(0)
    failures = held.failures + 1
    wait = min(MAX_BACK_OFF, timedelta(seconds=2 ** min(failures - 1, 7)))
    release(held, wait)
    held.failures = failures
    return wait


async def seconds_to_next_due(session: AsyncSession, row: type[R]) -> float | None:
    """Seconds until the next row is due (negative: overdue); None where none is."""
    return await session.scalar(
        select(func.extract("epoch", func.min(row.due_at) - func.now())).where(row.due_at.is_not(None))
    )


def _key(row: type[Leased]) -> InstrumentedAttribute[str]:
    return row.id  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
