"""Keeps the places of what waits, in the order of whoever admits: the platform itself, or the engine's queue."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping

import structlog
from sqlalchemy.exc import SQLAlchemyError

from mlp_core.domain.admission import Gang
from mlp_core.domain.places import Place, Waiter, places_of
from mlp_core.kit.database import Database
from mlp_core.scheduling.places import lock_places, write_places
from mlp_core.scheduling.snapshot import load_pools, load_waiting
from mlp_operator.engines.port import ComputeEngine, EngineError, EngineQueue
from mlp_operator.verdicts import Verdicts

PLACES_SECONDS = 2.0
_REST = 10

log = structlog.get_logger(__name__)


class QueuePlaces:
    """Any number of operators may run it; one at a time writes."""

    def __init__(self, database: Database, engine: ComputeEngine, verdicts: Verdicts) -> None:
        self._database = database
        self._engine = engine
        self._verdicts = verdicts

    async def keep_forever(self) -> None:
        """Until cancelled."""
        while True:
            begun = time.monotonic()
            try:
                await self.keep()
            except (SQLAlchemyError, OSError, EngineError) as error:
                log.warning("places_not_kept", error=str(error))
            # With a queue so long that this takes its time, places are told less often.
            await asyncio.sleep(max(PLACES_SECONDS, _REST * (time.monotonic() - begun)))

    async def keep(self) -> None:
        """Write down where everybody stands now."""
        places = await self._places()
        async with self._database.transaction() as session:
            if await lock_places(session):
                await write_places(session, places)

    async def _places(self) -> dict[str, Place]:
        if self._engine.queue is not None:
            return await self._places_in(self._engine.queue)
        gangs, verdicts = await self._verdicts.all()
        order = [id_ for id_, said in verdicts.items() if not said.admitted]
        scarce = {id_: said.pool for id_, said in verdicts.items() if said.pool is not None}
        return _places(gangs, order, scarce)

    async def _places_in(self, queue: EngineQueue) -> dict[str, Place]:
        """By an engine's own order. Which pool somebody lacks is for that engine to know."""
        async with self._database.transaction() as session:
            gangs = await load_waiting(session, await load_pools(session))
        return _places(gangs, await queue.order(), {}) if gangs else {}


def _places(gangs: Iterable[Gang], order: Iterable[str], scarce: Mapping[str, str]) -> dict[str, Place]:
    waiting = {gang.id: gang for gang in gangs}
    return places_of((_waiter(waiting[id_]) for id_ in order if id_ in waiting), scarce)


def _waiter(gang: Gang) -> Waiter:
    return Waiter(gang.id, tuple(demand.pool for demand in gang.demands))
