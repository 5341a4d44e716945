"""Queries of events: pages of one resource's history, and the gapless stream of a project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import BigInteger, ColumnElement, literal_column, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from mlp_core.kit.pages import PageRequest, Slice, SortKey, keyset_page
from mlp_core.scope import ProjectScope, SubjectScope
from mlp_core.tables import EventRow

OLDEST_FIRST = (SortKey(EventRow.seq),)
NEWEST_FIRST = (SortKey(EventRow.seq, descending=True),)


@dataclass(frozen=True, slots=True)
class EventFilter:
    resource: str | None = None
    resource_id: str | None = None
    attempt: int | None = None
    reasons: tuple[str, ...] = ()
    since: datetime | None = None


@dataclass(frozen=True, slots=True, order=True)
class StreamPosition:
    """Everything up to here was seen. Ordered by the writing transaction first; see `EventRow`."""

    txid: int
    seq: int


class EventRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def page(
        self, scope: ProjectScope, where: EventFilter, page: PageRequest, *, newest_first: bool = False
    ) -> Slice[EventRow]:
        statement = scope.limit(select(EventRow), EventRow.project_id)
        if where.resource is not None:
            statement = statement.where(EventRow.resource == where.resource)
        if where.resource_id is not None:
            statement = statement.where(EventRow.resource_id == where.resource_id)
        if where.attempt is not None:
            statement = statement.where(EventRow.attempt == where.attempt)
        if where.reasons:
            statement = statement.where(EventRow.reason.in_(where.reasons))
        if where.since is not None:
            statement = statement.where(EventRow.at >= where.since)
        return await keyset_page(self._session, statement, NEWEST_FIRST if newest_first else OLDEST_FIRST, page)

    async def now(self) -> StreamPosition:
        """The position of a reader that wants only what is still to come, transactions in flight included."""
        xmin = await self._session.scalar(select(_oldest_open()))
        return StreamPosition(int(xmin or 0), -1)

    async def after(
        self, scope: SubjectScope, position: StreamPosition, resource_id: str | None, limit: int
    ) -> Sequence[EventRow]:
        """Events behind `position`, none of which a slow transaction can still get in front of."""
        statement = (
            scope.limit(select(EventRow), EventRow.project_id)
            .where(
                tuple_(EventRow.txid, EventRow.seq) > tuple_(position.txid, position.seq),
                EventRow.txid < _oldest_open(),
            )
            .order_by(EventRow.txid, EventRow.seq)
            .limit(limit)
        )
        if resource_id is not None:
            statement = statement.where(EventRow.resource_id == resource_id)
        return (await self._session.scalars(statement)).all()


def _oldest_open() -> ColumnElement[int]:
    """The oldest transaction that may still write: rows of older ones are all visible or never will be."""
    return literal_column("pg_snapshot_xmin(pg_current_snapshot())::text::bigint", BigInteger)
