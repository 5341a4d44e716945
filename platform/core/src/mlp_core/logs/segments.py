"""Segments in the object store: written once, read through a small cache of their raw bytes."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections import OrderedDict
from functools import partial
from urllib.parse import quote

from mlp_core.domain.errors import Invalid, TooLarge, Unavailable
from mlp_core.gateways.objects import ObjectStore
from mlp_core.logs.lines import Segment

MAX_SEGMENT_BYTES = 4 * 2**20
"""Of raw bytes. The agent cuts at 1 MiB."""
CACHE_BYTES = 64 * 2**20
_INLINE_BYTES = 32 * 1024
"""Smaller work is done at once, larger in a thread, so that the event loop stays free."""


class SegmentStore:
    """Compressed bytes in, raw bytes out. One per process: the cache is shared by all readers."""

    def __init__(self, objects: ObjectStore, cache_bytes: int = CACHE_BYTES) -> None:
        self._objects = objects
        self._room = cache_bytes
        self._cache: OrderedDict[str, bytes] = OrderedDict()
        self._loading: dict[str, asyncio.Task[bytes]] = {}

    async def put(self, key: str, compressed: bytes) -> None:
        await self._objects.put(key, compressed)

    async def raw(self, segment: Segment) -> bytes:
        """The bytes of `segment`.

        Raises:
            NotFound: the object is gone, such as when segments were merged since the row was read.
            Unavailable: the store does not answer, or what it holds is damaged.
        """
        key = segment.object_key
        found = self._cache.get(key)
        if found is not None:
            self._cache.move_to_end(key)
            return found
        task = self._loading.get(key)
        if task is None:
            task = asyncio.create_task(self._load(segment))
            self._loading[key] = task
            task.add_done_callback(partial(self._loaded, key))
        # Several readers wait for one load: one that is cancelled must not take it from the others.
        return await asyncio.shield(task)

    async def _load(self, segment: Segment) -> bytes:
        compressed = await self._objects.get(segment.object_key)
        try:
            large = segment.end_byte - segment.start_byte > _INLINE_BYTES
            raw = await asyncio.to_thread(gzip.decompress, compressed) if large else gzip.decompress(compressed)
        except (OSError, EOFError, zlib.error) as error:
            raise _damaged(segment) from error
        if len(raw) != segment.end_byte - segment.start_byte:
            raise _damaged(segment)
        self._keep(segment.object_key, raw)
        return raw

    def _loaded(self, key: str, task: asyncio.Task[bytes]) -> None:
        self._loading.pop(key, None)
        if not task.cancelled():
            task.exception()  # looked at here, since every reader that waited for it may have left

    def _keep(self, key: str, raw: bytes) -> None:
        self._cache[key] = raw
        self._room -= len(raw)
        while self._room < 0 and self._cache:
            _, dropped = self._cache.popitem(last=False)
            self._room += len(dropped)


def segment_key(project_id: str, attempt_id: str, source: str, start: int, end: int) -> str:
    """Where a segment lies. Both ends are in the name, so that another cut of the same bytes never replaces it."""
    return f"{logs_prefix(project_id, attempt_id)}{quote(source, safe='')}/{start:016d}-{end:016d}.gz"


def logs_prefix(project_id: str, attempt_id: str) -> str:
    return f"logs/{project_id}/{attempt_id}/"


async def inflate(compressed: bytes, length: int) -> bytes:
    """Raw bytes of an agent's segment, which must be exactly `length` many.

    Raises:
        TooLarge: more than `MAX_SEGMENT_BYTES`, declared or found.
        Invalid: not one gzip member, or of another length than declared.
    """
    if length > MAX_SEGMENT_BYTES:
        raise TooLarge(f"A log segment has at most {MAX_SEGMENT_BYTES:,} bytes; this one says {length:,}.")
    if length < _INLINE_BYTES:
        return _inflate_bounded(compressed, length)
    return await asyncio.to_thread(_inflate_bounded, compressed, length)


def _inflate_bounded(compressed: bytes, length: int) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)
    try:
        # One byte more than declared is enough to know, however much a hostile archive would unfold to.
        raw = unpacker.decompress(compressed, length + 1)
    except zlib.error as error:
        raise Invalid("The segment is not gzip.") from error
    if len(raw) != length or not unpacker.eof or unpacker.unused_data:
        raise Invalid(f"The segment does not unpack to exactly the {length:,} bytes it declares.")
    return raw


def _damaged(segment: Segment) -> Unavailable:
    return Unavailable(
        f"A part of the stored log is damaged: bytes {segment.start_byte:,} to {segment.end_byte:,} of {segment.source}"
    )
