"""Queries of dashboards, each through the door of a project."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from mlp_core.scope import ProjectScope
from mlp_core.tables import AttemptRow, ClusterRow, DashboardRow


async def put(
    session: AsyncSession, name: str, *, attempt_id: str | None, cluster_id: str | None, url: str, token: str
) -> None:
    values = {"attempt_id": attempt_id, "cluster_id": cluster_id, "url": url, "token": token}
    statement = insert(DashboardRow).values(id=name, **values)
    await session.execute(statement.on_conflict_do_update(index_elements=[DashboardRow.id], set_=values))


async def of_attempt(session: AsyncSession, scope: ProjectScope, job_id: str) -> DashboardRow | None:
    """Of the job's attempt that has not ended."""
    statement = select(DashboardRow).join(AttemptRow, AttemptRow.id == DashboardRow.attempt_id)
    live = statement.where(AttemptRow.job_id == job_id, AttemptRow.ended_at.is_(None))
    return await session.scalar(scope.limit(live, AttemptRow.project_id))


async def of_cluster(session: AsyncSession, scope: ProjectScope, cluster_id: str) -> DashboardRow | None:
    """Of the named cluster, while it has not ended."""
    statement = select(DashboardRow).join(ClusterRow, ClusterRow.id == DashboardRow.cluster_id)
    live = statement.where(ClusterRow.id == cluster_id, ClusterRow.ended_at.is_(None))
    return await session.scalar(scope.limit(live, ClusterRow.project_id))
