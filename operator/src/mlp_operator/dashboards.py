"""Notes where the heads of Ray clusters answer, so that the api can show their dashboards."""

from __future__ import annotations

from collections import OrderedDict

import structlog

from mlp_core.dashboards import repository
from mlp_core.domain.execution import ClusterObserved
from mlp_core.kit.database import Database
from mlp_core.kit.sealing import Sealer
from mlp_operator.engines.port import ComputeEngine, EngineError

REMEMBERED = 10_000
_log = structlog.get_logger(__name__)


class DashboardNotes:
    """Each head is noted once by each operator: its address and token do not change while it lives."""

    def __init__(self, database: Database, engine: ComputeEngine, tokens: Sealer) -> None:
        self._database = database
        self._engine = engine
        self._tokens = tokens
        self._noted: OrderedDict[str, None] = OrderedDict()

    async def note_attempt(self, attempt_id: str, observed: ClusterObserved | None) -> None:
        """Of the attempt's own cluster, once its head is ready."""
        await self._note(attempt_id, observed, attempt_id=attempt_id)

    async def note_cluster(self, cluster_id: str, observed: ClusterObserved | None) -> None:
        """Of a named cluster, once its head is ready."""
        await self._note(cluster_id, observed, cluster_id=cluster_id)

    async def _note(
        self,
        name: str,
        observed: ClusterObserved | None,
        *,
        attempt_id: str | None = None,
        cluster_id: str | None = None,
    ) -> None:
        if observed is None or not observed.head_ready or name in self._noted:
            return
        try:
            found = await self._engine.dashboard(name)
        except EngineError as error:
            # Nobody's work waits for a look at it; the next pass asks again.
            _log.info("dashboard_not_noted", cluster=name, error=str(error))
            return
        if found is None:
            return
        token = self._tokens.seal(found.token.encode())
        async with self._database.transaction() as session:
            await repository.put(
                session, name, attempt_id=attempt_id, cluster_id=cluster_id, url=found.url, token=token
            )
        self._noted[name] = None
        while len(self._noted) > REMEMBERED:
            self._noted.popitem(last=False)
