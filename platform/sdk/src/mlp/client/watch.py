"""Showing a job that goes on: a status line in a terminal, a live card in a notebook, nothing elsewhere."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Mapping
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, TextIO

from mlp.client.card import duration_text, render

if TYPE_CHECKING:
    from mlp.schemas.jobs import JobRead


class Watch:
    """Shows nothing. The base of those that do."""

    def update(self, read: JobRead, metrics: Mapping[str, float] | None = None) -> None:
        """Show `read`, which replaces what was shown before."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return


class TerminalWatch(Watch):
    """One line on a terminal, drawn over itself."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._started_at = time.monotonic()
        self._drawn = False

    def update(self, read: JobRead, metrics: Mapping[str, float] | None = None) -> None:
        width = max(10, shutil.get_terminal_size().columns - 1)
        waited = duration_text(time.monotonic() - self._started_at)
        line = f"{read.id} {read.phase} {waited}: {read.message}"
        encoding = self._stream.encoding or "ascii"
        safe = line.encode(encoding, "replace").decode(encoding)
        printable = "".join(char if char.isprintable() else " " for char in safe)
        self._stream.write(f"\r\x1b[K{printable[:width]}")
        self._stream.flush()
        self._drawn = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drawn:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


class DisplayHandle(Protocol):
    """What IPython's `display(..., display_id=True)` returns."""

    def update(self, obj: Any, *, raw: bool) -> None: ...


class NotebookWatch(Watch):
    """One card in a cell, replaced in place; what was drawn last stays in the notebook's file."""

    def __init__(self) -> None:
        self._handle: DisplayHandle | None = None
        self._shown = ""

    def update(self, read: JobRead, metrics: Mapping[str, float] | None = None) -> None:
        html = render(read, metrics)
        if html == self._shown:
            return
        self._shown = html
        bundle = {"text/html": html, "text/plain": f"{read.name} {read.id}: {read.phase}, {read.message}"}
        if self._handle is not None:
            self._handle.update(bundle, raw=True)
            return
        # IPython is there: `in_notebook` found its kernel.
        display: Any = import_module("IPython.display").display
        self._handle = display(bundle, raw=True, display_id=True)


def in_notebook() -> bool:
    """Whether this process is a notebook's kernel. IPython is never imported to find out."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and getattr(shell, "kernel", None) is not None


def terminal_or_notebook(notebook: Watch | None, stream: TextIO) -> Watch:
    """The right way to show a job here. `notebook` is the card the job has already, if any."""
    if in_notebook():
        return notebook or NotebookWatch()
    return TerminalWatch(stream) if stream.isatty() else Watch()
