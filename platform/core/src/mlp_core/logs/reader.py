"""Reading what is stored of one attempt: all sources that are asked for, merged by time.

A reader keeps its place in every source, so it can be asked again and goes on with what came meanwhile. No database
session is open while objects are fetched or while the consumer works.
"""

from __future__ import annotations

import asyncio
import heapq
from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from itertools import groupby

from mlp_core.domain.errors import NotFound, Unavailable
from mlp_core.kit.database import Database
from mlp_core.logs.cursor import LogCursor
from mlp_core.logs.lines import Piece, Position, Segment, SourceLines
from mlp_core.logs.repository import LogRepository, SourceExtent
from mlp_core.logs.segments import SegmentStore
from mlp_core.logs.sources import SourceFilter

FETCH_AHEAD = 4
"""Segments loaded while the one before them is being read."""
PASS_SEGMENTS = 1024
"""Rows of one pass over all sources."""
WHOLE_RUN = 6
"""A line that spans more segments than this is read at its two ends only."""
RUN_END = 4
MERGED_MEANWHILE_TRIES = 5

_Found = tuple[Segment, bytes | None]


class LogReader:
    """Reads one attempt from given positions on; sources not named there from their start."""

    def __init__(
        self,
        database: Database,
        segments: SegmentStore,
        attempt_id: str,
        wanted: SourceFilter,
        positions: Mapping[str, Position] | None = None,
    ) -> None:
        self._database = database
        self._segments = segments
        self._attempt_id = attempt_id
        self._wanted = wanted
        self._lines = {source: SourceLines(source, at) for source, at in (positions or {}).items()}
        self._delivered: dict[str, Position] = dict(positions or {})
        self._heap: list[tuple[int, str, int, Piece]] = []

    def cursor(self) -> LogCursor:
        """Behind the last piece that was delivered."""
        return LogCursor(self._attempt_id, dict(self._delivered))

    def delivered_to(self, source: str, at: Position) -> None:
        """The consumer took a piece only up to `at`."""
        self._delivered[source] = at

    def unfinished(self) -> list[Piece]:
        """Lines without a newline so far, by time. Only right once `pieces` has run out."""
        found = [piece for lines in self._lines.values() if (piece := lines.unfinished()) is not None]
        return sorted(found, key=lambda piece: (piece.at_ms, piece.source))

    async def pieces(self) -> AsyncGenerator[Piece]:
        """Everything stored behind the reader's place, by time; runs out where nothing more is stored now.

        Raises:
            Unavailable: a segment cannot be read.
        """
        tries = 0
        while True:
            batch, horizon_ms = await self._next_batch()
            try:
                async with aclosing(self._fetch(batch)) as fetched:
                    async for segment, raw in fetched:
                        for piece in self._due(segment.first_ms):
                            self._delivered[piece.source] = piece.end
                            yield piece
                        self._take(segment, raw)
                tries = 0
            except NotFound as gone:
                # Segments were merged into larger ones after their rows were read: look again.
                tries += 1
                if tries >= MERGED_MEANWHILE_TRIES:
                    raise Unavailable("A part of the log cannot be read.") from gone
                continue
            for piece in self._due(horizon_ms):
                self._delivered[piece.source] = piece.end
                yield piece
            if not batch:
                return

    def _take(self, segment: Segment, raw: bytes | None) -> None:
        lines = self._source(segment.source)
        if segment.end_byte <= lines.read_to:
            return
        if raw is None:
            lines.skip(segment)
            return
        for piece in lines.feed(segment, raw):
            heapq.heappush(self._heap, (piece.at_ms, piece.source, piece.start.byte, piece))

    def _due(self, before_ms: float) -> list[Piece]:
        """Pieces that nothing still to come can precede."""
        found: list[Piece] = []
        while self._heap and self._heap[0][0] < before_ms:
            found.append(heapq.heappop(self._heap)[3])
        return found

    async def _next_batch(self) -> tuple[list[Segment], float]:
        """The next segments by time, and the time before which there are no others."""
        async with self._database.transaction() as session:
            logs = LogRepository(session)
            positions = self._places_behind(await logs.extents(self._attempt_id))
            if not positions:
                return [], float("inf")
            per_source = max(2, PASS_SEGMENTS // len(positions))
            found = await logs.behind(self._attempt_id, positions, per_source)
        horizon = _horizon(found, per_source)
        return [segment for segment in found if segment.first_ms <= horizon], horizon

    def _places_behind(self, extents: Sequence[SourceExtent]) -> dict[str, int]:
        wanted = [extent for extent in extents if self._wanted.matches(extent.source)]
        places = {extent.source: self._source(extent.source).read_to for extent in wanted}
        return {extent.source: places[extent.source] for extent in wanted if extent.next_byte > places[extent.source]}

    def _source(self, source: str) -> SourceLines:
        return self._lines.setdefault(source, SourceLines(source, Position()))

    async def _fetch(self, batch: list[Segment]) -> AsyncGenerator[_Found]:
        """The segments in order with their bytes, loaded a few ahead; None for the middle of an endless line."""
        skipped = _middles(batch)
        waiting: deque[tuple[Segment, asyncio.Task[bytes] | None]] = deque()
        rest = iter(batch)
        try:
            while True:
                while len(waiting) < FETCH_AHEAD and (segment := next(rest, None)) is not None:
                    is_skipped = (segment.source, segment.start_byte) in skipped
                    waiting.append((segment, None if is_skipped else self._load(segment)))
                if not waiting:
                    return
                segment, task = waiting[0]
                raw = None if task is None else await task
                waiting.popleft()
                yield segment, raw
        finally:
            tasks = [task for _, task in waiting if task is not None]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _load(self, segment: Segment) -> asyncio.Task[bytes]:
        return asyncio.create_task(self._segments.raw(segment))


def _horizon(found: list[Segment], per_source: int) -> float:
    """Where sources were cut at `per_source` segments, what follows is known only up to the earliest cut."""
    counts: dict[str, int] = {}
    last_ms: dict[str, int] = {}
    for segment in found:
        counts[segment.source] = counts.get(segment.source, 0) + 1
        last_ms[segment.source] = segment.first_ms
    return min((last_ms[source] for source, count in counts.items() if count >= per_source), default=float("inf"))


def _middles(batch: list[Segment]) -> set[tuple[str, int]]:
    """Segments that end no line and lie in the middle of a long run of such ones."""
    middles: set[tuple[str, int]] = set()
    by_source = sorted(batch, key=lambda segment: (segment.source, segment.start_byte))
    for (source, ends_no_line), run in groupby(by_source, key=lambda s: (s.source, s.ends_no_line)):
        starts = [segment.start_byte for segment in run]
        if ends_no_line and len(starts) > WHOLE_RUN:
            middles.update((source, start) for start in starts[1:-RUN_END])
    return middles
