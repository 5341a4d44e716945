"""Finding the start of a line in what is stored: by its number, or by time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime

from mlp_core.kit.database import Database
from mlp_core.logs.lines import Position, Segment, nth_newline
from mlp_core.logs.repository import LogRepository, SourceExtent
from mlp_core.logs.segments import SegmentStore

_AT_ONCE = 8


class LogSeeker:
    def __init__(self, database: Database, segments: SegmentStore, attempt_id: str) -> None:
        self._database = database
        self._segments = segments
        self._attempt_id = attempt_id

    async def line(self, source: str, line: int) -> Position:
        """Where line number `line` of a source starts; the end of what is stored where there are not so many."""
        async with self._database.transaction() as session:
            logs = LogRepository(session)
            extent = next((e for e in await logs.extents(self._attempt_id) if e.source == source), None)
            line = min(line, extent.next_line if extent else 0)
            before = await logs.segment_of_line_end(self._attempt_id, source, line - 1) if line else None
        return await self._behind_newline(before, line)

    async def since(self, sources: Sequence[SourceExtent], at: datetime) -> dict[str, Position]:
        """Of each source the first line that holds bytes read at or after `at`; its end where there are none."""
        names = [extent.source for extent in sources]
        async with self._database.transaction() as session:
            first = await LogRepository(session).first_since(self._attempt_id, names, at)
        limit = asyncio.Semaphore(_AT_ONCE)

        async def start_of(extent: SourceExtent) -> Position:
            async with limit:
                segment = first.get(extent.source)
                return await self.line(extent.source, extent.next_line if segment is None else segment.start_line)

        found = await asyncio.gather(*(start_of(extent) for extent in sources))
        return dict(zip(names, found, strict=True))

    async def last_lines(self, sources: Sequence[SourceExtent], count: int) -> dict[str, Position]:
        """Positions from which at least the last `count` lines of all sources together follow."""
        names = [extent.source for extent in sources]
        async with self._database.transaction() as session:
            moment = await LogRepository(session).moment_of_last_lines(self._attempt_id, names, count)
        return {} if moment is None else await self.since(sources, moment)

    async def _behind_newline(self, before: Segment | None, line: int) -> Position:
        """`before` holds the end of the line before; None at the very start, or where that is gone by retention."""
        if before is None:
            return Position(0, 0)
        raw = await self._segments.raw(before)
        return Position(before.start_byte + nth_newline(raw, line - before.start_line), line)
