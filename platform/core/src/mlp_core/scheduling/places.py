"""Places in queues, as the operator last saw them. Spans all tenants on purpose: a queue is everybody's.

What leaves this module towards people names only what they may see; see `mlp_core.jobs.why`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.jobs import QueuePlace
from mlp_core.domain.places import Place
from mlp_core.tables import ClusterRow, JobRow

_LOCK = 0x6D6C7003
_EXACT = 100
"""Places up to here are always exact; further back they may be off by a twentieth, so that not every row of a long
queue is written whenever its first one starts."""
_WRITE = """
    WITH wanted AS (
        SELECT * FROM unnest(CAST(:ids AS text[]), CAST(:pools AS text[]), CAST(:positions AS integer[]))
            AS w(id, pool, position)
    ), changed AS (
        SELECT {table}.id, wanted.pool, wanted.position FROM {table} LEFT JOIN wanted USING (id)
        WHERE {table}.ended_at IS NULL AND ({table}.phase = 'queued' OR {table}.queue_pool IS NOT NULL)
          AND (queue_pool IS DISTINCT FROM wanted.pool
               OR (queue_position <> wanted.position
                   AND (LEAST(queue_position, wanted.position) <= {exact}
                        OR abs(queue_position - wanted.position) * 20 > queue_position)))
        FOR UPDATE OF {table} SKIP LOCKED
    )
    UPDATE {table} SET queue_pool = changed.pool, queue_position = changed.position
    FROM changed WHERE {table}.id = changed.id
"""
_STATEMENTS = tuple(text(_WRITE.format(table=table, exact=_EXACT)) for table in ("jobs", "clusters"))


@dataclass(frozen=True, slots=True)
class Ahead:
    """Who is before somebody in the queue of a pool."""

    kind: Literal["job", "cluster"]
    id: str
    name: str
    project_id: str
    position: int
    since: datetime


async def lock_places(session: AsyncSession) -> bool:
    """Whether this operator writes places now; of several, one at a time does."""
    return bool(await session.scalar(text("SELECT pg_try_advisory_xact_lock(:lock)"), {"lock": _LOCK}))


async def write_places(session: AsyncSession, places: Mapping[str, Place]) -> None:
    """Write down what changed; who has no place (any more) has none. Rows that others hold are left for next time."""
    rows = {
        "ids": list(places),
        "pools": [place.pool for place in places.values()],
        "positions": [place.position for place in places.values()],
    }
    for statement in _STATEMENTS:
        await session.execute(statement, rows)


def place_of(row: JobRow | ClusterRow) -> QueuePlace | None:
    """None for what does not wait, and before the operator has looked."""
    if row.phase != "queued" or row.queue_pool is None or row.queue_position is None:
        return None
    return QueuePlace(pool=row.queue_pool, position=row.queue_position)


async def ahead_of(session: AsyncSession, place: QueuePlace, at_most: int) -> list[Ahead]:
    """The first ones before `place` in its pool's queue."""
    found: list[Ahead] = []
    for kind, row in (("job", JobRow), ("cluster", ClusterRow)):
        statement = (
            select(row.id, row.name, row.project_id, row.queue_position, row.created_at)
            .where(row.ended_at.is_(None), row.phase == "queued")
            .where(row.queue_pool == place.pool, row.queue_position < place.position)
            .order_by(row.queue_position, row.id)
            .limit(at_most)
        )
        found += [
            Ahead("job" if kind == "job" else "cluster", id_, name, project_id, position or 0, since)
            for id_, name, project_id, position, since in await session.execute(statement)
        ]
    return sorted(found, key=lambda one: (one.position, one.id))[:at_most]
