"""Queries of housekeeping."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, exists, func, insert, or_, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession

from mlp_core.tables import (
    ArtifactRow,
    AttemptRow,
    EnvironmentRow,
    IdempotencyRow,
    JobRow,
    LogSegmentRow,
    LogSourceRow,
    PackageRow,
    SampleRow,
)


@dataclass(frozen=True, slots=True)
class StoredSegment:
    """A row of `log_segments`, detached."""

    id: int
    attempt_id: str
    source: str
    number: int
    start_byte: int
    end_byte: int
    start_line: int
    end_line: int
    first_at: datetime
    last_at: datetime
    times: tuple[int, ...]
    object_key: str


@dataclass(frozen=True, slots=True)
class OldAttempt:
    id: str
    project_id: str
    job_id: str
    number: int


@dataclass(frozen=True, slots=True)
class PackageKey:
    project_id: str
    digest: str


# -- log segments --------------------------------------------------------------------------------------------------


async def project_of_ended_attempt(session: AsyncSession, attempt_id: str) -> str | None:
    """The attempt's project; None while the attempt may still write."""
    return await session.scalar(
        select(AttemptRow.project_id).where(AttemptRow.id == attempt_id, AttemptRow.ended_at.is_not(None))
    )


async def list_segments(session: AsyncSession, attempt_id: str) -> list[StoredSegment]:
    """All segments of the attempt by source and start."""
    statement = (
        select(LogSegmentRow)
        .where(LogSegmentRow.attempt_id == attempt_id)
        .order_by(LogSegmentRow.source, LogSegmentRow.start_byte)
    )
    return [_stored(row) for row in await session.scalars(statement)]


async def replace_segments(session: AsyncSession, parts: Sequence[StoredSegment], merged: StoredSegment) -> bool:
    """Put `merged` in the place of `parts`. False, with nothing changed, where one of them is no longer there."""
    ids = [part.id for part in parts]
    found = await session.scalars(
        select(LogSegmentRow.id).where(LogSegmentRow.id.in_(ids)).order_by(LogSegmentRow.id).with_for_update()
    )
    if len(found.all()) != len(ids):
        return False
    await session.execute(delete(LogSegmentRow).where(LogSegmentRow.id.in_(ids)))
    values = asdict(merged)
    del values["id"]
    await session.execute(insert(LogSegmentRow).values({**values, "times": list(merged.times)}))
    return True


# -- logs past their time ------------------------------------------------------------------------------------------


async def lock_attempts_with_old_logs(session: AsyncSession, older_than: timedelta, limit: int) -> list[OldAttempt]:
    """Attempts of ended jobs that ended long ago and still have rows of logs or artifacts."""
    has_logs = exists().where(LogSourceRow.attempt_id == AttemptRow.id)
    has_artifacts = exists().where(ArtifactRow.attempt_id == AttemptRow.id)
    statement = (
        select(AttemptRow)
        .join(JobRow, JobRow.id == AttemptRow.job_id)
        .where(AttemptRow.ended_at < func.now() - older_than, JobRow.ended_at.is_not(None), has_logs | has_artifacts)
        .limit(limit)
        .with_for_update(skip_locked=True, of=AttemptRow)
    )
    return [OldAttempt(row.id, row.project_id, row.job_id, row.number) for row in await session.scalars(statement)]


async def delete_log_rows(session: AsyncSession, attempt_id: str) -> None:
    await session.execute(delete(LogSegmentRow).where(LogSegmentRow.attempt_id == attempt_id))
    await session.execute(delete(LogSourceRow).where(LogSourceRow.attempt_id == attempt_id))


async def delete_artifact_rows(session: AsyncSession, attempt_id: str) -> None:
    await session.execute(delete(ArtifactRow).where(ArtifactRow.attempt_id == attempt_id))


async def delete_samples(session: AsyncSession, attempt_id: str) -> None:
    await session.execute(delete(SampleRow).where(SampleRow.attempt_id == attempt_id))


# -- packages ------------------------------------------------------------------------------------------------------


async def expire_packages(session: AsyncSession, older_than: timedelta, limit: int) -> int:
    """Mark complete packages that nothing live uses as not uploaded; how many. Their content goes afterwards."""
    old = (
        select(PackageRow.project_id, PackageRow.digest)
        .where(
            PackageRow.completed_at.is_not(None),
            PackageRow.last_used_at < func.now() - older_than,
            ~_used_by(JobRow.ended_at.is_(None)),
        )
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    keys = [PackageKey(*row) for row in await session.execute(old)]
    for key in keys:
        await session.execute(update(PackageRow).where(*_is_package(key)).values(completed_at=None, received=[]))
    return len(keys)


async def list_unfinished_packages(session: AsyncSession, older_than: timedelta, limit: int) -> list[PackageKey]:
    """Uploads given up and packages expired, untouched for `older_than`, that still hold something to remove."""
    holds_something = or_(PackageRow.files.is_not(None), func.cardinality(PackageRow.received) > 0, ~_used_by())
    statement = (
        select(PackageRow.project_id, PackageRow.digest)
        .where(
            PackageRow.completed_at.is_(None),
            PackageRow.created_at < func.now() - older_than,
            PackageRow.last_used_at < func.now() - older_than,
            holds_something,
        )
        .limit(limit)
    )
    return [PackageKey(*row) for row in await session.execute(statement)]


async def lock_unfinished_package(session: AsyncSession, key: PackageKey, older_than: timedelta) -> bool:
    """Hold the package if it is still as `list_unfinished_packages` saw it: an upload must not begin meanwhile."""
    statement = (
        select(PackageRow.digest)
        .where(*_is_package(key), PackageRow.completed_at.is_(None), PackageRow.last_used_at < func.now() - older_than)
        .with_for_update(skip_locked=True)
    )
    return await session.scalar(statement) is not None


async def forget_package(session: AsyncSession, key: PackageKey) -> None:
    """Remove the row, or where the history of jobs needs it, note that it holds nothing."""
    removed = await session.execute(
        delete(PackageRow).where(*_is_package(key), ~_used_by()).returning(PackageRow.digest)
    )
    if removed.first() is None:
        await session.execute(
            update(PackageRow).where(*_is_package(key)).values(received=[], files=None, uncompressed_size=None)
        )


def _is_package(key: PackageKey) -> tuple[ColumnElement[bool], ...]:
    return PackageRow.project_id == key.project_id, PackageRow.digest == key.digest


def _used_by(*conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    return exists().where(
        JobRow.project_id == PackageRow.project_id, JobRow.package_digest == PackageRow.digest, *conditions
    )


# -- environments --------------------------------------------------------------------------------------------------


async def delete_environments(session: AsyncSession, older_than: timedelta, limit: int) -> int:
    """Remove environments without a name that no job refers to and nobody used for long; how many."""
    used = exists().where(JobRow.environment_id == EnvironmentRow.id)
    old = (
        select(EnvironmentRow.id)
        .where(EnvironmentRow.name.is_(None), EnvironmentRow.last_used_at < func.now() - older_than, ~used)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    statement = delete(EnvironmentRow).where(EnvironmentRow.id.in_(old.scalar_subquery())).returning(EnvironmentRow.id)
    return len((await session.execute(statement)).all())


# -- idempotency keys ----------------------------------------------------------------------------------------------


async def delete_idempotency_keys(session: AsyncSession, older_than: timedelta) -> None:
    await session.execute(delete(IdempotencyRow).where(IdempotencyRow.created_at < func.now() - older_than))


# -- samples -------------------------------------------------------------------------------------------------------

_ROLL_UP = text("""
    WITH raw AS (
        DELETE FROM samples
        WHERE resolution = 0 AND at < date_trunc('minute', now() - CAST(:age AS interval))
        RETURNING *
    ), minutes AS (
        SELECT attempt_id, node, date_trunc('minute', at) AS at,
               avg(cpu_cores) AS cpu_cores, max(memory_bytes) AS memory_bytes,
               max(memory_limit_bytes) AS memory_limit_bytes, avg(gpu_utilisation) AS gpu_utilisation,
               max(gpu_memory_bytes) AS gpu_memory_bytes
        FROM raw GROUP BY 1, 2, 3
    )
    INSERT INTO samples AS kept (attempt_id, node, resolution, at, cpu_cores, memory_bytes, memory_limit_bytes,
                                 gpu_utilisation, gpu_memory_bytes)
    SELECT attempt_id, node, 60, at, cpu_cores, memory_bytes, memory_limit_bytes, gpu_utilisation, gpu_memory_bytes
    FROM minutes
    ON CONFLICT (attempt_id, node, resolution, at) DO UPDATE SET
        cpu_cores = (kept.cpu_cores + excluded.cpu_cores) / 2,
        memory_bytes = greatest(kept.memory_bytes, excluded.memory_bytes),
        memory_limit_bytes = greatest(kept.memory_limit_bytes, excluded.memory_limit_bytes),
        gpu_utilisation = coalesce((kept.gpu_utilisation + excluded.gpu_utilisation) / 2, kept.gpu_utilisation,
                                   excluded.gpu_utilisation),
        gpu_memory_bytes = greatest(kept.gpu_memory_bytes, excluded.gpu_memory_bytes)
""")
"""The conflict is a raw sample that arrived after its minute was rolled up, say behind a long outage."""


async def roll_up_samples(session: AsyncSession, age: timedelta) -> None:
    await session.execute(_ROLL_UP, {"age": age})


def _stored(row: LogSegmentRow) -> StoredSegment:
    return StoredSegment(
        id=row.id,
        attempt_id=row.attempt_id,
        source=row.source,
        number=row.number,
        start_byte=row.start_byte,
        end_byte=row.end_byte,
        start_line=row.start_line,
        end_line=row.end_line,
        first_at=row.first_at,
        last_at=row.last_at,
        times=tuple(row.times),
        object_key=row.object_key,
    )
