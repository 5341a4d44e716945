"""Reading logs: pages of lines, and the raw bytes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from mlp.schemas.logs import LogChunk, LogPage, LogSource
from mlp_core.domain.errors import Invalid, NotFound, Unavailable
from mlp_core.kit.database import Database
from mlp_core.logs.cursor import LogCursor, not_a_cursor
from mlp_core.logs.lines import Piece, Position
from mlp_core.logs.reader import MERGED_MEANWHILE_TRIES, LogReader
from mlp_core.logs.repository import LogRepository, SourceExtent, instant
from mlp_core.logs.seek import LogSeeker
from mlp_core.logs.segments import SegmentStore
from mlp_core.logs.select import LogQuery, TailBuffer, select_lines

MAX_LINES = 10_000
DEFAULT_LINES = 1000
PAGE_BYTES = 8 * 2**20
"""Raw bytes of the lines of one page."""
SCAN_BYTES = 64 * 2**20
"""Raw bytes that one request searches; the answer's `next` goes on from there."""
_RAW_SEGMENTS = 64


@dataclass(frozen=True, slots=True)
class AttemptLog:
    """One attempt whose log may be read: it has passed the scope's door."""

    id: str
    number: int
    has_ended: bool


@dataclass(slots=True)
class _Collected:
    """A page as it grows."""

    left: int
    chunks: list[LogChunk] = field(default_factory=list[LogChunk])
    taken_bytes: int = 0
    scanned_bytes: int = 0

    @property
    def is_full(self) -> bool:
        return self.left <= 0 or self.taken_bytes >= PAGE_BYTES or self.scanned_bytes >= SCAN_BYTES


class Logs:
    """The read side of logs. Opens short sessions of its own: none is held while objects are fetched."""

    def __init__(self, database: Database, segments: SegmentStore) -> None:
        self._database = database
        self._segments = segments

    async def page(self, attempt: AttemptLog, query: LogQuery, cursor: str | None, limit: int) -> LogPage:
        """The next `limit` lines of all sources that are wanted, by time.

        Raises:
            Invalid: the cursor is of another log, or line numbers are asked for of more than one source.
        """
        reader = await self.reader(attempt, query, cursor)
        if query.tail is not None and cursor is None:
            return await self._tail_page(attempt, query, reader, query.tail)
        page = _Collected(limit)
        async with aclosing(reader.pieces()) as pieces:
            async for piece in pieces:
                if query.is_before(piece):
                    return _page(page.chunks, attempt, reader, has_more=False)
                _collect(page, piece, attempt, query, reader)
                if page.is_full:
                    return _page(page.chunks, attempt, reader, has_more=True)
        return _page(page.chunks + _unfinished(reader, attempt, query), attempt, reader, has_more=False)

    async def reader(self, attempt: AttemptLog, query: LogQuery, cursor: str | None) -> LogReader:
        """A reader that stands where `query` or `cursor` says."""
        positions = await self._positions(attempt, query) if cursor is None else _positions_in(cursor, attempt)
        return LogReader(self._database, self._segments, attempt.id, query.sources, positions)

    async def sources(self, attempt: AttemptLog) -> list[LogSource]:
        return [
            LogSource(source=extent.source, attempt=attempt.number, bytes=extent.next_byte, lines=extent.next_line)
            for extent in await self._extents(attempt.id)
        ]

    async def extent(self, attempt: AttemptLog, source: str) -> SourceExtent:
        """
        Raises:
            NotFound: the attempt has no source of exactly that name.
        """
        for extent in await self._extents(attempt.id):
            if extent.source == source:
                return extent
        raise NotFound.of("log source", source, "See .../logs/sources for what there is.")

    async def raw(self, attempt_id: str, source: str, start: int, end: int) -> AsyncGenerator[bytes]:
        """Bytes `[start, end)` of one source, exactly as they were written.

        Raises:
            Unavailable: a segment cannot be read.
        """
        tries = 0
        while start < end:
            async with self._database.transaction() as session:
                found = await LogRepository(session).behind(attempt_id, {source: start}, _RAW_SEGMENTS)
            if not found:
                return
            try:
                for segment in found:
                    raw = await self._segments.raw(segment)
                    piece = raw[max(0, start - segment.start_byte) : end - segment.start_byte]
                    if piece:
                        yield piece
                    start, tries = segment.end_byte, 0
                    if start >= end:
                        return
            except NotFound as gone:
                # Merged into larger ones after the rows were read, by a consumer that takes its time: look again.
                tries += 1
                if tries >= MERGED_MEANWHILE_TRIES:
                    raise Unavailable("A part of the log cannot be read.") from gone

    async def _tail_page(self, attempt: AttemptLog, query: LogQuery, reader: LogReader, count: int) -> LogPage:
        tail = TailBuffer(count)
        async with aclosing(reader.pieces()) as pieces:
            async for piece in pieces:
                cut = query.cut(piece)
                if cut is not None:
                    tail.put(cut)
        chunks = [
            chunk for piece in tail.pieces() for chunk in select_lines(piece, attempt.number, query, count).chunks
        ]
        return _page(chunks + _unfinished(reader, attempt, query), attempt, reader, has_more=False)

    async def _positions(self, attempt: AttemptLog, query: LogQuery) -> dict[str, Position]:
        """Where to start reading, without a cursor."""
        wanted = [extent for extent in await self._extents(attempt.id) if query.sources.matches(extent.source)]
        seeker = LogSeeker(self._database, self._segments, attempt.id)
        if query.first_line is not None or query.end_line is not None:
            if len(wanted) > 1:
                raise Invalid(
                    "Line numbers count within one source.",
                    hint=f"Give one of {', '.join(extent.source for extent in wanted[:10])} as `source`.",
                    fields={"source": "must name exactly one source"},
                )
            return {extent.source: await seeker.line(extent.source, query.first_line or 0) for extent in wanted}
        if query.since_ms is not None:
            return await seeker.since(wanted, instant(query.since_ms))
        if query.tail is not None:
            return await seeker.last_lines(wanted, query.tail)
        return {}

    async def _extents(self, attempt_id: str) -> Sequence[SourceExtent]:
        async with self._database.transaction() as session:
            return await LogRepository(session).extents(attempt_id)


def _positions_in(cursor: str, attempt: AttemptLog) -> dict[str, Position]:
    decoded = LogCursor.decode(cursor)
    if decoded.attempt_id != attempt.id:
        raise not_a_cursor()
    return dict(decoded.positions)


def _collect(page: _Collected, piece: Piece, attempt: AttemptLog, query: LogQuery, reader: LogReader) -> None:
    page.scanned_bytes += piece.end.byte - piece.start.byte
    cut = query.cut(piece)
    if cut is None:
        return
    selected = select_lines(cut, attempt.number, query, page.left)
    page.chunks.extend(selected.chunks)
    page.left -= selected.lines
    if selected.lines:
        page.taken_bytes += cut.end.byte - cut.start.byte
    if selected.rest_from is not None:
        reader.delivered_to(cut.source, cut.first(selected.rest_from).end)


def _unfinished(reader: LogReader, attempt: AttemptLog, query: LogQuery) -> list[LogChunk]:
    cuts = [cut for piece in reader.unfinished() if (cut := query.cut(piece)) is not None]
    return [chunk for cut in cuts for chunk in select_lines(cut, attempt.number, query, 1).chunks]


def _page(chunks: list[LogChunk], attempt: AttemptLog, reader: LogReader, *, has_more: bool) -> LogPage:
    cursor = reader.cursor().encode()
    return LogPage(
        items=chunks,
        next=cursor if has_more else None,
        resume=cursor,
        attempt=attempt.number,
        complete=attempt.has_ended,
    )
