"""One bounded log file per process.

A child writes straight to its file, opened for appending: nothing of ours stands between, so a slow or dead supervisor
neither blocks a child nor costs its last words. The price is paid at rotation: the file is copied and then cut, and
what a child writes in the microseconds between is lost.
"""

from __future__ import annotations

import os
import shutil
from collections import deque
from pathlib import Path

MAX_BYTES = 20 * 1024 * 1024
KEPT = 3
"""Files per process, the current one included."""
TAIL_BYTES = 64 * 1024


def open_for_appending(path: Path) -> int:
    """A file descriptor that a child inherits as its output. The caller closes it."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)


def rotate_if_large(path: Path, *, max_bytes: int = MAX_BYTES, kept: int = KEPT) -> bool:
    """Move a file that outgrew `max_bytes` to `.1`, that to `.2`, and so on. Returns whether it did."""
    try:
        if path.stat().st_size <= max_bytes:
            return False
    except FileNotFoundError:
        return False
    for number in range(kept - 1, 1, -1):
        older = numbered(path, number - 1)
        if older.exists():
            older.replace(numbered(path, number))
    with path.open("rb+") as source:
        if kept > 1:
            with numbered(path, 1).open("wb") as target:
                os.fchmod(target.fileno(), 0o600)
                shutil.copyfileobj(source, target)
        source.truncate(0)
    return True


def numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.{number}")


def tail(path: Path, lines: int) -> list[str]:
    """The last lines of a log, for a message about a process that failed."""
    try:
        with path.open("rb") as stream:
            stream.seek(0, os.SEEK_END)
            stream.seek(max(0, stream.tell() - TAIL_BYTES))
            text = stream.read().decode("utf-8", errors="replace")
    except FileNotFoundError:
        return []
    return list(deque((line for line in text.splitlines() if line.strip()), maxlen=lines))
