"""The pools that tests of jobs and clusters share."""

from __future__ import annotations

from mlp_api.platform import Platform
from mlp_core.kit.ids import new_id
from mlp_core.tables import PoolRow

GIB = 2**30


async def make_pools(platform: Platform) -> None:
    """`cpu` (2 machines of 8 cores, 32 GiB; the default) and `gpu` (1 of 8 cores, 64 GiB, 4 GPUs; the default)."""
    async with platform.database.transaction() as session:
        session.add(
            PoolRow(
                id=new_id("pool"),
                name="cpu",
                cpu=8,
                memory_bytes=32 * GIB,
                machines=2,
                price_per_hour=0.4,
                is_default=True,
            )
        )
        session.add(
            PoolRow(
                id=new_id("pool"),
                name="gpu",
                cpu=8,
                memory_bytes=64 * GIB,
                gpu=4,
                accelerator="logical",
                machines=1,
                price_per_hour=4,
                is_default=True,
            )
        )
