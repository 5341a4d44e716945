"""What the command prints: tables and sentences for people, JSON and YAML for programs, notes to standard error."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any

from mlp.cli.streams import encoding_of, is_utf8
from mlp.cli.table import Column, render
from mlp.cli.text import one_line, plural

NARROWEST = 20


class Format(StrEnum):
    TABLE = "table"
    WIDE = "wide"
    JSON = "json"
    YAML = "yaml"


class Output:
    """Writes results to standard output and everything else to standard error."""

    def __init__(self, form: Format = Format.TABLE) -> None:
        self.form = form
        self.is_tty = sys.stdout.isatty()
        self.colour = self.is_tty and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    @property
    def is_data(self) -> bool:
        """Whether a program reads this."""
        return self.form in (Format.JSON, Format.YAML)

    @property
    def columns(self) -> int | None:
        """The terminal's width, where there is one."""
        return max(NARROWEST, shutil.get_terminal_size().columns) if self.is_tty else None

    def line(self, text: str = "") -> None:
        """A line of the result."""
        sys.stdout.write(text + "\n")

    def note(self, text: str) -> None:
        """Something about the result that is no part of it."""
        sys.stdout.flush()
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def data(self, value: Any) -> None:
        """A wire document as it is. JSON is escaped to ASCII where the stream is not UTF-8."""
        if self.form is Format.YAML:
            import yaml

            self.line(yaml.safe_dump(value, sort_keys=False, allow_unicode=is_utf8(sys.stdout)).rstrip("\n"))
            return
        self.line(json.dumps(value, indent=2, ensure_ascii=not is_utf8(sys.stdout)))

    def table(self, columns: Sequence[Column], rows: Sequence[dict[str, Any]]) -> None:
        shown = [column for column in columns if self.form is Format.WIDE or not column.wide]
        room = None if self.form is Format.WIDE else self.columns
        for line in render(shown, rows, encoding=encoding_of(sys.stdout), columns_wide=room):
            self.line(line)

    def document(self, value: dict[str, Any], facts: Iterable[tuple[str, str | None]]) -> None:
        """One thing: its wire document for programs, the facts that matter for people."""
        if self.is_data:
            self.data(value)
            return
        given = [(name, text) for name, text in facts if text]
        room = max((len(name) for name, _ in given), default=0) + 2
        for name, text in given:
            first, *rest = text.split("\n")
            self.line(f"{name + ':':<{room}}{one_line(first)}")
            for line in rest:
                self.line(f"{'':<{room}}{one_line(line)}")

    def rows(
        self,
        pages: Iterator[dict[str, Any]],
        columns: Sequence[Column],
        *,
        noun: str,
        limit: int | None,
        keep: Callable[[dict[str, Any]], bool] | None = None,
        empty_hint: str = "",
    ) -> None:
        """A list. For people the first `limit` rows and a note where more exist; for programs all of them."""
        rows: list[dict[str, Any]] = []
        cut, total = False, None
        wanted = None if self.is_data else limit
        for page in pages:
            total = page.get("total")
            rows += [row for row in page["items"] if keep is None or keep(row)]
            if wanted is not None and len(rows) >= wanted:
                cut = page.get("next") is not None or len(rows) > wanted
                rows = rows[:wanted]
                break
        if self.is_data:
            self.data(rows)
            return
        if not rows:
            self.note(f"No {noun}s. {empty_hint}".rstrip())
            return
        self.table(columns, rows)
        if cut:
            of = f" of {total:,}" if total is not None else ""
            self.note(f"The first {plural(len(rows), noun)}{of}. --all shows every one.")


def first_page_limit(limit: int | None, *, everything: bool) -> int:
    """How many rows to ask for at once: no more than will be shown, no more than the platform gives."""
    most = 200
    return most if everything or limit is None else min(most, limit)
