"""Pools, holders and waiters as admission sees them. Spans all tenants on purpose: capacity is shared.

What leaves this module towards people names only what they may see; see `mlp_core.jobs`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import and_, func, or_, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.phases import ClusterPhase, EnvironmentPhase, JobPhase
from mlp.schemas.projects import ProjectLimits
from mlp.schemas.resources import Resources
from mlp_core.domain.admission import Gang, Limits, Snapshot, demands_of
from mlp_core.domain.errors import CanNeverFit
from mlp_core.domain.guarantees import shares_of
from mlp_core.domain.packing import NodeDemand, PoolShape, Shape
from mlp_core.tables import AttemptRow, ClusterRow, EnvironmentRow, JobRow, PoolRow, ProjectRow

_ADMISSION_LOCK = 0x6D6C7001
_CLUSTER_PRIORITY = 1


async def lock_admission(session: AsyncSession) -> None:
    """One admission at a time over all operators, until this transaction ends."""
    await session.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _ADMISSION_LOCK})


async def load_pools(session: AsyncSession) -> tuple[PoolShape, ...]:
    rows = (await session.scalars(select(PoolRow).order_by(PoolRow.name))).all()
    return tuple(pool_of(row) for row in rows)


async def load_limits(session: AsyncSession) -> dict[str, Limits]:
    rows = await session.execute(
        select(ProjectRow.id, ProjectRow.limits).where(ProjectRow.limits != text("'{}'::jsonb"))
    )
    return {project_id: limits_of(limits) for project_id, limits in rows}


async def load_guarantees(session: AsyncSession, pools: Iterable[PoolShape]) -> dict[str, dict[str, Shape]]:
    """The shares of pools that projects are guaranteed now."""
    rows = await session.execute(
        select(ProjectRow.id, ProjectRow.guarantees).where(
            ProjectRow.guarantees != text("'{}'::jsonb"), ProjectRow.deleted_at.is_(None)
        )
    )
    return shares_of({row.id: row.guarantees for row in rows}, pools)


async def load_snapshot(session: AsyncSession) -> Snapshot:
    """Everything admission looks at, in seven queries."""
    pools = await load_pools(session)
    return Snapshot(
        pools=pools,
        holding=(*await _holding_jobs(session, pools), *await _clusters(session, pools, holding=True)),
        waiting=await load_waiting(session, pools),
        limits=await load_limits(session),
        guarantees=await load_guarantees(session, pools),
    )


async def load_waiting(session: AsyncSession, pools: tuple[PoolShape, ...]) -> tuple[Gang, ...]:
    """Everybody who waits for machines, in no order."""
    return (*await _waiting_jobs(session, pools), *await _clusters(session, pools, holding=False))


def pool_of(row: PoolRow) -> PoolShape:
    return PoolShape(
        name=row.name,
        machine=Shape(row.cpu, row.memory_bytes, float(row.gpu)),
        machines=row.machines,
        price_per_hour=row.price_per_hour,
        is_default=row.is_default,
        accelerator=row.accelerator,
    )


def limits_of(stored: dict[str, Any]) -> Limits:
    limits = ProjectLimits.model_validate(stored)
    memory = None if limits.memory_gib is None else int(limits.memory_gib * 2**30)
    return Limits(cpu=limits.cpu, memory_bytes=memory, gpu=limits.gpu)


async def _holding_jobs(session: AsyncSession, pools: tuple[PoolShape, ...]) -> list[Gang]:
    statement = (
        select(JobRow, AttemptRow.memory_factor, AttemptRow.created_at)
        .join(AttemptRow, and_(AttemptRow.job_id == JobRow.id, AttemptRow.ended_at.is_(None)))
        .where(JobRow.ended_at.is_(None), JobRow.cluster_id.is_(None))
    )
    return [
        _job_gang(row, pools, factor, admitted_at)
        for row, factor, admitted_at in (await session.execute(statement)).all()
    ]


async def _waiting_jobs(session: AsyncSession, pools: tuple[PoolShape, ...]) -> list[Gang]:
    """Queued jobs that could start at once; those still without an environment hold nobody up."""
    statement = (
        select(JobRow)
        .outerjoin(EnvironmentRow, EnvironmentRow.id == JobRow.environment_id)
        .where(
            JobRow.phase == JobPhase.QUEUED.value,
            JobRow.cluster_id.is_(None),
            JobRow.stop_requested_at.is_(None),
            or_(JobRow.environment_id.is_(None), EnvironmentRow.phase == EnvironmentPhase.READY.value),
            or_(JobRow.not_before.is_(None), JobRow.not_before <= func.now()),
        )
    )
    return [_job_gang(row, pools, row.next_memory_factor, None) for row in (await session.scalars(statement)).all()]


async def _clusters(session: AsyncSession, pools: tuple[PoolShape, ...], *, holding: bool) -> list[Gang]:
    queued = ClusterRow.phase == ClusterPhase.QUEUED.value
    statement = select(ClusterRow).where(ClusterRow.ended_at.is_(None), ~queued if holding else queued)
    rows = (await session.scalars(statement)).all()
    return [
        Gang(
            id=row.id,
            name=row.name,
            project_id=row.project_id,
            demands=_demands(Resources.model_validate(row.spec), pools, 1.0),
            priority=_CLUSTER_PRIORITY,
            queued_at=row.created_at,
            admitted_at=row.admitted_at,
        )
        for row in rows
    ]


def _job_gang(row: JobRow, pools: tuple[PoolShape, ...], factor: float, admitted_at: Any) -> Gang:
    return Gang(
        id=row.id,
        name=row.name,
        project_id=row.project_id,
        demands=_demands(Resources.model_validate(row.spec["resources"]), pools, factor),
        priority=row.priority,
        queued_at=row.created_at,
        admitted_at=admitted_at,
    )


def _demands(resources: Resources, pools: tuple[PoolShape, ...], factor: float) -> tuple[NodeDemand, ...]:
    """A pool that was deleted meanwhile leaves a gang that fits nowhere, which says so, instead of an error."""
    try:
        return demands_of(resources, pools, factor)
    except CanNeverFit as gone:
        return (NodeDemand(str(gone.data["group"]), str(gone.data["pool"]), 1, Shape(0.0, 0, 0.0)),)
