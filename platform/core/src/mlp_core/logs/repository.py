"""Queries of log sources and segments. An attempt's id has passed the scope's door before it comes here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row, func, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from mlp_core.logs.lines import Segment
from mlp_core.tables import LogSegmentRow, LogSourceRow

_COLUMNS = "s.source, s.start_byte, s.end_byte, s.start_line, s.end_line, s.first_at, s.last_at, s.times, s.object_key"

_BEHIND = text(f"""
    SELECT {_COLUMNS}
    FROM unnest(CAST(:sources AS text[]), CAST(:positions AS bigint[])) AS want(source, at)
    CROSS JOIN LATERAL (
        SELECT * FROM log_segments AS s
        WHERE s.attempt_id = :attempt_id AND s.source = want.source AND s.end_byte > want.at
          AND s.start_byte >= coalesce((
              SELECT max(before.start_byte) FROM log_segments AS before
              WHERE before.attempt_id = :attempt_id AND before.source = want.source AND before.start_byte <= want.at
          ), 0)
        ORDER BY s.start_byte
        LIMIT :per_source
    ) AS s
    ORDER BY s.first_at, s.source, s.start_byte
""")  # noqa: S608 - only the list of columns is put in
_FIRST_SINCE = text(f"""
    SELECT {_COLUMNS}
    FROM unnest(CAST(:sources AS text[])) AS want(source)
    CROSS JOIN LATERAL (
        SELECT * FROM log_segments AS s
        WHERE s.attempt_id = :attempt_id AND s.source = want.source AND s.last_at >= :since
        ORDER BY s.start_byte
        LIMIT 1
    ) AS s
""")  # noqa: S608 - only the list of columns is put in


@dataclass(frozen=True, slots=True)
class SourceExtent:
    """How much of one source is stored."""

    source: str
    next_byte: int
    next_line: int


class LogRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def extents(self, attempt_id: str) -> list[SourceExtent]:
        statement = (
            select(LogSourceRow.source, LogSourceRow.next_byte, LogSourceRow.next_line)
            .where(LogSourceRow.attempt_id == attempt_id)
            .order_by(LogSourceRow.source)
        )
        return [SourceExtent(*row) for row in (await self._session.execute(statement)).all()]

    async def next_byte(self, attempt_id: str, source: str) -> int:
        statement = select(LogSourceRow.next_byte).where(
            LogSourceRow.attempt_id == attempt_id, LogSourceRow.source == source
        )
        return await self._session.scalar(statement) or 0

    async def count_sources(self, attempt_id: str) -> int:
        statement = select(func.count()).select_from(LogSourceRow).where(LogSourceRow.attempt_id == attempt_id)
        return await self._session.scalar(statement) or 0

    async def lock_source(self, attempt_id: str, source: str) -> LogSourceRow:
        """The source's row, made if absent, locked until the end of this transaction."""
        await self._session.execute(
            insert(LogSourceRow).values(attempt_id=attempt_id, source=source).on_conflict_do_nothing()
        )
        statement = (
            select(LogSourceRow)
            .where(LogSourceRow.attempt_id == attempt_id, LogSourceRow.source == source)
            .with_for_update()
        )
        return (await self._session.scalars(statement)).one()

    async def last_at(self, attempt_id: str, source: str) -> datetime | None:
        """When the newest stored bytes of a source were read."""
        statement = (
            select(LogSegmentRow.last_at)
            .where(LogSegmentRow.attempt_id == attempt_id, LogSegmentRow.source == source)
            .order_by(LogSegmentRow.start_byte.desc())
            .limit(1)
        )
        return await self._session.scalar(statement)

    def add(self, row: LogSegmentRow) -> None:
        self._session.add(row)

    async def behind(self, attempt_id: str, positions: Mapping[str, int], per_source: int) -> list[Segment]:
        """The next segments of each source from a byte on, by time; at most `per_source` of each."""
        found = await self._session.execute(
            _BEHIND,
            {
                "attempt_id": attempt_id,
                "sources": list(positions),
                "positions": list(positions.values()),
                "per_source": per_source,
            },
        )
        return [segment_of(row) for row in found]

    async def first_since(self, attempt_id: str, sources: Sequence[str], since: datetime) -> dict[str, Segment]:
        """For each source that has one, the first segment with bytes read at or after `since`."""
        found = await self._session.execute(
            _FIRST_SINCE, {"attempt_id": attempt_id, "sources": list(sources), "since": since}
        )
        return {row.source: segment_of(row) for row in found}

    async def segment_of_line_end(self, attempt_id: str, source: str, line: int) -> Segment | None:
        """The segment that holds the newline of line number `line`."""
        statement = (
            select(LogSegmentRow)
            .where(
                LogSegmentRow.attempt_id == attempt_id,
                LogSegmentRow.source == source,
                LogSegmentRow.start_line <= line,
                LogSegmentRow.end_line > line,
            )
            .limit(1)
        )
        row = await self._session.scalar(statement)
        return None if row is None else segment_of(row)

    async def moment_of_last_lines(self, attempt_id: str, sources: Sequence[str], count: int) -> datetime | None:
        """A moment at or after which at least `count` lines ended; None where there are no more lines than that."""
        lines = LogSegmentRow.end_line - LogSegmentRow.start_line
        statement = (
            select(LogSegmentRow.first_at, lines)
            .where(LogSegmentRow.attempt_id == attempt_id, LogSegmentRow.source.in_(sources), lines > 0)
            .order_by(LogSegmentRow.first_at.desc())
            .execution_options(yield_per=200)
        )
        found = 0
        rows = await self._session.stream(statement)
        async for first_at, ended in rows:
            found += ended
            if found >= count:
                await rows.close()
                return first_at
        return None


def segment_of(row: Row[Any] | LogSegmentRow) -> Segment:
    return Segment(
        source=row.source,
        start_byte=row.start_byte,
        end_byte=row.end_byte,
        start_line=row.start_line,
        end_line=row.end_line,
        first_ms=milliseconds(row.first_at),
        last_ms=milliseconds(row.last_at),
        times=tuple(row.times),
        object_key=row.object_key,
    )


def milliseconds(at: datetime) -> int:
    """Unix milliseconds of an instant."""
    return round(at.timestamp() * 1000)


def instant(at_ms: int) -> datetime:
    return datetime.fromtimestamp(at_ms / 1000, UTC)
