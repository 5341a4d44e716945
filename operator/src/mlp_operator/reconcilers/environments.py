"""Resolves an environment's requirements to a lock, before any cluster starts."""

from __future__ import annotations

from dataclasses import dataclass

from mlp.schemas.phases import EnvironmentPhase
from mlp_core.environments import reconciling
from mlp_core.kit.database import Database
from mlp_core.kit.leases import Lease
from mlp_core.tables import EnvironmentRow
from mlp_operator.resolver import Resolver


@dataclass(frozen=True, slots=True)
class EnvironmentReconciler:
    database: Database
    resolver: Resolver

    kind = "environment"
    row = EnvironmentRow

    async def reconcile(self, lease: Lease) -> None:
        request = await reconciling.load(self.database, lease)
        if request is None:
            return
        if request.phase is not EnvironmentPhase.RESOLVING:
            await reconciling.settle(self.database, lease)
            return
        resolution = await self.resolver.resolve(request.python, request.requirements)
        await reconciling.record(self.database, lease, resolution)
