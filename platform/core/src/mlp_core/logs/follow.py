"""Following a log: everything stored so far, then what comes, over all attempts that still follow.

A follower subscribes first and reads then, and always reads from the store, so there is neither a gap nor a double
between the past and the present. It holds no database connection while nothing happens.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from sqlalchemy import select

from mlp.schemas.logs import LogChunk, LogEnd
from mlp.schemas.phases import AttemptOutcome, JobPhase
from mlp_core.gateways.live import Live, logs_channel, project_channel
from mlp_core.kit.database import Database
from mlp_core.logs.lines import Piece
from mlp_core.logs.reader import LogReader
from mlp_core.logs.select import LogQuery, TailBuffer, select_lines
from mlp_core.logs.service import AttemptLog, Logs
from mlp_core.tables import AttemptRow, JobRow

PARTIAL_SECONDS = 1.0
"""Least time between two states of one unfinished line: a progress bar redraws far more often."""
_ALL_LINES = 2**62


@dataclass(frozen=True, slots=True)
class Sent:
    """A chunk, and the cursor behind it; an unfinished line has none, for it comes again."""

    chunk: LogChunk
    cursor: str | None


@dataclass(frozen=True, slots=True)
class Tick:
    """Nothing new: time to see whether the reader is still there and still allowed."""


LogEvent = Sent | LogEnd | Tick
_TICK = Tick()


@dataclass(frozen=True, slots=True)
class FollowTarget:
    """A job whose log may be followed: it has passed the scope's door."""

    job_id: str
    project_id: str
    attempt: AttemptLog | None
    """Where to begin; None before the first attempt."""
    only_this_attempt: bool


@dataclass(frozen=True, slots=True)
class _JobNow:
    phase: JobPhase
    attempt_number: int


class LogFollower:
    def __init__(self, database: Database, logs: Logs, live: Live) -> None:
        self._database = database
        self._logs = logs
        self._live = live

    async def follow(self, target: FollowTarget, query: LogQuery, cursor: str | None) -> AsyncGenerator[LogEvent]:
        """Chunks as they come, a `Tick` now and then, and last a `LogEnd`. Ends early where the job is removed."""
        attempt: AttemptLog | None = None
        async with aclosing(self._attempts(target)) as attempts:
            async for found in attempts:
                if isinstance(found, Tick):
                    yield found
                    continue
                attempt = found
                async with aclosing(self._follow_attempt(target, attempt, query, cursor)) as events:
                    async for event in events:
                        yield event
                cursor, query = None, replace(query, tail=None)
        end = await self._end(target, attempt)
        if end is not None:
            yield end

    async def _follow_attempt(
        self, target: FollowTarget, attempt: AttemptLog, query: LogQuery, cursor: str | None
    ) -> AsyncGenerator[LogEvent]:
        """Everything of one attempt, until it has ended and all of it was sent."""
        reader = await self._logs.reader(attempt, query, cursor)
        tail = TailBuffer(query.tail) if query.tail is not None and cursor is None else None
        partials = _Partials()
        channels = (project_channel(target.project_id), logs_channel(attempt.id))
        async with self._live.subscribe(channels) as wake_ups:
            async for _ in wake_ups:
                # Asked before reading: nothing is stored any more once it has ended.
                ended = await self._has_ended(attempt.id)
                async with aclosing(reader.pieces()) as pieces:
                    async for piece in pieces:
                        if tail is not None:
                            tail.put(piece)
                            continue
                        for event in _events(piece, attempt, query, reader):
                            yield event
                if tail is not None:
                    for event in _tail_events(tail.pieces(), attempt, query, reader):
                        yield event
                    tail = None
                for piece in partials.due(reader.unfinished(), flush=ended):
                    for event in _events(piece, attempt, query, None):
                        yield event
                if ended:
                    return
                yield _TICK

    async def _attempts(self, target: FollowTarget) -> AsyncGenerator[AttemptLog | Tick]:
        """The attempts to follow, one after the other, with ticks while the next one is waited for."""
        behind = 0
        if target.attempt is not None:
            behind = target.attempt.number
            yield target.attempt
            if target.only_this_attempt:
                return
        async with self._live.subscribe((project_channel(target.project_id),)) as wake_ups:
            async for _ in wake_ups:
                job = await self._job(target.job_id)
                if job is None:
                    return
                while job.attempt_number > behind:
                    behind += 1
                    found = await self._attempt(target.job_id, behind)
                    if found is not None:
                        yield found
                    job = await self._job(target.job_id) or job
                if job.phase.is_terminal:
                    return
                yield _TICK

    async def _end(self, target: FollowTarget, attempt: AttemptLog | None) -> LogEnd | None:
        job = await self._job(target.job_id)
        if job is None:
            return None
        outcome = None if attempt is None else await self._outcome(attempt.id)
        return LogEnd(attempt=0 if attempt is None else attempt.number, outcome=outcome, phase=job.phase)

    async def _job(self, job_id: str) -> _JobNow | None:
        async with self._database.transaction() as session:
            found = await session.execute(select(JobRow.phase, JobRow.attempt_number).where(JobRow.id == job_id))
            row = found.one_or_none()
        return None if row is None else _JobNow(JobPhase(row.phase), row.attempt_number)

    async def _attempt(self, job_id: str, number: int) -> AttemptLog | None:
        async with self._database.transaction() as session:
            row = await session.scalar(
                select(AttemptRow).where(AttemptRow.job_id == job_id, AttemptRow.number == number)
            )
        return None if row is None else AttemptLog(row.id, row.number, row.ended_at is not None)

    async def _has_ended(self, attempt_id: str) -> bool:
        """Also true of an attempt that was removed: nothing will come of it."""
        async with self._database.transaction() as session:
            statement = select(AttemptRow.id).where(AttemptRow.id == attempt_id, AttemptRow.ended_at.is_(None))
            return await session.scalar(statement) is None

    async def _outcome(self, attempt_id: str) -> AttemptOutcome | None:
        async with self._database.transaction() as session:
            outcome = await session.scalar(select(AttemptRow.outcome).where(AttemptRow.id == attempt_id))
        return None if outcome is None else AttemptOutcome(outcome)


@dataclass(slots=True)
class _Partials:
    """Which unfinished lines are worth sending again."""

    _sent: dict[str, tuple[int, str | None, float]] = field(default_factory=dict[str, tuple[int, "str | None", float]])

    def due(self, unfinished: list[Piece], *, flush: bool) -> list[Piece]:
        """Those that look different from what was sent last, not more often than `PARTIAL_SECONDS` each."""
        now = asyncio.get_running_loop().time()
        found: list[Piece] = []
        for piece in unfinished:
            line, text, at = self._sent.get(piece.source, (-1, None, 0.0))
            is_new = (line, text) != (piece.start.line, piece.text)
            if is_new and (flush or now - at >= PARTIAL_SECONDS):
                self._sent[piece.source] = (piece.start.line, piece.text, now)
                found.append(piece)
        return found


def _events(piece: Piece, attempt: AttemptLog, query: LogQuery, reader: LogReader | None) -> list[LogEvent]:
    """What of `piece` is sent; only the last chunk of it carries the cursor behind it."""
    cut = query.cut(piece)
    chunks = [] if cut is None else select_lines(cut, attempt.number, query, _ALL_LINES).chunks
    cursor = None if reader is None or not chunks else reader.cursor().encode()
    events: list[LogEvent] = [Sent(chunk, None) for chunk in chunks[:-1]]
    return [*events, Sent(chunks[-1], cursor)] if chunks else events


def _tail_events(pieces: list[Piece], attempt: AttemptLog, query: LogQuery, reader: LogReader) -> list[LogEvent]:
    """The reader stands behind all of them, so only the last one carries its cursor."""
    events = [event for piece in pieces[:-1] for event in _events(piece, attempt, query, None)]
    return [*events, *(event for piece in pieces[-1:] for event in _events(piece, attempt, query, reader))]
