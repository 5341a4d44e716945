"""Lines of a job's log out of the chunks the platform sends: each once, in order, also across reconnections."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mlp.client.sse import ServerEvent

ENDS = frozenset({"end"})


class LogLine(str):
    """One line, without its end. It is a string, and knows where it comes from."""

    source: str
    attempt: int
    number: int
    at: str
    is_open: bool

    @classmethod
    def of(cls, text: str, chunk: dict[str, Any], number: int, *, is_open: bool) -> LogLine:
        """`at` is when the line was written (RFC 3339); `is_open` says that it may still grow."""
        line = cls(text)
        line.source = chunk["source"]
        line.attempt = chunk["attempt"]
        line.number = number
        line.at = chunk["at"]
        line.is_open = is_open
        return line


class LineReader:
    """Turns chunks into lines and drops what was seen before.

    Lines are numbered by source and attempt. The last line of a chunk may be `open`: it has no end yet, and comes
    again under the same number when it has grown.
    """

    def __init__(self) -> None:
        self._next: dict[tuple[int, str], int] = {}

    def lines(self, chunk: dict[str, Any]) -> Iterator[LogLine]:
        """The lines of `chunk` that are new."""
        key = (chunk["attempt"], chunk["source"])
        first, texts = chunk["start"], chunk["lines"]
        seen = self._next.get(key, 0)
        is_open = bool(chunk.get("open"))
        last = len(texts) - 1
        for index in range(max(0, seen - first), len(texts)):
            yield LogLine.of(texts[index], chunk, first + index, is_open=is_open and index == last)
        complete = first + len(texts) - (1 if is_open and texts else 0)
        self._next[key] = max(seen, complete)

    def page(self, page: dict[str, Any]) -> Iterator[LogLine]:
        for chunk in page["items"]:
            yield from self.lines(chunk)

    def event(self, event: ServerEvent) -> Iterator[LogLine]:
        """The lines in one event of the stream; events that are not lines have none."""
        if event.name == "log":
            yield from self.lines(event.json())
