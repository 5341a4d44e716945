"""From segments of bytes to pieces of lines. Pure: rows and bytes come in, nothing is fetched here."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

from mlp_core.logs.render import FOLD_BYTES, render_line, render_lines

PIECE_BYTES = 256 * 1024
"""Most bytes of one piece, so that one message to a reader stays small."""


RAY_MARKS = (b":job_id:", b":actor_name:", b":task_name:")
_RAY_MARKS_TEXT = tuple(mark.decode() for mark in RAY_MARKS)


@dataclass(frozen=True, slots=True)
class Position:
    """The start of a line: its byte in the source and its number."""

    byte: int = 0
    line: int = 0


@dataclass(frozen=True, slots=True)
class Segment:
    """Where bytes `[start_byte, end_byte)` of a source are kept, and when they were read."""

    source: str
    start_byte: int
    end_byte: int
    start_line: int
    end_line: int
    first_ms: int
    last_ms: int
    times: tuple[int, ...]
    """Byte offset and unix milliseconds in turn; offsets ascend."""
    object_key: str

    @property
    def order(self) -> tuple[int, str, int]:
        return (self.first_ms, self.source, self.start_byte)

    @property
    def ends_no_line(self) -> bool:
        return self.end_line == self.start_line


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines of one source that were read at one moment."""

    source: str
    at_ms: int
    start: Position
    end: Position
    body: bytes
    """Complete lines, newlines included; empty where `text` stands in its place."""
    text: str | None = None
    """One line already rendered: it began in an earlier segment, or has no end yet."""
    partial: bool = False

    @property
    def count(self) -> int:
        return 1 if self.partial else self.end.line - self.start.line

    def lines(self) -> list[str]:
        return render_lines(self.body) if self.text is None else [self.text]

    def first(self, count: int) -> Piece:
        """The first `count` lines only."""
        if count >= self.count:
            return self
        size = nth_newline(self.body, count)
        end = Position(self.start.byte + size, self.start.line + count)
        return replace(self, end=end, body=self.body[:size])

    def last(self, count: int) -> Piece:
        """The last `count` lines only."""
        if count >= self.count:
            return self
        dropped = self.count - count
        size = nth_newline(self.body, dropped)
        start = Position(self.start.byte + size, self.start.line + dropped)
        return replace(self, start=start, body=self.body[size:])


@dataclass(slots=True)
class PartialLine:
    """A line whose newline has not come yet: its last redraw, at most `FOLD_BYTES` of it."""

    size: int = 0
    """Bytes of the line so far."""
    omitted: int = 0
    _state: bytearray = field(default_factory=bytearray)
    _redraws: bool = False
    """A carriage return came last: what follows overwrites."""

    def add(self, data: bytes) -> None:
        if not data:
            return
        self.size += len(data)
        body = data.rstrip(b"\r")
        if body:
            cut = body.rfind(b"\r")
            if cut >= 0 or self._redraws:
                self._state.clear()
                self.omitted = 0
                body = body[cut + 1 :]
            room = FOLD_BYTES - len(self._state)
            self._state += body[:room]
            self.omitted += max(0, len(body) - room)
        self._redraws = data.endswith(b"\r")

    def skip(self, size: int) -> None:
        """Pass over bytes that hold no newline and are not worth reading."""
        self.size += size
        self.omitted += size
        self._redraws = False

    def render(self) -> str:
        return render_line(bytes(self._state), self.omitted)


class SourceLines:
    """Reads one source from a position on: segments in, pieces out."""

    def __init__(self, source: str, at: Position) -> None:
        self.source = source
        self.start = at
        """Of the line now being read."""
        self.partial = PartialLine()
        self._partial_ms = 0

    @property
    def _has_marks(self) -> bool:
        """Only files of Ray's workers carry its marks; their source names hold a slash."""
        return "/" in self.source

    @property
    def read_to(self) -> int:
        """First byte not read yet."""
        return self.start.byte + self.partial.size

    def skip(self, segment: Segment) -> None:
        """Pass over a segment that ends no line."""
        self._step_over_gap(segment)
        self.partial.skip(segment.end_byte - self.read_to)
        self._partial_ms = segment.last_ms

    def feed(self, segment: Segment, raw: bytes) -> list[Piece]:
        """Pieces completed by `segment`, whose bytes are `raw`."""
        self._step_over_gap(segment)
        begin = self.read_to - segment.start_byte
        size = segment.end_byte - segment.start_byte
        pieces: list[Piece] = []
        first = raw.find(b"\n", begin, size)
        if first >= 0 and self.partial.size:
            self.partial.add(raw[begin:first])
            pieces.append(self._finish_partial(_time_at(segment, first)))
            begin = first + 1
        pieces.extend(self._whole_lines(segment, raw, begin, size))
        rest = raw[self.read_to - segment.start_byte : size]
        if rest:
            self.partial.add(rest)
            self._partial_ms = segment.last_ms
        return [shown for piece in pieces for shown in without_ray_marks(piece)] if self._has_marks else pieces

    def unfinished(self) -> Piece | None:
        """The line that has no newline yet, as it looks now."""
        if not self.partial.size:
            return None
        return Piece(
            self.source, self._partial_ms, self.start, self.start, b"", text=self.partial.render(), partial=True
        )

    def _step_over_gap(self, segment: Segment) -> None:
        """Go on at `segment` where bytes before it are gone, such as after their retention time."""
        if segment.start_byte > self.read_to:
            self.start = Position(segment.start_byte, segment.start_line)
            self.partial = PartialLine()

    def _finish_partial(self, at_ms: int) -> Piece:
        end = Position(self.start.byte + self.partial.size + 1, self.start.line + 1)
        piece = Piece(self.source, at_ms, self.start, end, b"", text=self.partial.render())
        self.start, self.partial = end, PartialLine()
        return piece

    def _whole_lines(self, segment: Segment, raw: bytes, begin: int, size: int) -> Iterator[Piece]:
        for low, high, at_ms in _moments(segment, begin, size):
            while True:
                at = self.start.byte - segment.start_byte
                cut = _last_newline(raw, max(low, at), high, at + PIECE_BYTES)
                if cut < 0:
                    break
                body = raw[at : cut + 1]
                end = Position(self.start.byte + len(body), self.start.line + body.count(b"\n"))
                yield Piece(self.source, at_ms, self.start, end, body)
                self.start = end


def without_ray_marks(piece: Piece) -> list[Piece]:
    """`piece` without the lines by which Ray's workers tell its own log monitor whose output follows.

    They are no output of the job. The lines around them keep their numbers; the raw download keeps every byte.
    """
    if piece.text is not None:
        return [] if piece.text.startswith(_RAY_MARKS_TEXT) else [piece]
    if not (piece.body.startswith(b":") or b"\n:" in piece.body):
        return [piece]
    shown: list[Piece] = []
    at = run = piece.start
    for line in _newline_split(piece.body):
        after = Position(at.byte + len(line), at.line + 1)
        if line.startswith(RAY_MARKS):
            shown.extend(_cut(piece, run, at))
            run = after
        at = after
    shown.extend(_cut(piece, run, at))
    return shown


def _newline_split(body: bytes) -> list[bytes]:
    return [line + b"\n" for line in body.split(b"\n")[:-1]]


def _cut(piece: Piece, start: Position, end: Position) -> list[Piece]:
    if start.byte == end.byte:
        return []
    first = piece.start.byte
    return [replace(piece, start=start, end=end, body=piece.body[start.byte - first : end.byte - first])]


def _last_newline(raw: bytes, low: int, high: int, soft_end: int) -> int:
    """The last newline in `[low, high)` that keeps a piece small, or the first one if even one line is larger."""
    if soft_end < high:
        cut = raw.rfind(b"\n", low, soft_end)
        return cut if cut >= 0 else raw.find(b"\n", max(low, soft_end), high)
    return raw.rfind(b"\n", low, high)


def _moments(segment: Segment, begin: int, size: int) -> Iterator[tuple[int, int, int]]:
    """Ranges of bytes read at one moment, `(low, high, unix milliseconds)`, from `begin` on."""
    offsets = segment.times[0::2]
    bounds = [*offsets, size]
    if not offsets or offsets[0] > 0:
        yield begin, offsets[0] if offsets else size, segment.first_ms
    for (low, high), at_ms in zip(pairwise(bounds), segment.times[1::2], strict=True):
        if high > begin:
            yield max(low, begin), high, at_ms


def _time_at(segment: Segment, offset: int) -> int:
    at = bisect_right(segment.times[0::2], offset) - 1
    return segment.times[2 * at + 1] if at >= 0 else segment.first_ms


def nth_newline(body: bytes, count: int) -> int:
    """Bytes up to and with the newline number `count`, from 1."""
    at = 0
    for _ in range(count):
        at = body.index(b"\n", at) + 1
    return at
