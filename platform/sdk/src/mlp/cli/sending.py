"""Packing and sending a folder, with what the viewer should know of it."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mlp import errors
from mlp.cli.app import App
from mlp.cli.text import one_line, plural

if TYPE_CHECKING:
    from mlp.client.flows import Sent
    from mlp.packaging import Packed, Progress

_DRAW_SECONDS = 0.1
_SAY_SECONDS = 1.5
_NAMED = 10


@dataclass(frozen=True, slots=True)
class Folder:
    """What is to travel. `chosen` says that the caller named it."""

    path: Path
    chosen: bool
    follow_outside_links: bool = False


class ProgressLine:
    """How far something is: drawn over itself on a terminal, a line now and then elsewhere."""

    def __init__(self) -> None:
        self._is_tty = sys.stderr.isatty()
        self._told_at = time.monotonic()
        self._drawn = False

    def tell(self, text: str) -> None:
        now = time.monotonic()
        if now - self._told_at < (_DRAW_SECONDS if self._is_tty else _SAY_SECONDS):
            return
        self._told_at = now
        if self._is_tty:
            sys.stderr.write(f"\r\x1b[K{text}")
            self._drawn = True
        else:
            sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    def clear(self) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._drawn = False


@contextmanager
def packed(app: App, folder: Folder | None, progress: ProgressLine) -> Generator[Packed | None]:
    """The archive of `folder`; `None` for none, or for an empty folder that nobody named."""
    if folder is None:
        yield None
        return
    from mlp.packaging import pack
    from mlp.packaging.tree import size_text

    _require_meant(folder)

    def tell(now: Progress) -> None:
        if now.total_files:
            files = f"{now.files:,} of {plural(now.total_files, 'file')}"
            progress.tell(f"Packing: {files}, {size_text(now.size)} of {size_text(now.total_size)}")
        else:
            progress.tell(f"Looking: {plural(now.files, 'file')}, {size_text(now.size)}")

    try:
        archive = pack(folder.path, follow_outside_links=folder.follow_outside_links, progress=tell)
    except errors.NothingToPack:
        if folder.chosen:
            raise
        yield None
        return
    finally:
        progress.clear()
    with archive:
        _describe(app, archive)
        yield archive


def _require_meant(folder: Folder) -> None:
    """A whole home folder, or a whole disk, is never sent by accident."""
    real = folder.path.resolve()
    if not folder.chosen and real in (Path.home().resolve(), Path(real.anchor)):
        raise errors.PackagingError(
            f"The present folder is {real}, and sending all of it is hardly meant.",
            hint="Go to the folder with the code, name it with --package DIR, or use --no-package.",
        )


def _describe(app: App, archive: Packed) -> None:
    from mlp.packaging.tree import size_text

    app.out.note(
        f"Package: {plural(archive.files, 'file')}, {size_text(archive.uncompressed_size)} "
        f"({size_text(archive.size)} packed), {archive.digest}"
    )
    for skipped in archive.skipped[:_NAMED]:
        app.out.note(f"  skipped {one_line(skipped.name)}: {one_line(skipped.why)}")
    if len(archive.skipped) > _NAMED:
        app.out.note(f"  and {len(archive.skipped) - _NAMED:,} more skipped")
    for link in archive.outside[:_NAMED]:
        app.out.note(f"  included from outside: {one_line(link)}")


def tell_sent(progress: ProgressLine, sent: Sent) -> None:
    from mlp.packaging.tree import size_text

    progress.tell(f"Sending: {size_text(sent.size)} of {size_text(sent.total)}")
