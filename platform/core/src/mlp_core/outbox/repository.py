"""Every query on the outbox. All instants are of the database's clock, so workers with skewed clocks agree.

`due_at` is when to look at a row (again). A claim moves it to the claim's end, so a row whose worker died is due by
itself; asking again for an effect that is being carried out moves it back to now, and that is how the end of the
first pass knows that a second one is wanted.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import ColumnElement, case, delete, exists, func, literal, or_, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from mlp_core.tables import OutboxRow
from mlp_core.tables.base import Json

OPEN_STATES = ("pending", "claimed")
_IS_OPEN = text("state IN ('pending', 'claimed')")
"""Word for word the predicate of the unique index, which ON CONFLICT has to name."""


async def upsert(session: AsyncSession, kind: str, key: str, payload: Json, due_in: float) -> None:
    due_at = func.now() + timedelta(seconds=due_in)
    statement = insert(OutboxRow).values(kind=kind, key=key, payload=payload, due_at=due_at)
    await session.execute(
        statement.on_conflict_do_update(
            index_elements=["kind", "key"],
            index_where=_IS_OPEN,
            set_={
                "payload": statement.excluded.payload,
                "due_at": func.least(OutboxRow.due_at, statement.excluded.due_at),
            },
        )
    )


async def insert_once(session: AsyncSession, kind: str, key: str, payload: Json) -> bool:
    """Add the row unless one of this kind and key was ever there. Whether it was added."""
    known = exists().where(OutboxRow.kind == kind, OutboxRow.key == key)
    source = select(literal(kind), literal(key), literal(payload, OutboxRow.payload.type)).where(~known)
    statement = insert(OutboxRow).from_select(["kind", "key", "payload"], source)
    done = await session.execute(
        statement.on_conflict_do_nothing(index_elements=["kind", "key"], index_where=_IS_OPEN).returning(OutboxRow.id)
    )
    return done.first() is not None


async def list_due(session: AsyncSession, limit: int) -> Sequence[tuple[int, str]]:
    """Id and kind of rows that wait for a worker, the longest due first."""
    statement = select(OutboxRow.id, OutboxRow.kind).where(_is_due()).order_by(OutboxRow.due_at).limit(limit)
    return [(row.id, row.kind) for row in await session.execute(statement)]


async def seconds_to_next(session: AsyncSession) -> float | None:
    """Until the next open row is due, negative where one is overdue; None where nothing is open."""
    statement = select(func.extract("epoch", func.min(OutboxRow.due_at) - func.now())).where(
        OutboxRow.state.in_(OPEN_STATES)
    )
    seconds = await session.scalar(statement)
    return None if seconds is None else float(seconds)


async def claim(session: AsyncSession, row_id: int, claimed_by: str, seconds: float) -> OutboxRow | None:
    candidate = select(OutboxRow.id).where(OutboxRow.id == row_id, _is_due()).with_for_update(skip_locked=True)
    until = func.now() + timedelta(seconds=seconds)
    statement = (
        update(OutboxRow)
        .where(OutboxRow.id.in_(candidate.scalar_subquery()))
        .values(state="claimed", claimed_by=claimed_by, claimed_until=until, due_at=until, tries=OutboxRow.tries + 1)
        .returning(OutboxRow)
    )
    return (await session.scalars(statement)).one_or_none()


async def extend(session: AsyncSession, row_id: int, claimed_by: str, seconds: float) -> bool:
    """Move the end of a claim that is still held. Whether it was."""
    until = func.now() + timedelta(seconds=seconds)
    asked_again = OutboxRow.due_at < OutboxRow.claimed_until
    statement = (
        update(OutboxRow)
        .where(*_held(row_id, claimed_by))
        .values(claimed_until=until, due_at=case((asked_again, OutboxRow.due_at), else_=until))
        .returning(OutboxRow.id)
    )
    return (await session.execute(statement)).first() is not None


async def finish(session: AsyncSession, row_id: int, claimed_by: str) -> bool:
    """Carried out; open again where the effect was asked for anew meanwhile. Whether the claim was still held."""
    asked_again = OutboxRow.due_at < OutboxRow.claimed_until
    statement = (
        update(OutboxRow)
        .where(*_held(row_id, claimed_by))
        .values(
            state=case((asked_again, "pending"), else_="done"),
            tries=case((asked_again, 0), else_=OutboxRow.tries),
            done_at=case((asked_again, None), else_=func.now()),
            claimed_until=None,
            last_error=None,
        )
        .returning(OutboxRow.id)
    )
    return (await session.execute(statement)).first() is not None


async def put_back(
    session: AsyncSession, row_id: int, claimed_by: str, *, error: str, due_in: float, is_dead: bool
) -> bool:
    """Not carried out: due again later, or dead. Whether the claim was still held."""
    statement = (
        update(OutboxRow)
        .where(*_held(row_id, claimed_by))
        .values(
            state="dead" if is_dead else "pending",
            due_at=func.now() + timedelta(seconds=due_in),
            claimed_until=None,
            last_error=error,
        )
        .returning(OutboxRow.id)
    )
    return (await session.execute(statement)).first() is not None


async def delete_done(session: AsyncSession, older_than: timedelta, limit: int) -> int:
    old = (
        select(OutboxRow.id)
        .where(OutboxRow.state == "done", OutboxRow.done_at < func.now() - older_than)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    statement = delete(OutboxRow).where(OutboxRow.id.in_(old.scalar_subquery())).returning(OutboxRow.id)
    return len((await session.execute(statement)).all())


async def count_by_state(session: AsyncSession) -> dict[str, int]:
    statement = select(OutboxRow.state, func.count()).group_by(OutboxRow.state)
    return {row[0]: row[1] for row in await session.execute(statement)}


def _is_due() -> ColumnElement[bool]:
    free = or_(OutboxRow.claimed_until.is_(None), OutboxRow.claimed_until <= func.now())
    return OutboxRow.state.in_(OPEN_STATES) & (OutboxRow.due_at <= func.now()) & free


def _held(row_id: int, claimed_by: str) -> tuple[ColumnElement[bool], ...]:
    return (OutboxRow.id == row_id, OutboxRow.state == "claimed", OutboxRow.claimed_by == claimed_by)
