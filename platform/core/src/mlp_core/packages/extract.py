"""One file out of a zip in a store, without its rest. What is read comes from strangers, so every size is bounded."""

from __future__ import annotations

import asyncio
import struct
import zlib

from mlp_core.domain.errors import UnsafePackage
from mlp_core.packages.archive import Entry, ReadRange

_LOCAL = struct.Struct("<4s5H3L2H")
_LOCAL_MARK = b"PK\x03\x04"
_STORED = 0
_RAW_DEFLATE = -15
_OVERHEAD_BYTES = 64 * 1024
"""By which deflate may make a small file larger at most, with room to spare."""


async def content(read: ReadRange, entry: Entry) -> bytes:
    """The unpacked bytes of `entry`, which the caller has found small enough.

    Raises:
        UnsafePackage: the archive does not hold what its list says.
    """
    if entry.packed_size > entry.size + _OVERHEAD_BYTES:
        raise _damaged(entry)
    header = await read(entry.offset, entry.offset + _LOCAL.size)
    if len(header) < _LOCAL.size or not header.startswith(_LOCAL_MARK):
        raise _damaged(entry)
    name_length, extra_length = _LOCAL.unpack(header)[-2:]
    start = entry.offset + _LOCAL.size + name_length + extra_length
    packed = await read(start, start + entry.packed_size)
    return await asyncio.to_thread(_unpacked, entry, packed)


def _unpacked(entry: Entry, packed: bytes) -> bytes:
    found = packed
    if entry.method != _STORED:
        try:
            # Never more than one byte beyond what the list promises, whatever is packed in there.
            found = zlib.decompressobj(_RAW_DEFLATE).decompress(packed, entry.size + 1)
        except zlib.error as error:
            raise _damaged(entry) from error
    if len(found) != entry.size or zlib.crc32(found) != entry.crc32:
        raise _damaged(entry)
    return found


def _damaged(entry: Entry) -> UnsafePackage:
    shown = entry.path[:120].encode("unicode_escape").decode()
    return UnsafePackage(f"'{shown}' in the package is damaged.", hint="Pack and upload the folder again.")
