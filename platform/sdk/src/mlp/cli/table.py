"""Tables: columns that keep their places whatever is in them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from mlp.cli.text import ELLIPSIS, clip, one_line, shown_as, width

_GAP = "  "
_NARROWEST = 6


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `wide` ones are shown with `--output wide` only; `elastic` ones give way on a narrow terminal."""

    title: str
    value: Callable[[dict[str, Any]], str]
    wide: bool = False
    right: bool = False
    elastic: bool = False


def render(
    columns: Sequence[Column], rows: Sequence[dict[str, Any]], *, encoding: str, columns_wide: int | None
) -> list[str]:
    """Lines of a table, the titles first. `columns_wide` is the terminal's width; `None` cuts nothing."""
    cells = [[shown_as(one_line(column.value(row)), encoding) for column in columns] for row in rows]
    widths = [
        max([width(column.title), *(width(line[index]) for line in cells)]) for index, column in enumerate(columns)
    ]
    if columns_wide is not None:
        widths = _fit(columns, widths, columns_wide)
    mark = ELLIPSIS if shown_as(ELLIPSIS, encoding) == ELLIPSIS else "."
    titles = [column.title for column in columns]
    return [_line(columns, line, widths, mark) for line in [titles, *cells]]


def _fit(columns: Sequence[Column], widths: list[int], room: int) -> list[int]:
    """Narrow the elastic columns, the widest first, until the table fits or nothing more gives way."""
    fitted = list(widths)
    excess = sum(fitted) + len(_GAP) * (len(fitted) - 1) - room
    elastic = [index for index, column in enumerate(columns) if column.elastic]
    while excess > 0 and elastic:
        index = max(elastic, key=lambda one: fitted[one])
        if fitted[index] <= _NARROWEST:
            break
        step = min(excess, max(1, fitted[index] - _NARROWEST))
        fitted[index] -= step
        excess -= step
    return fitted


def _line(columns: Sequence[Column], cells: Sequence[str], widths: Sequence[int], mark: str) -> str:
    parts: list[str] = []
    for column, cell, room in zip(columns, cells, widths, strict=True):
        text = clip(cell, room, mark)
        space = " " * (room - width(text))
        parts.append(space + text if column.right else text + space)
    return _GAP.join(parts).rstrip()
