"""Taking in what the agents send: the object first, then one row in one short transaction.

The server is the authority on how far a source is stored. What it has already is answered and not stored again, what
would leave a gap is refused, so each byte of a source is stored exactly once however often it is sent.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mlp.schemas.agent import SOURCE_PATTERN
from mlp_core.domain.errors import Invalid, LogGap
from mlp_core.gateways.live import logs_channel
from mlp_core.kit.clock import Clock
from mlp_core.kit.database import Database, wake_after_commit
from mlp_core.kit.fence import hold_live_attempt
from mlp_core.logs.repository import LogRepository, instant, milliseconds
from mlp_core.logs.segments import SegmentStore, inflate, segment_key
from mlp_core.tables import LogSegmentRow

MAX_SOURCES = 4096
"""Of one attempt: more is a defect of the agent."""
MAX_TIMES = 200
_SOURCE = re.compile(SOURCE_PATTERN)
_LATEST_MS = 4_102_444_800_000
"""The year 2100."""


@dataclass(frozen=True, slots=True)
class Upload:
    """One segment as an agent sends it."""

    source: str
    start: int
    """First byte within the source's raw stream."""
    length: int
    """Raw bytes."""
    times: tuple[tuple[int, int], ...]
    """Byte offset in the segment and unix milliseconds at which it was read, ascending."""
    compressed: bytes

    def check(self) -> None:
        """Raises `Invalid` naming the header that is wrong."""
        if not _SOURCE.match(self.source):
            raise _bad_header("X-Log-Source", "is 'driver', '<node>/<pid>' or '<node>/<pid>/err'")
        if self.start < 0 or self.start + self.length >= 2**62:
            raise _bad_header("X-Log-Start", "is a byte offset")
        if self.length < 1:
            raise _bad_header("X-Log-Length", "is at least 1")
        if len(self.times) > MAX_TIMES:
            raise _bad_header("X-Log-Times", f"has at most {MAX_TIMES} pairs")
        last = -1
        for offset, at_ms in self.times:
            if not last < offset < self.length or not 0 <= at_ms <= _LATEST_MS:
                raise _bad_header("X-Log-Times", "holds pairs of ascending offsets and unix milliseconds")
            last = offset


class LogIngest:
    """The write side of logs."""

    def __init__(self, database: Database, segments: SegmentStore, clock: Clock) -> None:
        self._database = database
        self._segments = segments
        self._clock = clock

    async def store(self, project_id: str, attempt_id: str, upload: Upload) -> int:
        """Store a segment, or notice that it is stored already. Returns the first byte not stored yet.

        Raises:
            LogGap: bytes before it are missing; `data.next_byte` says from where on.
            AttemptOver: the attempt has ended.
            Invalid, TooLarge: the segment is malformed.
        """
        upload.check()
        async with self._database.transaction() as session:
            next_byte = await LogRepository(session).next_byte(attempt_id, upload.source)
        if _is_stored(upload, next_byte):
            return next_byte
        raw = await inflate(upload.compressed, upload.length)
        newlines = raw.count(b"\n")
        key = segment_key(project_id, attempt_id, upload.source, upload.start, upload.start + upload.length)
        await self._segments.put(key, upload.compressed)
        return await self._record(attempt_id, upload, newlines, key)

    async def _record(self, attempt_id: str, upload: Upload, newlines: int, key: str) -> int:
        async with self._database.transaction() as session:
            logs = LogRepository(session)
            await hold_live_attempt(session, attempt_id)
            source = await logs.lock_source(attempt_id, upload.source)
            if _is_stored(upload, source.next_byte):
                # Sent twice at the same time. If the other one had the same extent, its object is this very key.
                return source.next_byte
            if source.segments == 0 and await logs.count_sources(attempt_id) > MAX_SOURCES:
                raise Invalid(f"An attempt has at most {MAX_SOURCES:,} log sources.")
            last_at = await logs.last_at(attempt_id, upload.source) if source.segments else None
            times = self._ascending(upload.times, 0 if last_at is None else milliseconds(last_at))
            logs.add(
                LogSegmentRow(
                    attempt_id=attempt_id,
                    source=upload.source,
                    number=source.segments,
                    start_byte=upload.start,
                    end_byte=upload.start + upload.length,
                    start_line=source.next_line,
                    end_line=source.next_line + newlines,
                    first_at=instant(times[1]),
                    last_at=instant(times[-1]),
                    times=times,
                    object_key=key,
                )
            )
            source.next_byte = upload.start + upload.length
            source.next_line += newlines
            source.segments += 1
            await session.flush()
            wake_after_commit(session, logs_channel(attempt_id))
            return source.next_byte

    def _ascending(self, pairs: tuple[tuple[int, int], ...], floor_ms: int) -> list[int]:
        """The pairs, flattened, with times that never go back: a node's clock may be set back under way."""
        if not pairs or pairs[0][0] > 0:
            pairs = ((0, pairs[0][1] if pairs else milliseconds(self._clock.now())), *pairs)
        flat: list[int] = []
        for offset, at_ms in pairs:
            floor_ms = max(floor_ms, at_ms)
            flat += (offset, floor_ms)
        return flat


def _is_stored(upload: Upload, next_byte: int) -> bool:
    """Raises `LogGap` where bytes before it are missing."""
    if upload.start > next_byte:
        raise LogGap(
            f"'{upload.source}' is stored up to byte {next_byte:,}; this segment starts at {upload.start:,}.",
            hint="Send it again from `data.next_byte` on.",
            data={"next_byte": next_byte},
        )
    return upload.start < next_byte


def _bad_header(name: str, rule: str) -> Invalid:
    return Invalid(f"The header {name} {rule}.", fields={name: rule})
