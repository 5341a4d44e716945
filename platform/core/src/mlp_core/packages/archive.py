"""Reading a zip's list of contents from a store, and judging whether it is safe to unpack. Bounded memory.

Python's own `zipfile` reads a list of any length whole and forgives much; what is judged here comes from strangers and
may be large, so the list is read in pieces and anything unusual is refused.
"""

from __future__ import annotations

import stat
import struct
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from itertools import pairwise

from mlp.schemas.packages import MAX_PACKAGE_FILES
from mlp_core.domain.errors import UnsafePackage

ReadRange = Callable[[int, int], Awaitable[bytes]]
"""Bytes `[start, end)` of the archive."""

MAX_UNPACKED_BYTES = 20 * 2**30
FREE_UNPACKED_BYTES = 2**30
"""Up to here the ratio does not matter: an empty log file of a gigabyte is no attack."""
MAX_RATIO = 200
MAX_NAME_BYTES = 1024
PIECE_BYTES = 2**20

_END = struct.Struct("<4s4H2LH")
_END_MARK = b"PK\x05\x06"
_END64_LOCATOR = struct.Struct("<4sLQL")
_END64_LOCATOR_MARK = b"PK\x06\x07"
_END64 = struct.Struct("<4sQ2H2L4Q")
_END64_MARK = b"PK\x06\x06"
_ENTRY = struct.Struct("<4s4B4HL2L5H2L")
_ENTRY_MARK = b"PK\x01\x02"
_LOCAL_HEADER_BYTES = 30
_LONGEST_COMMENT = 2**16 - 1
_UTF8 = 0x800
_ENCRYPTED = 0x1
_ZIP64_EXTRA = 1
_FULL = 0xFFFFFFFF
_METHODS = frozenset({0, 8})
"""Stored and deflated: what every unpacker knows."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file or folder of the archive."""

    path: str
    size: int
    packed_size: int
    mode: int
    """Unix mode bits, type included; 0 where the packer gave none."""
    offset: int
    flags: int
    method: int
    crc32: int

    @property
    def is_folder(self) -> bool:
        return self.path.endswith("/")


@dataclass(frozen=True, slots=True)
class Contents:
    """What a safe archive holds."""

    files: int
    unpacked_bytes: int


@dataclass(frozen=True, slots=True)
class _Listing:
    """Where the central directory lies."""

    start: int
    end: int
    entries: int


async def check(read: ReadRange, size: int) -> Contents:
    """Judge the archive of `size` bytes.

    Raises:
        UnsafePackage: it is no zip, or unpacking it could write elsewhere, make links or fill the disk.
    """
    files = total = 0
    kinds: dict[str, bool] = {}
    extents: list[tuple[int, int]] = []
    async for entry in entries(read, size):
        _require_safe(entry)
        _require_unique(entry, kinds)
        extents.append((entry.offset, entry.offset + _LOCAL_HEADER_BYTES + entry.packed_size))
        total += entry.size
        if total > MAX_UNPACKED_BYTES or total > max(FREE_UNPACKED_BYTES, size * MAX_RATIO):
            raise UnsafePackage(f"The package unpacks to more than {total:,} bytes from {size:,}.")
        files += not entry.is_folder
    for (_, end), (start, _) in pairwise(sorted(extents)):
        if start < end:
            raise UnsafePackage("Entries of the package overlap each other.")
    return Contents(files, total)


async def entries(read: ReadRange, size: int) -> AsyncGenerator[Entry]:
    """The archive's entries in the order of its list.

    Raises:
        UnsafePackage: it is no zip, is damaged, or has too many entries.
    """
    listing = await _find_listing(read, size)
    position, buffer, at = listing.start, b"", 0
    for _ in range(listing.entries):
        while (parsed := _parse(buffer, at)) is None:
            if position >= listing.end:
                raise _damaged("its list of contents ends early")
            piece = await read(position, min(position + PIECE_BYTES, listing.end))
            position += len(piece)
            buffer, at = buffer[at:] + piece, 0
        entry, length = parsed
        at += length
        yield entry
    if at != len(buffer) or position != listing.end:
        raise _damaged("its list of contents has more entries than it says")


async def _find_listing(read: ReadRange, size: int) -> _Listing:
    tail_start = max(0, size - _END.size - _LONGEST_COMMENT - _END64_LOCATOR.size)
    tail = await read(tail_start, size)
    at = tail.rfind(_END_MARK)
    if at < 0 or len(tail) - at < _END.size:
        raise UnsafePackage("The package is not a zip archive.", hint="Pack the folder with `mlp package upload`.")
    _, disk, first_disk, here, count, length, start, comment = _END.unpack_from(tail, at)
    if at + _END.size + comment != len(tail) or disk or first_disk or here != count:
        raise _damaged("its end does not match its length")
    listing = _Listing(start, start + length, count)
    end = tail_start + at
    if count == 0xFFFF or length == _FULL or start == _FULL:
        listing, end = await _find_listing64(read, tail, at)
    if listing.end != end:
        raise _damaged("there are bytes that belong to no entry")
    if listing.entries > MAX_PACKAGE_FILES:
        raise UnsafePackage(f"The package has {listing.entries:,} entries; at most {MAX_PACKAGE_FILES:,} are possible.")
    return listing


async def _find_listing64(read: ReadRange, tail: bytes, end_at: int) -> tuple[_Listing, int]:
    at = end_at - _END64_LOCATOR.size
    if at < 0 or not tail.startswith(_END64_LOCATOR_MARK, at):
        raise _damaged("its 64-bit end is missing")
    _, _, end64, _ = _END64_LOCATOR.unpack_from(tail, at)
    raw = await read(end64, end64 + _END64.size)
    if len(raw) < _END64.size or not raw.startswith(_END64_MARK):
        raise _damaged("its 64-bit end is broken")
    *_, here, count, length, start = _END64.unpack(raw)
    if here != count:
        raise _damaged("it is split over several files")
    return _Listing(start, start + length, count), end64


def _parse(buffer: bytes, at: int) -> tuple[Entry, int] | None:
    """The entry at `at` and its length; None where there are too few bytes."""
    if len(buffer) - at < _ENTRY.size:
        return None
    fields = _ENTRY.unpack_from(buffer, at)
    if fields[0] != _ENTRY_MARK:
        raise _damaged("its list of contents is broken")
    flags, method, packed, unpacked = fields[5], fields[6], fields[10], fields[11]
    name_length, extra_length, comment_length = fields[12], fields[13], fields[14]
    attributes, offset = fields[17], fields[18]
    length = _ENTRY.size + name_length + extra_length + comment_length
    if len(buffer) - at < length:
        return None
    name_end = at + _ENTRY.size + name_length
    name, extra = buffer[at + _ENTRY.size : name_end], buffer[name_end : name_end + extra_length]
    unpacked, packed, offset = _widen(extra, unpacked, packed, offset)
    entry = Entry(_decode(name, flags), unpacked, packed, attributes >> 16, offset, flags, method, fields[9])
    return entry, length


def _widen(extra: bytes, *narrow: int) -> tuple[int, int, int]:
    """Take the 64-bit values where the 32-bit ones are full."""
    values = list(narrow)
    wide = _extra_field(extra, _ZIP64_EXTRA)
    for index, value in enumerate(values):
        if value == _FULL:
            if len(wide) < 8:
                raise _damaged("a 64-bit size is missing")
            values[index], wide = struct.unpack_from("<Q", wide)[0], wide[8:]
    return values[0], values[1], values[2]


def _extra_field(extra: bytes, wanted: int) -> bytes:
    while len(extra) >= 4:
        kind, length = struct.unpack_from("<2H", extra)
        if kind == wanted:
            return extra[4 : 4 + length]
        extra = extra[4 + length :]
    return b""


def _decode(name: bytes, flags: int) -> str:
    if len(name) > MAX_NAME_BYTES:
        raise UnsafePackage(f"A path in the package is longer than {MAX_NAME_BYTES} bytes.")
    try:
        return name.decode("utf-8" if flags & _UTF8 else "cp437")
    except UnicodeDecodeError as error:
        raise UnsafePackage(f"A path in the package is not UTF-8: {name[:80]!r}.") from error


def _require_safe(entry: Entry) -> None:
    parts = entry.path.rstrip("/").split("/")
    if not entry.path or entry.path.startswith("/") or "\x00" in entry.path or "\\" in entry.path:
        raise UnsafePackage(f"'{_shown(entry)}' is no plain relative path.")
    if any(part in ("", ".", "..") for part in parts) or (len(parts[0]) == 2 and parts[0][1] == ":"):
        raise UnsafePackage(f"'{_shown(entry)}' could lie outside of the package's folder.")
    kind = stat.S_IFMT(entry.mode)
    if kind == stat.S_IFLNK:
        raise UnsafePackage(f"'{_shown(entry)}' is a symbolic link; pack what it points to instead.")
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise UnsafePackage(f"'{_shown(entry)}' is neither a file nor a folder.")
    if entry.flags & _ENCRYPTED:
        raise UnsafePackage(f"'{_shown(entry)}' is encrypted.")
    if entry.method not in _METHODS:
        raise UnsafePackage(f"'{_shown(entry)}' is packed by a method other than deflate.")


def _require_unique(entry: Entry, kinds: dict[str, bool]) -> None:
    """No path twice, and none that is a file for one entry and a folder for another."""
    path = entry.path.rstrip("/")
    known = kinds.get(path)
    if known is not None and not (known and entry.is_folder):
        raise UnsafePackage(f"'{_shown(entry)}' is in the package twice.")
    kinds[path] = entry.is_folder
    while "/" in path:
        path = path.rpartition("/")[0]
        if kinds.setdefault(path, True) is False:
            raise UnsafePackage(f"'{path}' is a file and a folder at once.")


def _shown(entry: Entry) -> str:
    return entry.path[:120].encode("unicode_escape").decode()


def _damaged(why: str) -> UnsafePackage:
    return UnsafePackage(f"The package is damaged: {why}.", hint="Pack and upload it again.")
