"""Every query about pools. Pools belong to the platform, not to a project."""

from __future__ import annotations

from sqlalchemy import or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from mlp_core.kit.ids import is_id
from mlp_core.kit.pages import PageRequest, Slice, SortKey, keyset_page
from mlp_core.tables import ClusterRow, JobRow, PoolRow, ProjectRow
from mlp_core.tables.base import Json

POOL_ORDER = (SortKey(PoolRow.name),)


async def page_of_pools(session: AsyncSession, page: PageRequest) -> Slice[PoolRow]:
    return await keyset_page(session, select(PoolRow), POOL_ORDER, page)


async def find_pool(session: AsyncSession, pool: str, *, lock: bool = False) -> PoolRow | None:
    """By id or by name."""
    statement = select(PoolRow).where((PoolRow.id if is_id(pool, "pool") else PoolRow.name) == pool)
    return await session.scalar(statement.with_for_update() if lock else statement)


async def drop_default(session: AsyncSession, *, with_gpus: bool) -> None:
    """Take the mark from the default of one sort, if there is one."""
    kind = PoolRow.gpu > 0 if with_gpus else PoolRow.gpu == 0
    await session.execute(
        update(PoolRow).where(PoolRow.is_default, kind).values(is_default=False, version=PoolRow.version + 1)
    )


async def live_jobs_using(session: AsyncSession, pool: str, at_most: int) -> list[str]:
    """Ids of unfinished jobs with a node in this pool."""
    statement = select(JobRow.id).where(JobRow.ended_at.is_(None), _names(JobRow.spec, pool, inside="resources"))
    return list((await session.scalars(statement.limit(at_most))).all())


async def live_clusters_using(session: AsyncSession, pool: str, at_most: int) -> list[str]:
    statement = select(ClusterRow.id).where(ClusterRow.ended_at.is_(None), _names(ClusterRow.spec, pool))
    return list((await session.scalars(statement.limit(at_most))).all())


async def projects_guaranteed(session: AsyncSession, pool: str, at_most: int) -> list[str]:
    """Names of projects that are guaranteed machines of this pool."""
    statement = select(ProjectRow.slug).where(ProjectRow.deleted_at.is_(None), ProjectRow.guarantees.has_key(pool))
    return list((await session.scalars(statement.order_by(ProjectRow.slug).limit(at_most))).all())


def _names(spec: InstrumentedAttribute[Json], pool: str, inside: str | None = None):
    """Whether the head or a group of a stored `Resources` names the pool."""
    head: Json = {"head": {"pool": pool}}
    group: Json = {"groups": [{"pool": pool}]}
    return or_(*(spec.contains({inside: part} if inside else part) for part in (head, group)))
