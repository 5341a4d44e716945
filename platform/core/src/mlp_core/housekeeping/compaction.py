"""Merging the many small log segments of an ended attempt into few large ones.

The merged object is written first, under a name made of its extent, then one transaction puts its row in the place of
the small ones: a reader sees either, never a gap. The small objects go a while later, so that a reader who has seen
their rows still finds them; one that is even slower looks its rows up again.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mlp_core.gateways.objects import ObjectStore
from mlp_core.housekeeping import repository
from mlp_core.housekeeping.objects import ask_to_delete
from mlp_core.housekeeping.repository import StoredSegment
from mlp_core.kit.database import Database
from mlp_core.logs.segments import segment_key

COMPACT = "logs.compact"
TARGET_BYTES = 4 * 2**20
"""A merged segment is closed once it has this many raw bytes."""
MOST_TIMES = 5000
"""... or this many time marks: they live in the row."""
FETCH_AT_ONCE = 16
GRACE_SECONDS = 120.0
"""How long a reader may take between reading a row and fetching its object."""


@dataclass(frozen=True, slots=True)
class Merge:
    """Neighbouring segments of one source that become one."""

    parts: tuple[StoredSegment, ...]

    def row(self, project_id: str) -> StoredSegment:
        """What the merged segment says of itself; its number is that of its first part."""
        first, last = self.parts[0], self.parts[-1]
        times: list[int] = []
        for part in self.parts:
            shift = part.start_byte - first.start_byte
            for offset, at_ms in zip(part.times[::2], part.times[1::2], strict=True):
                times += (offset + shift, at_ms)
        return StoredSegment(
            id=first.id,
            attempt_id=first.attempt_id,
            source=first.source,
            number=first.number,
            start_byte=first.start_byte,
            end_byte=last.end_byte,
            start_line=first.start_line,
            end_line=last.end_line,
            first_at=first.first_at,
            last_at=last.last_at,
            times=tuple(times),
            object_key=segment_key(project_id, first.attempt_id, first.source, first.start_byte, last.end_byte),
        )


def plan(segments: Iterable[StoredSegment]) -> list[Merge]:
    """What to merge of segments given by source and start. Pure.

    Neighbours only: a segment that does not begin where the one before it ends starts a new group.
    """
    merges: list[Merge] = []
    group: list[StoredSegment] = []
    size = times = 0
    for segment in segments:
        is_full = size >= TARGET_BYTES or times + len(segment.times) // 2 > MOST_TIMES
        if group and (is_full or not _follows(group[-1], segment)):
            merges.append(Merge(tuple(group)))
            group, size, times = [], 0, 0
        group.append(segment)
        size += segment.end_byte - segment.start_byte
        times += len(segment.times) // 2
    merges.append(Merge(tuple(group)))
    return [merge for merge in merges if len(merge.parts) > 1]


async def compact(database: Database, objects: ObjectStore, attempt_id: str) -> int:
    """Merge the segments of an ended attempt; how many merged ones were made.

    Raises:
        NotFound, Unavailable: a segment cannot be read or written now.
    """
    async with database.transaction() as session:
        project_id = await repository.project_of_ended_attempt(session, attempt_id)
        segments = [] if project_id is None else await repository.list_segments(session, attempt_id)
    if project_id is None:
        return 0
    made = 0
    for merge in plan(segments):
        made += await _merge(database, objects, project_id, merge)
    return made


async def _merge(database: Database, objects: ObjectStore, project_id: str, merge: Merge) -> bool:
    merged = merge.row(project_id)
    if not await _write(objects, merge.parts, merged):
        return False
    async with database.transaction() as session:
        if not await repository.replace_segments(session, merge.parts, merged):
            return False
        keys = [part.object_key for part in merge.parts if part.object_key != merged.object_key]
        name = hashlib.sha256(merged.object_key.encode()).hexdigest()
        await ask_to_delete(session, f"merged {name}", keys=keys, due_in=GRACE_SECONDS)
    return True


async def _write(objects: ObjectStore, parts: Sequence[StoredSegment], merged: StoredSegment) -> bool:
    """Store the merged object. False where the parts do not add up, so that nothing is lost by believing them."""
    pieces: list[bytes] = []
    for start in range(0, len(parts), FETCH_AT_ONCE):
        some = parts[start : start + FETCH_AT_ONCE]
        pieces += await asyncio.gather(*(objects.get(part.object_key) for part in some))
    raw, compressed = await asyncio.to_thread(_recompress, pieces)
    if raw != merged.end_byte - merged.start_byte:
        return False
    await objects.put(merged.object_key, compressed)
    return True


def _recompress(pieces: Sequence[bytes]) -> tuple[int, bytes]:
    raw = b"".join(gzip.decompress(piece) for piece in pieces)
    return len(raw), gzip.compress(raw, compresslevel=6, mtime=0)


def _follows(before: StoredSegment, segment: StoredSegment) -> bool:
    return before.source == segment.source and before.end_byte == segment.start_byte
