"""Letting go of what ended jobs left on the engine's disk, in agreement with the rows of the jobs."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import structlog
from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError

from mlp_core.kit.database import Database
from mlp_core.tables import JobRow
from mlp_operator.engines.local.retention import Retention

EVERY_SECONDS = 3600.0
BATCH = 500

log = structlog.get_logger(__name__)


async def retain_forever(database: Database, disk: Retention, overlays: timedelta, checkpoints: timedelta) -> None:
    """Every hour until cancelled: environments unused for `overlays`, checkpoints `checkpoints` after the job."""
    while True:
        try:
            now = datetime.now(UTC)
            environments = await disk.remove_overlays(overlays, now)
            jobs = await remove_checkpoints(database, disk, checkpoints, now)
            if environments or jobs:
                log.info("disk_cleared", environments=environments, checkpoints=jobs)
        except (SQLAlchemyError, OSError) as error:
            log.warning("disk_not_cleared", error=str(error)[:300])
        await asyncio.sleep(EVERY_SECONDS)


async def remove_checkpoints(database: Database, disk: Retention, keep: timedelta, now: datetime) -> list[str]:
    """Remove the checkpoints of jobs that ended longer ago than `keep`; the jobs' ids."""
    found = sorted(await asyncio.to_thread(disk.checkpoints))
    removed: list[str] = []
    for start in range(0, len(found), BATCH):
        removed += await _put_away(database, disk, found[start : start + BATCH], keep, now)
    await disk.clear_up()
    return removed


async def _put_away(database: Database, disk: Retention, keys: list[str], keep: timedelta, now: datetime) -> list[str]:
    """Rows are held meanwhile: a job that is tried again either is seen here, or begins after its folder has gone.

    A folder without a row is of a project that was purged. It goes by its own age: the database may be a restored one.
    """
    async with database.transaction() as session:
        over = select(JobRow.id).where(JobRow.id.in_(keys), JobRow.ended_at < func.now() - keep)
        old = set(await session.scalars(over.with_for_update(skip_locked=True)))
        known = set(await session.scalars(select(JobRow.id).where(JobRow.id.in_(keys))))
        gone = [key for key in keys if key in old or (key not in known and disk.checkpoint_age(key, now) > keep)]
        for key in gone:
            disk.put_away_checkpoint(key)
    return gone
