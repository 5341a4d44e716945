"""How the platform gets on: how late operators and workers are, and what has stopped moving. For admins only."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import ColumnElement, String, case, func, literal, or_, select, text
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from mlp.schemas.health import Queue, Stuck
from mlp.schemas.phases import ClusterPhase, JobPhase
from mlp_core.tables import ClusterRow, EnvironmentRow, JobRow, OutboxRow, ProjectRow

COUNTED = 10_000
MOST_STUCK = 100
FAILED_TRIES = 3
"""After so many unexpected errors in a row something is wrong with the thing, not with the moment."""
OVERDUE = timedelta(minutes=2)
LONGEST = {
    JobPhase.ADMITTED.value: timedelta(minutes=30),
    JobPhase.PROVISIONING.value: timedelta(minutes=30),
    JobPhase.SEALING.value: timedelta(minutes=45),
    ClusterPhase.STOPPING.value: timedelta(minutes=15),
}
"""Phases that have an end of their own, and how long after it is certain that they missed it."""

Kind = Literal["job", "cluster", "environment"]
_Row = type[JobRow] | type[ClusterRow] | type[EnvironmentRow]
_KINDS: dict[Kind, _Row] = {
    "job": JobRow,
    "cluster": ClusterRow,
    "environment": EnvironmentRow,
}


async def read_queues(session: AsyncSession) -> list[Queue]:
    """How far behind the reconcilers of each kind and the outbox are."""
    queues = [await _queue(session, name, row) for name, row in _KINDS.items()]
    return [*queues, await _outbox(session)]


async def read_stuck(session: AsyncSession) -> list[Stuck]:
    """What fails again and again, is overdue, or stays in a passing phase; the oldest first."""
    found: list[Stuck] = []
    for name, row in _KINDS.items():
        found += await _stuck(session, name, row)
    return sorted(found, key=lambda one: one.since)[:MOST_STUCK]


async def read_database_versions(session: AsyncSession) -> tuple[str, str]:
    """Revision of the schema, and version of Postgres."""
    revision = await session.scalar(text("SELECT version_num FROM alembic_version"))
    version = await session.scalar(text("SHOW server_version"))
    return str(revision), str(version)


async def _queue(session: AsyncSession, name: Kind, row: _Row) -> Queue:
    free = or_(row.lease_until.is_(None), row.lease_until < func.now())
    due = select(row.due_at).where(row.due_at <= func.now(), free).order_by(row.due_at).limit(COUNTED).subquery()
    count, lag = (await session.execute(select(func.count(), _seconds_since(func.min(due.c.due_at))))).one()
    live = select(func.count().filter(row.lease_until >= func.now()), func.count().filter(row.failures > 0)).where(
        row.due_at.is_not(None)
    )
    held, failing = (await session.execute(live)).one()
    return Queue(name=name, due=count, lag_seconds=_rounded(lag), held=held, failing=failing)


async def _outbox(session: AsyncSession) -> Queue:
    waiting = (
        select(OutboxRow.due_at)
        .where(OutboxRow.state == "pending", OutboxRow.due_at <= func.now())
        .order_by(OutboxRow.due_at)
        .limit(COUNTED)
        .subquery()
    )
    count, lag = (await session.execute(select(func.count(), _seconds_since(func.min(waiting.c.due_at))))).one()
    states = dict(
        (
            await session.execute(
                select(OutboxRow.state, func.count())
                .where(OutboxRow.state.in_(["claimed", "dead"]))
                .group_by(OutboxRow.state)
            )
        ).tuples().all()
    )  # fmt: skip
    held, dead = states.get("claimed", 0), states.get("dead", 0)
    return Queue(name="outbox", due=count, lag_seconds=_rounded(lag), held=held, failing=dead)


async def _stuck(session: AsyncSession, name: Kind, row: _Row) -> list[Stuck]:
    failing = row.failures >= FAILED_TRIES
    overdue = row.due_at < func.now() - OVERDUE
    since = _since(row)
    late = or_(*((row.phase == phase) & (since < func.now() - longest) for phase, longest in LONGEST.items()))
    why = case(
        (failing, literal("Looking after it failed ") + row.failures.cast(String) + literal(" times in a row.")),
        (overdue, literal("No operator has looked after it in time.")),
        else_=literal("It has been in this phase for longer than it can last."),
    )
    statement = (
        select(row.id, row.name, ProjectRow.slug, row.phase, since.label("since"), why.label("why"))
        .join(ProjectRow, ProjectRow.id == row.project_id)
        .where(row.due_at.is_not(None), or_(failing, overdue, late))
        .order_by(since)
        .limit(MOST_STUCK)
    )
    return [
        Stuck(kind=name, id=id_, name=title or id_, project=slug, phase=phase, since=at, why=reason)
        for id_, title, slug, phase, at, reason in await session.execute(statement)
    ]


def _since(row: _Row) -> InstrumentedAttribute[datetime]:
    """Environments do not tell when their phase began."""
    return row.created_at if issubclass(row, EnvironmentRow) else row.phase_since


def _seconds_since(instant: ColumnElement[datetime]) -> ColumnElement[Any]:
    return func.extract("epoch", func.now() - instant)


def _rounded(seconds: float | None) -> float:
    return round(float(seconds or 0.0), 3)
