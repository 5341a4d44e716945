"""Removes clusters that no row wants: what a crash between engine write and row left, or a restored database."""

from __future__ import annotations

import asyncio

import structlog
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from mlp_core.kit.database import Database
from mlp_core.tables import AttemptRow, ClusterRow, JobRow
from mlp_operator.engines.port import ComputeEngine, EngineError

SWEEP_SECONDS = 30.0

log = structlog.get_logger(__name__)


async def sweep_forever(database: Database, engine: ComputeEngine) -> None:
    """Sweep every half minute until cancelled."""
    while True:
        try:
            await sweep(database, engine)
        except (SQLAlchemyError, OSError, EngineError) as error:
            log.warning("sweep_failed", error=str(error))
        await asyncio.sleep(SWEEP_SECONDS)


async def sweep(database: Database, engine: ComputeEngine) -> frozenset[str]:
    """Delete clusters without a live row; answers their names.

    The engine is read before the rows: a cluster is only ever made after its row is committed, so one made
    meanwhile is not seen here.
    """
    names = await engine.names()
    if not names:
        return frozenset()
    async with database.transaction() as session:
        attempts = await session.scalars(
            select(AttemptRow.id).where(AttemptRow.id.in_(names), AttemptRow.ended_at.is_(None))
        )
        clusters = await session.scalars(
            select(ClusterRow.id).where(ClusterRow.id.in_(names), ClusterRow.ended_at.is_(None))
        )
        # An engine with a queue of its own knows jobs before they have an attempt.
        jobs = await session.scalars(select(JobRow.id).where(JobRow.id.in_(names), JobRow.ended_at.is_(None)))
        wanted = {*attempts, *clusters, *jobs}
    orphans = frozenset(names - wanted)
    for name in sorted(orphans):
        log.warning("orphan_removed", cluster=name)
        await engine.delete_cluster(name)
    return orphans
