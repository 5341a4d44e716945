"""Keeps the places of what waits, in the order of whoever admits: the platform itself, or the engine's queue."""

from __future__ import annotations

import asyncio

import structlog
from sqlalchemy.exc import SQLAlchemyError

from mlp_core.domain.admission import Gang
from mlp_core.domain.places import Place, Waiter, places_of
from mlp_core.kit.database import Database
from mlp_core.scheduling.places import lock_places, write_places
from mlp_operator.engines.port import ComputeEngine, EngineError
from mlp_operator.verdicts import Verdicts

PLACES_SECONDS = 2.0

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
            try:
                await self.keep()
            except (SQLAlchemyError, OSError, EngineError) as error:
                log.warning("places_not_kept", error=str(error))
            await asyncio.sleep(PLACES_SECONDS)

    async def keep(self) -> None:
        """Write down where everybody stands now."""
        places = await self._places()
        async with self._database.transaction() as session:
            if await lock_places(session):
                await write_places(session, places)

    async def _places(self) -> dict[str, Place]:
        gangs, verdicts = await self._verdicts.all()
        if not gangs:
            return {}
        waiting = {gang.id: gang for gang in gangs}
        queue = self._engine.queue
        order = [id_ for id_, said in verdicts.items() if not said.admitted] if queue is None else await queue.order()
        scarce = {id_: said.pool for id_, said in verdicts.items() if said.pool is not None}
        return places_of((_waiter(waiting[id_]) for id_ in order if id_ in waiting), scarce)


def _waiter(gang: Gang) -> Waiter:
    return Waiter(gang.id, tuple(demand.pool for demand in gang.demands))
