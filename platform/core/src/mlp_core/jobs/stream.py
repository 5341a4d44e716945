"""The live stream of a page: events as they are committed, and the state of the jobs they change.

Events are gapless: behind a cursor each one comes exactly once, however long its transaction took. Snapshots of jobs
are for showing: the newest state of each, sent again when anything a reader sees of it changed.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.events import EventRead
from mlp.schemas.jobs import JobRead
from mlp_core.domain.errors import Invalid
from mlp_core.events.read import read_event
from mlp_core.events.repository import EventRepository, StreamPosition
from mlp_core.gateways.live import Live, project_channel
from mlp_core.jobs.read import JobReader
from mlp_core.jobs.repository import JobRepository
from mlp_core.kit.database import Database
from mlp_core.scope import SubjectScope

BATCH = 500
SNAPSHOTS = 1000
"""Jobs shown at once; a page shows far fewer."""
REST_SECONDS = 0.25
LOOK_BACK = timedelta(seconds=10)
"""A row's `updated_at` is the start of its transaction: how long before its commit that may have been."""
_REMEMBERED = 5000
_POSITION = re.compile(r"e(\d{1,19})-(-1|\d{1,19})")


@dataclass(frozen=True, slots=True)
class StreamedEvent:
    event: EventRead
    cursor: str


@dataclass(frozen=True, slots=True)
class StreamTick:
    """Nothing new: time to see whether the reader is still there and still allowed."""


@dataclass(frozen=True, slots=True)
class StreamReady:
    """Comes first: from this cursor on nothing is missed, even if the connection breaks before the first event."""

    cursor: str


StreamItem = StreamReady | StreamedEvent | JobRead | StreamTick


def encode_position(position: StreamPosition) -> str:
    return f"e{position.txid}-{position.seq}"


def decode_position(cursor: str) -> StreamPosition:
    """Raises `Invalid` for what `encode_position` did not make."""
    match = _POSITION.fullmatch(cursor)
    if match is None or int(match[1]) >= 2**63 or int(match[2]) >= 2**63:
        raise Invalid(
            "The cursor does not belong to this stream.",
            hint="Use the id of an event of this stream, or leave it out to begin now.",
            fields={"cursor": "not a cursor of this stream"},
        )
    return StreamPosition(int(match[1]), int(match[2]))


@dataclass(slots=True)
class _Reader:
    """Where one reader stands, and what it saw last of each job."""

    scope: SubjectScope
    slugs: Mapping[str, str]
    job_id: str | None
    position: StreamPosition
    looked_at: datetime | None = None
    """By the database's clock."""
    _etags: OrderedDict[str, str] = field(default_factory=OrderedDict[str, str])

    def is_news(self, job: JobRead) -> bool:
        if self._etags.get(job.id) == job.etag:
            return False
        self._etags[job.id] = job.etag
        self._etags.move_to_end(job.id)
        if len(self._etags) > _REMEMBERED:
            self._etags.popitem(last=False)
        return True


class EventStream:
    """Holds no database connection while nothing happens."""

    def __init__(self, database: Database, live: Live, public_url: str) -> None:
        self._database = database
        self._live = live
        self._public_url = public_url

    async def follow(
        self, scope: SubjectScope, slugs: Mapping[str, str], job_id: str | None, cursor: StreamPosition | None
    ) -> AsyncGenerator[StreamItem]:
        """`StreamReady`, then the jobs that have not ended (or the one of `job_id`), then everything as it happens."""
        reader = _Reader(scope, slugs, job_id, cursor or await self._now())
        yield StreamReady(encode_position(reader.position))
        channels = [project_channel(project_id) for project_id in scope.project_ids]
        async with self._live.subscribe(channels, rest_seconds=REST_SECONDS) as wake_ups:
            async for _ in wake_ups:
                more = True
                while more:
                    items, more = await self._look(reader)
                    for item in items:
                        yield item
                yield StreamTick()

    async def _now(self) -> StreamPosition:
        async with self._database.transaction() as session:
            return await EventRepository(session).now()

    async def _look(self, reader: _Reader) -> tuple[list[StreamItem], bool]:
        """What is new, and whether there may be more right now."""
        async with self._database.transaction() as session:
            events = EventRepository(session)
            rows = await events.after(reader.scope, reader.position, reader.job_id, BATCH)
            jobs = await self._jobs(session, reader, {row.resource_id for row in rows if row.resource == "job"})
        items: list[StreamItem] = []
        for row in rows:
            reader.position = StreamPosition(row.txid, row.seq)
            event = read_event(row, reader.slugs[row.project_id])
            items.append(StreamedEvent(event, encode_position(reader.position)))
        items.extend(job for job in jobs if reader.is_news(job))
        return items, len(rows) == BATCH

    async def _jobs(self, session: AsyncSession, reader: _Reader, changed: set[str]) -> list[JobRead]:
        """Jobs that events speak of, and those touched since the last look."""
        jobs = JobRepository(session)
        since = None if reader.looked_at is None else reader.looked_at - LOOK_BACK
        if since is None and reader.job_id is not None:
            changed.add(reader.job_id)
        found = await jobs.live_changed_since(reader.scope, since, reader.job_id, SNAPSHOTS)
        rows = {row.id: row for row in found}
        missing = changed - rows.keys()
        if missing:
            rows.update({row.id: row for row in await jobs.by_ids(reader.scope, missing)})
        reader.looked_at = (await session.execute(select(func.now()))).scalar_one()
        ordered = sorted(rows.values(), key=lambda row: (row.updated_at, row.id))
        return await JobReader(session, self._public_url).jobs(ordered, reader.slugs)
