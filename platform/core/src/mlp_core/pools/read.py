"""Rows of pools as wire types, with what is in use now."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.pools import PoolRead, PoolUse
from mlp_core.domain.admission import Gang
from mlp_core.scheduling import snapshot
from mlp_core.tables import PoolRow


def pool_etag(row: PoolRow) -> str:
    return f'"{row.version}"'


async def read_pools(session: AsyncSession, rows: Sequence[PoolRow]) -> list[PoolRead]:
    used = use_by_pool((await snapshot.load_snapshot(session)).holding)
    return [read_pool(row, used.get(row.name, PoolUse())) for row in rows]


def read_pool(row: PoolRow, in_use: PoolUse) -> PoolRead:
    return PoolRead(
        id=row.id,
        name=row.name,
        description=row.description,
        cpu=row.cpu,
        memory=row.memory_bytes,
        gpu=row.gpu,
        accelerator=row.accelerator,
        machines=row.machines,
        spot=row.spot,
        price_per_hour=row.price_per_hour,
        labels=row.labels,
        is_default=row.is_default,
        in_use=in_use,
        created_at=row.created_at,
        etag=pool_etag(row),
    )


def use_by_pool(holding: Sequence[Gang]) -> dict[str, PoolUse]:
    """What admitted jobs and clusters hold, over all projects: sums only, which name nobody."""
    used: dict[str, PoolUse] = {}
    for gang in holding:
        for demand in gang.demands:
            so_far = used.get(demand.pool, PoolUse())
            used[demand.pool] = PoolUse(
                cpu=so_far.cpu + demand.node.cpu * demand.count,
                memory_bytes=so_far.memory_bytes + demand.node.memory_bytes * demand.count,
                gpu=so_far.gpu + demand.node.gpu * demand.count,
            )
    return used
