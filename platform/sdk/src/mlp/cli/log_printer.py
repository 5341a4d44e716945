"""Lines of a log on the way to the viewer."""

from __future__ import annotations

import json
import sys

from mlp.cli.streams import encoding_of
from mlp.cli.text import clip, log_line, shown_as
from mlp.client.logs import LogLine

DRIVER = "driver"


class LogPrinter:
    """Prints lines; on a terminal, also the line that is still being written (a progress bar), drawn over itself."""

    def __init__(self, *, is_tty: bool, colour: bool, columns: int | None, timestamps: bool = False) -> None:
        self._is_tty = is_tty
        self._colour = colour
        self._columns = columns or 80
        self._timestamps = timestamps
        self._drawn = False
        self._attempt: int | None = None

    def print(self, line: LogLine) -> None:
        text = self._prefix(line) + log_line(line, colour=self._colour)
        if line.is_partial:
            if self._is_tty:
                self._draw(text)
            return
        self.clear()
        self._separate(line.attempt)
        sys.stdout.write(text + "\n")

    def _separate(self, attempt: int) -> None:
        """A word between attempts, on standard error: it is no line of the log."""
        if self._attempt is not None and attempt != self._attempt:
            sys.stdout.flush()
            sys.stderr.write(f"-- attempt {attempt}\n")
        self._attempt = attempt

    def _prefix(self, line: LogLine) -> str:
        stamp = f"{line.at} " if self._timestamps else ""
        return stamp if line.source == DRIVER else f"{stamp}({line.source}) "

    def _draw(self, text: str) -> None:
        shown = clip(shown_as(log_line(text, colour=False), encoding_of(sys.stdout)), self._columns - 1, "")
        sys.stdout.write(f"\r\x1b[K{shown}")
        sys.stdout.flush()
        self._drawn = True

    def clear(self) -> None:
        """Take the unfinished line away, so that something else can be printed."""
        if self._drawn:
            sys.stdout.write("\r\x1b[K")
            self._drawn = False

    def flush(self) -> None:
        sys.stdout.flush()


class JsonLinePrinter(LogPrinter):
    """One JSON object a line, pure ASCII, for programs."""

    def __init__(self) -> None:
        super().__init__(is_tty=False, colour=False, columns=None)

    def print(self, line: LogLine) -> None:
        if line.is_partial:
            return
        document = {
            "at": line.at,
            "attempt": line.attempt,
            "source": line.source,
            "line": line.number,
            "text": str(line),
        }
        sys.stdout.write(json.dumps(document) + "\n")
