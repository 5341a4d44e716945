"""Lines of a job's log out of the chunks the platform sends: each once, in order, also across reconnections."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from mlp.client.calls.jobs import LogQuery
from mlp.client.sse import ServerEvent

ENDS = frozenset({"end"})
TERMINAL = frozenset({"succeeded", "failed", "cancelled"})


class LogLine(str):
    """One line, without its end. It is a string, and knows where it comes from."""

    source: str
    attempt: int
    number: int
    at: str
    is_partial: bool

    @classmethod
    def of(cls, text: str, chunk: dict[str, Any], number: int, *, is_partial: bool) -> LogLine:
        """`at` is when the line was written (RFC 3339); `is_partial` says that it may still grow."""
        line = cls(text)
        line.source = chunk["source"]
        line.attempt = chunk["attempt"]
        line.number = number
        line.at = chunk["at"]
        line.is_partial = is_partial
        return line


class LineReader:
    """Turns chunks into lines and drops what was seen before.

    Lines are numbered by source and attempt. A `partial` line has no end yet, and comes again under the same number
    when it has grown.
    """

    def __init__(self) -> None:
        self._next: dict[tuple[int, str], int] = {}
        self._partial: dict[tuple[int, str], LogLine] = {}

    def lines(self, chunk: dict[str, Any]) -> Iterator[LogLine]:
        """The lines of `chunk` that are new."""
        key = (chunk["attempt"], chunk["source"])
        first, texts = chunk["start"], chunk["lines"]
        seen = self._next.get(key, 0)
        if chunk.get("partial"):
            if first >= seen:
                line = LogLine.of(texts[-1], chunk, first, is_partial=True)
                self._partial[key] = line
                yield line
            return
        end = first + len(texts)
        if end <= seen:
            return
        self._next[key] = end
        self._partial.pop(key, None)
        for index in range(max(0, seen - first), len(texts)):
            yield LogLine.of(texts[index], chunk, first + index, is_partial=False)

    def page(self, page: dict[str, Any]) -> Iterator[LogLine]:
        for chunk in page["items"]:
            yield from self.lines(chunk)

    def event(self, event: ServerEvent) -> list[LogLine]:
        """The lines in one event of the stream; events that are not lines have none."""
        return list(self.lines(event.json())) if event.name == "log" else []

    def rest(self) -> list[LogLine]:
        """Nothing more will come: lines that never got an end are lines all the same."""
        left = list(self._partial.values())
        self._partial.clear()
        for line in left:
            line.is_partial = False
        return left


def attempt_after(end: ServerEvent, job: dict[str, Any], query: LogQuery) -> LogQuery | None:
    """What to follow when the log of one attempt has ended: that of the next attempt, once there is one."""
    attempt: int = job["attempt"]
    return replace(query, attempt=attempt, tail=None) if attempt > end.json()["attempt"] else None
