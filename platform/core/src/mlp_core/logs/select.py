"""Which lines of a log somebody wants, and pieces → chunks of the wire. Pure."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import groupby

from mlp.schemas.logs import LogChunk
from mlp_core.logs.lines import Piece
from mlp_core.logs.render import without_colours
from mlp_core.logs.repository import instant
from mlp_core.logs.sources import SourceFilter


@dataclass(frozen=True, slots=True)
class LogQuery:
    """What is wanted of one attempt's log. Bounds that are None do not bound."""

    sources: SourceFilter = field(default_factory=SourceFilter)
    since_ms: int | None = None
    until_ms: int | None = None
    tail: int | None = None
    """The last lines only; `grep` then picks among them."""
    first_line: int | None = None
    """Line numbers count within one source, which must be the only one."""
    end_line: int | None = None
    """Exclusive."""
    grep: str | None = None
    ignore_case: bool = False

    def wants(self, line: str) -> bool:
        if self.grep is None:
            return True
        text = without_colours(line)
        return self.grep.casefold() in text.casefold() if self.ignore_case else self.grep in text

    def is_before(self, piece: Piece) -> bool:
        """Nothing from `piece` on is wanted: pieces come by time, and line numbers are of one source."""
        if self.until_ms is not None and piece.at_ms >= self.until_ms:
            return True
        return self.end_line is not None and piece.start.line >= self.end_line

    def cut(self, piece: Piece) -> Piece | None:
        """What of a piece lies within the bounds of time and line numbers; None for nothing."""
        if (self.since_ms is not None and piece.at_ms < self.since_ms) or self.is_before(piece):
            return None
        if self.end_line is not None and piece.start.line + piece.count > self.end_line:
            return piece.first(self.end_line - piece.start.line)
        return piece


@dataclass(frozen=True, slots=True)
class Selected:
    """Chunks made of one piece."""

    chunks: list[LogChunk]
    lines: int
    rest_from: int | None = None
    """How many lines of the piece were looked at, where the limit came before its end."""


def select_lines(piece: Piece, attempt: int, query: LogQuery, limit: int) -> Selected:
    """The lines of `piece` that are wanted, at most `limit`; neighbours stay in one chunk."""
    lines = piece.lines()
    if query.grep is None:
        taken = lines[:limit]
        looked = len(taken)
        chunks = [_chunk(piece, attempt, 0, taken)] if taken else []
        return Selected(chunks, looked, looked if looked < len(lines) else None)
    hits: list[int] = []
    for index, line in enumerate(lines):
        if query.wants(line):
            if len(hits) == limit:
                return Selected(_runs(piece, attempt, lines, hits), len(hits), index)
            hits.append(index)
    return Selected(_runs(piece, attempt, lines, hits), len(hits))


def _runs(piece: Piece, attempt: int, lines: list[str], hits: list[int]) -> list[LogChunk]:
    chunks: list[LogChunk] = []
    for _, run in groupby(enumerate(hits), key=lambda pair: pair[1] - pair[0]):
        indices = [index for _, index in run]
        chunks.append(_chunk(piece, attempt, indices[0], [lines[index] for index in indices]))
    return chunks


def _chunk(piece: Piece, attempt: int, offset: int, lines: list[str]) -> LogChunk:
    return LogChunk(
        source=piece.source,
        attempt=attempt,
        at=instant(piece.at_ms),
        start=piece.start.line + offset,
        lines=lines,
        partial=piece.partial,
    )


@dataclass(slots=True)
class TailBuffer:
    """Keeps the last `count` lines of the pieces put in."""

    count: int
    _kept: deque[Piece] = field(default_factory=deque[Piece])
    _lines: int = 0

    def put(self, piece: Piece) -> None:
        self._kept.append(piece)
        self._lines += piece.count
        while self._kept and self._lines - self._kept[0].count >= self.count:
            self._lines -= self._kept.popleft().count

    def pieces(self) -> list[Piece]:
        over = self._lines - self.count
        if over <= 0 or not self._kept:
            return list(self._kept)
        first = self._kept[0]
        return [first.last(first.count - over), *list(self._kept)[1:]]
