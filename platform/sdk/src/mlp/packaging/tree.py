"""What of a folder travels: which files, which were left out and why.

Symbolic links: one that stays inside the folder travels as what it points to; one that leaves it is refused by name, or
followed when asked; loops and dead links are skipped and named.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mlp import errors
from mlp.packaging.ignore import Ignore, above
from mlp.schemas.packages import MAX_PACKAGE_BYTES, MAX_PACKAGE_FILES

NEVER = frozenset({".git", ".hg", ".svn", "__pycache__"})
"""History and caches: never code, often larger than all the rest."""
_LARGEST = 5
_REPORT_EVERY = 500


@dataclass(frozen=True, slots=True)
class File:
    """One file: where it will be in the archive, where it is now."""

    name: str
    source: Path
    size: int
    executable: bool


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that does not travel, and why."""

    name: str
    why: str


@dataclass(slots=True)
class Listing:
    """All that was found."""

    files: list[File] = field(default_factory=list[File])
    skipped: list[Skipped] = field(default_factory=list[Skipped])
    outside: list[str] = field(default_factory=list[str])
    size: int = 0


def scan(
    folder: Path,
    *,
    follow_outside_links: bool = False,
    limit_bytes: int = MAX_PACKAGE_BYTES,
    limit_files: int = MAX_PACKAGE_FILES,
    progress: Callable[[int, int], None] | None = None,
) -> Listing:
    """List what of `folder` would travel, sorted by name. `progress` is told files and bytes so far.

    Raises:
        PackagingError: the folder cannot be read, or is none.
        PackageTooLarge: more than a package may hold; nothing was packed or sent.
        OutsideLink: links leave the folder and `follow_outside_links` is not set.
    """
    if not folder.is_dir():
        raise errors.PackagingError(
            f"'{folder}' is not a folder.", hint="Name the folder with the code: --package DIR."
        )
    root = folder.resolve()
    walk = _Walk(root, limit_files, progress)
    walk.folder(root, "", above(root), (root,))
    found = walk.found
    if found.outside and not follow_outside_links:
        raise _outside(found.outside)
    if found.size > limit_bytes:
        raise too_large(found, limit_bytes)
    found.files.sort(key=lambda file: file.name)
    return found


class _Walk:
    """One pass over a folder. Recursion is as deep as the folders are."""

    def __init__(self, root: Path, limit_files: int, progress: Callable[[int, int], None] | None) -> None:
        self.found = Listing()
        self._root = root
        self._limit_files = limit_files
        self._progress = progress

    def folder(self, folder: Path, base: str, rules: Ignore, inside: tuple[Path, ...]) -> None:
        """`inside` holds the real folders this one lies in: meeting one of them again is a loop."""
        rules = rules.entering(folder, base)
        for entry in _entries(folder):
            name = base + entry.name
            if entry.name in NEVER:
                continue
            if entry.is_symlink():
                self._link(entry, name, rules, inside)
            elif entry.is_dir(follow_symlinks=False):
                self._subfolder(Path(entry.path), name, rules, inside)
            elif not rules.ignores(name, is_folder=False):
                self._file(Path(entry.path), name, entry.stat(follow_symlinks=False))

    def _subfolder(self, folder: Path, name: str, rules: Ignore, inside: tuple[Path, ...]) -> None:
        if rules.ignores(name, is_folder=True):
            return
        if (folder / "pyvenv.cfg").exists():
            self._skip(name, "a virtual environment; name what it holds as requirements")
            return
        self.folder(folder, name + "/", rules, (*inside, folder.resolve()))

    def _link(self, entry: os.DirEntry[str], name: str, rules: Ignore, inside: tuple[Path, ...]) -> None:
        if rules.ignores(name, is_folder=False):
            return
        try:
            target = Path(entry.path).resolve(strict=True)
            seen = target.stat()
        except FileNotFoundError:
            self._skip(name, f"a dead link to '{os.readlink(entry.path)}'")
            return
        except (OSError, RuntimeError):
            self._skip(name, f"a link that leads nowhere ('{os.readlink(entry.path)}')")
            return
        is_folder = stat.S_ISDIR(seen.st_mode)
        if is_folder and rules.ignores(name, is_folder=True):
            return
        if is_folder and target in inside:
            self._skip(name, "a link to a folder it lies in (a loop)")
            return
        if not target.is_relative_to(self._root):
            self.found.outside.append(f"{name} -> {os.readlink(entry.path)}")
        if is_folder:
            self.folder(target, name + "/", rules, (*inside, target))
        else:
            self._file(target, name, seen)

    def _file(self, source: Path, name: str, seen: os.stat_result) -> None:
        if not stat.S_ISREG(seen.st_mode):
            self._skip(name, "neither a file nor a folder")
            return
        try:
            name.encode("utf-8")
        except UnicodeEncodeError:
            shown = name.encode("utf-8", "backslashreplace").decode()
            raise errors.PackagingError(
                f"The name of '{shown}' is not UTF-8.", hint="Rename it, or add it to .mlpignore."
            ) from None
        found = self.found
        found.files.append(File(name, source, seen.st_size, bool(seen.st_mode & stat.S_IXUSR)))
        found.size += seen.st_size
        if len(found.files) > self._limit_files:
            raise errors.PackageTooLarge(
                f"'{self._root}' holds more than {self._limit_files:,} files.",
                hint="Leave out what is not code with .mlpignore, or name a smaller folder.",
                largest=_largest(found),
            )
        if self._progress is not None and len(found.files) % _REPORT_EVERY == 0:
            self._progress(len(found.files), found.size)

    def _skip(self, name: str, why: str) -> None:
        self.found.skipped.append(Skipped(name, why))


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        raise errors.PackagingError(
            f"'{folder}' cannot be read: {error.strerror}.", hint="Mend its rights, or add it to .mlpignore."
        ) from None


def _outside(links: list[str]) -> errors.OutsideLink:
    return errors.OutsideLink(
        f"Links leave the folder: {', '.join(links[:5])}{' …' if len(links) > 5 else ''}.",
        hint="Send what they point to with --follow-outside-links, or add them to .mlpignore.",
        links=links,
    )


def _largest(found: Listing) -> list[tuple[str, int]]:
    return [(file.name, file.size) for file in sorted(found.files, key=lambda file: -file.size)[:_LARGEST]]


def too_large(found: Listing, limit_bytes: int) -> errors.PackageTooLarge:
    """The refusal, with the total, the limit and the five largest paths."""
    largest = _largest(found)
    named = ", ".join(f"{name} ({size_text(size)})" for name, size in largest)
    return errors.PackageTooLarge(
        f"The folder holds {size_text(found.size)} in {len(found.files):,} files; a package may hold "
        f"{size_text(limit_bytes)}. The largest: {named}.",
        hint="Leave data out with .mlpignore and read it from where it lies. Nothing was sent.",
        largest=largest,
    )


def size_text(count: int) -> str:
    """Bytes for people: `3.1 MiB`."""
    value, unit = float(count), "B"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if value < 1024 or unit == "TiB":
            break
        value /= 1024
    return f"{count} B" if unit == "B" else f"{value:.1f} {unit}"
