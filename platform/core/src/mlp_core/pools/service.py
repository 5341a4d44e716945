"""What admins can do with pools, and everyone can see of them."""

from __future__ import annotations

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.pools import PoolCreate, PoolPatch
from mlp_core.domain.errors import NameTaken, NotFound, StillInUse
from mlp_core.kit.clock import Clock
from mlp_core.kit.database import notify_due
from mlp_core.kit.ids import new_id
from mlp_core.kit.pages import PageRequest, Slice
from mlp_core.pools import repository
from mlp_core.tables import PoolRow

MOST_NAMED = 20


class Pools:
    """Kinds of machine. A change is looked at by operators at once: a waiting job may fit now."""

    def __init__(self, session: AsyncSession, clock: Clock) -> None:
        self._session = session
        self._clock = clock

    async def create(self, wanted: PoolCreate) -> PoolRow:
        """
        Raises:
            NameTaken: there is a pool of this name.
        """
        if wanted.is_default:
            await repository.drop_default(self._session, with_gpus=wanted.gpu > 0)
        row = PoolRow(
            id=new_id("pool"),
            name=wanted.name,
            description=wanted.description,
            cpu=wanted.cpu,
            memory_bytes=wanted.memory,
            gpu=wanted.gpu,
            accelerator=wanted.accelerator,
            machines=wanted.machines,
            spot=wanted.spot,
            price_per_hour=wanted.price_per_hour,
            labels=dict(wanted.labels),
            is_default=wanted.is_default,
            version=1,
            created_at=self._clock.now(),
        )
        try:
            async with self._session.begin_nested():
                self._session.add(row)
        except IntegrityError as error:
            raise NameTaken(f"There is a pool '{wanted.name}' already.", fields={"name": "is taken"}) from error
        await notify_due(self._session)
        return row

    async def page(self, page: PageRequest) -> Slice[PoolRow]:
        return await repository.page_of_pools(self._session, page)

    async def get(self, pool: str, *, lock: bool = False) -> PoolRow:
        row = await repository.find_pool(self._session, pool, lock=lock)
        if row is None:
            raise NotFound.of("pool", pool, "See `mlp pool list`.")
        return row

    async def change(self, row: PoolRow, patch: PoolPatch) -> PoolRow:
        """Change a pool that `get(lock=True)` returned. What runs there goes on, also in one that became smaller."""
        changes = {name: getattr(patch, name) for name in patch.model_fields_set}
        gpu = row.gpu if patch.gpu is None else patch.gpu
        is_default = row.is_default if patch.is_default is None else patch.is_default
        if is_default and (not row.is_default or (gpu > 0) != (row.gpu > 0)):
            await repository.drop_default(self._session, with_gpus=gpu > 0)
        for name, value in changes.items():
            if value is not None or name == "accelerator":
                setattr(row, "memory_bytes" if name == "memory" else name, value)
        row.version += 1
        await self._session.flush()
        await notify_due(self._session)
        return row

    async def delete(self, row: PoolRow) -> None:
        """
        Raises:
            StillInUse: unfinished jobs or clusters have nodes in it, or projects are guaranteed a share of it.
        """
        guaranteed = await repository.projects_guaranteed(self._session, row.name, MOST_NAMED)
        if guaranteed:
            raise StillInUse(
                f"Pool '{row.name}' is guaranteed to {', '.join(guaranteed[:3])}.",
                hint=f"Take it away first: `mlp project update PROJECT --guarantee {row.name}=0`.",
                data={"projects": guaranteed},
            )
        jobs = await repository.live_jobs_using(self._session, row.name, MOST_NAMED)
        clusters = await repository.live_clusters_using(self._session, row.name, MOST_NAMED)
        if jobs or clusters:
            named = ", ".join([*jobs, *clusters][:3])
            raise StillInUse(
                f"Pool '{row.name}' is used by what has not ended: {named}.",
                hint="Set its machines to 0 to keep new work away, and delete it when that has ended.",
                data={"jobs": jobs, "clusters": clusters},
            )
        await self._session.delete(row)
        await self._session.flush()
        await notify_due(self._session)
