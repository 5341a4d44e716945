"""Text for terminals: how wide it is, what of it may be shown, how times and sizes read. Pure."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime
from typing import Any

ELLIPSIS = "…"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_ESCAPE = re.compile(
    r"\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|\[[0-?]*[ -/]*[@-~]?|[ -/]*[0-~]?)"
    r"|\x9b[0-?]*[ -/]*[@-~]?"
)
_COLOUR = re.compile(r"\x1b\[[0-9;:]*m")
_SPECIAL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")
_FORMAT = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Marks that turn the reading direction: in a table they could make one job look like another."""


def width(text: str) -> int:
    """Cells that `text` takes in a terminal."""
    if text.isascii():
        return len(text)
    return sum(_cells(char) for char in text)


def _cells(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def one_line(text: str) -> str:
    """Text of a tenant's for one line of ours: no control sequences, no line ends, no direction marks."""
    if text.isascii() and text.isprintable():
        return text
    return _FORMAT.sub("", _CONTROL.sub(" ", _ESCAPE.sub("", text)))


def shown_as(text: str, encoding: str) -> str:
    """`text` as a stream of that encoding will really show it, so that it can be measured."""
    if text.isascii():
        return text
    return text.encode(encoding, "mlp.replace").decode(encoding)


def clip(text: str, cells: int, mark: str = ELLIPSIS) -> str:
    """At most `cells` cells of `text`; what was cut ends in `mark`."""
    if width(text) <= cells:
        return text
    room = cells - width(mark)
    kept: list[str] = []
    for char in text:
        room -= width(char)
        if room < 0:
            break
        kept.append(char)
    return "".join(kept) + mark if cells >= width(mark) else ""


def log_line(text: str, *, colour: bool) -> str:
    """A line of a job's log, safe for the viewer's terminal.

    Carriage returns are rendered to the last state, colours are kept if wanted, and every other control sequence goes:
    a log must not move the cursor, set the title or answer in the viewer's name.
    """
    if _SPECIAL.search(text) is None:
        return text
    if "\r" in text:
        text = _last_state(text)
    if "\x1b" not in text and "\x9b" not in text:
        return _SPECIAL.sub("", text)
    colours = _COLOUR.findall(text) if colour else []
    if not colours:
        return _SPECIAL.sub("", _ESCAPE.sub("", text))
    pieces: list[str] = []
    rest = 0
    for match in _ESCAPE.finditer(text):
        pieces.append(_SPECIAL.sub("", text[rest : match.start()]))
        if _COLOUR.fullmatch(match.group()):
            pieces.append(match.group())
        rest = match.end()
    pieces.append(_SPECIAL.sub("", text[rest:]))
    return "".join(pieces) + "\x1b[0m"


def _last_state(text: str) -> str:
    """What a terminal would show of a line that was drawn over itself: the last drawing that had something in it."""
    states = [state for state in text.split("\r") if state]
    return states[-1] if states else ""


def age(then: datetime, now: datetime) -> str:
    """`45s`, `12m`, `3h`, `5d` before now."""
    seconds = max(0, int((now - then).total_seconds()))
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "m")):
        if seconds >= 2 * size or (size == 60 and seconds >= 60):
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def instant(text: str) -> datetime:
    """An RFC 3339 instant of the wire."""
    return datetime.fromisoformat(text).astimezone(UTC)


def number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def memory(count: int | None) -> str:
    """Bytes as `2.5Gi`."""
    if count is None:
        return ""
    value = float(count)
    for unit in ("", "Ki", "Mi", "Gi"):
        if value < 1024:
            return f"{value:.3g}{unit}" if unit else str(count)
        value /= 1024
    return f"{value:.3g}Ti"


def ordinal(count: int) -> str:
    """`1st`, `2nd`, `3rd`, `4th`, `11th`, `21st`."""
    ending = "th" if count % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")
    return f"{count:,}{ending}"


def queue_text(place: dict[str, Any] | None) -> str | None:
    """`3rd in the queue of pool 'gpu'`; None without a place."""
    return None if place is None else f"{ordinal(place['position'])} in the queue of pool '{place['pool']}'"


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def failure_facts(failure: dict[str, Any] | None) -> list[tuple[str, str | None]]:
    """The class, the sentence and the evidence of a failure."""
    if failure is None:
        return []
    used, most = failure.get("memory_used_bytes"), failure.get("memory_limit_bytes")
    return [
        ("failure", f"{failure['class']}: {failure['message']}"),
        ("next", failure.get("hint")),
        ("node", failure.get("node")),
        ("task", failure.get("task")),
        ("memory", f"{memory(used)} of {memory(most)}" if used is not None and most is not None else None),
        ("last lines", "\n".join(failure.get("last_lines") or []) or None),
        ("decided by", failure.get("decided_by")),
    ]
