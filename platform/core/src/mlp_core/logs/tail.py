"""The last lines stored of one source: the evidence of a failure. For the platform's own use, so without a scope."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select

from mlp_core.kit.database import Database
from mlp_core.logs.render import clean, render_lines
from mlp_core.logs.repository import segment_of
from mlp_core.logs.segments import SegmentStore
from mlp_core.tables import LogSegmentRow

_LAST_SEGMENTS = 4
_TAIL_BYTES = 64 * 1024
_LINE_LENGTH = 2000


class StoredTail:
    """Reads from the end, a bounded number of bytes."""

    def __init__(self, database: Database, segments: SegmentStore) -> None:
        self._database = database
        self._segments = segments

    async def last_lines(self, attempt: str, source: str, count: int) -> Sequence[str]:
        """At most `count` lines, rendered for people, each cut at 2,000 characters.

        Raises:
            Unavailable: the object store does not answer now.
        """
        async with self._database.transaction() as session:
            rows = await session.scalars(
                select(LogSegmentRow)
                .where(LogSegmentRow.attempt_id == attempt, LogSegmentRow.source == source)
                .order_by(LogSegmentRow.end_byte.desc())
                .limit(_LAST_SEGMENTS)
            )
            last = [segment_of(row) for row in rows]
        body = b""
        for segment in last:
            body = await self._segments.raw(segment) + body
            if body.count(b"\n") > count or len(body) >= _TAIL_BYTES:
                break
        # The last line may still be without its newline: it is evidence too.
        lines = render_lines(body[-_TAIL_BYTES:].rstrip(b"\n") + b"\n")
        return [clean(line)[:_LINE_LENGTH] for line in lines if line.strip()][-count:]
