"""What lies in an output folder: the files that can be stored as artifacts, and why the others cannot."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field

MAX_PATH_BYTES = 1024
NAMED = 20
"""So many of what is left out are named; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Found:
    """A regular file to store."""

    path: str
    """Below the folder, with `/` between its parts."""
    real: str
    """Where its bytes are: another place in the folder where it is a link."""
    size: int


@dataclass(slots=True)
class Survey:
    files: list[Found] = field(default_factory=list[Found])
    left_out: list[str] = field(default_factory=list[str])
    """Names with a reason each, at most `NAMED`."""
    left_out_count: int = 0

    @property
    def size(self) -> int:
        return sum(found.size for found in self.files)

    def leave_out(self, path: str, why: str) -> None:
        self.left_out_count += 1
        if len(self.left_out) < NAMED:
            self.left_out.append(f"{printable(path)} ({why})")


def survey(folder: str, max_files: int, max_bytes: int) -> Survey:
    """All of `folder`, in the order of its names; what no longer fits the limits is left out, file by file."""
    root = os.path.realpath(folder)
    result, size = Survey(), 0
    for path, full in _walk(root):
        found = _look(root, path, full)
        if isinstance(found, str):
            result.leave_out(path, found)
        elif len(result.files) >= max_files:
            result.leave_out(path, f"at most {max_files:,} files are stored")
        elif size + found.size > max_bytes:
            result.leave_out(path, f"at most {max_bytes / 1e9:,.1f} GB are stored, and it has {found.size / 1e9:,.1f}")
        else:
            result.files.append(found)
            size += found.size
    return result


def printable(path: str) -> str:
    """`path` for a sentence, also where it is no Unicode at all."""
    return path.encode("utf-8", "backslashreplace").decode()


def _walk(root: str) -> Iterator[tuple[str, str]]:
    """(path below `root`, whole path) of everything that is no real folder. A folder that cannot be read counts as
    such a thing; one that is gone is passed over."""
    folders = [""]
    while folders:
        folder = folders.pop()
        try:
            names = sorted(os.listdir(os.path.join(root, folder)))
        except FileNotFoundError:
            continue
        except OSError:
            yield folder, os.path.join(root, folder)
            continue
        inner: list[str] = []
        for name in names:
            path = f"{folder}/{name}" if folder else name
            full = os.path.join(root, path)
            if os.path.isdir(full) and not os.path.islink(full):
                inner.append(path)
            else:
                yield path, full
        folders += reversed(inner)


def _look(root: str, path: str, full: str) -> Found | str:
    """The file, or why it cannot be stored."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return "its name is not Unicode"
    if len(path.encode()) > MAX_PATH_BYTES:
        return f"its path has more than {MAX_PATH_BYTES:,} bytes"
    real = os.path.realpath(full)
    if os.path.commonpath([root, real]) != root:
        return "a link that leads out of the folder"
    try:
        status = os.lstat(real)
    except OSError as error:
        return "a link to nothing" if os.path.islink(full) else f"cannot be read: {error.strerror}"
    if stat.S_ISDIR(status.st_mode):
        return "a link to a folder" if os.path.islink(full) else "cannot be read"
    if not stat.S_ISREG(status.st_mode):
        return "no regular file"
    return Found(path, real, status.st_size)
