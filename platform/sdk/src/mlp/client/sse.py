"""Server-sent events, without I/O: bytes in, events out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event. `id` is the cursor to resume behind it."""

    name: str
    data: str
    id: str | None

    def json(self) -> Any:
        return json.loads(self.data)


class SseParser:
    """Cuts a byte stream into events, as the WHATWG text says; a piece may end anywhere, also inside a character."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._searched = 0
        self._name = ""
        self._data: list[str] = []
        self._id: str | None = None
        self.retry_seconds: float | None = None

    def feed(self, piece: bytes) -> list[ServerEvent]:
        """Events completed by `piece`. Lines may end in LF or CRLF."""
        self._rest += piece
        found: list[ServerEvent] = []
        start = 0
        while (end := self._rest.find(b"\n", max(start, self._searched))) >= 0:
            line = bytes(self._rest[start:end])
            start, self._searched = end + 1, 0
            event = self._line(line[:-1] if line.endswith(b"\r") else line)
            if event is not None:
                found.append(event)
        del self._rest[:start]
        self._searched = len(self._rest)
        return found

    def _line(self, line: bytes) -> ServerEvent | None:
        if not line:
            return self._dispatch()
        if line.startswith(b":"):
            return None
        raw_name, _, raw_value = line.partition(b":")
        value = raw_value.removeprefix(b" ").decode("utf-8", errors="replace")
        match raw_name:
            case b"event":
                self._name = value
            case b"data":
                self._data.append(value)
            case b"id" if "\0" not in value:
                self._id = value
            case b"retry" if value.isdigit():
                self.retry_seconds = int(value) / 1000
            case _:
                pass
        return None

    def _dispatch(self) -> ServerEvent | None:
        if not self._data:
            self._name = ""
            return None
        event = ServerEvent(self._name or "message", "\n".join(self._data), self._id)
        self._name, self._data = "", []
        return event
