"""Brings one named cluster closer to what its row wants."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from mlp.schemas.phases import ClusterPhase
from mlp_core.clusters import reconciling
from mlp_core.domain.admission import Verdict
from mlp_core.domain.cluster import Cluster, ClusterCommand, ClusterDecision, decide
from mlp_core.kit.database import Database
from mlp_core.kit.leases import Lease
from mlp_core.tables import ClusterRow
from mlp_operator.dashboards import DashboardNotes
from mlp_operator.engines.port import ComputeEngine, EngineAwayError
from mlp_operator.render.specs import cluster_spec
from mlp_operator.verdicts import Verdicts

_ENGINE_AWAY = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class ClusterReconciler:
    database: Database
    engine: ComputeEngine
    verdicts: Verdicts
    dashboards: DashboardNotes

    kind = "cluster"
    row = ClusterRow

    async def reconcile(self, lease: Lease) -> None:
        context = await reconciling.load(self.database, lease)
        if context is None:
            return
        try:
            await self._pass(lease, context)
        except EngineAwayError as away:
            await reconciling.record(self.database, lease, context.cluster, _waits_for_engine(context.cluster, away))

    async def _pass(self, lease: Lease, context: reconciling.ClusterContext) -> None:
        cluster = context.cluster
        queued = cluster.phase is ClusterPhase.QUEUED
        queue = self.engine.queue
        verdict = await self._verdict(cluster.id) if queued else None
        observed = await self.engine.observe_cluster(cluster.id)
        await self.dashboards.note_cluster(cluster.id, observed)
        decision = decide(cluster, observed, verdict, context.now, engine_admits=queue is not None)
        if queue is None and queued and decision.phase is ClusterPhase.PROVISIONING:
            changed = await reconciling.admit(self.database, lease, cluster, decision)
            self.verdicts.forget()
            if changed is None:
                return
            decision = decide(cluster, observed, replace(changed, admitted=False), context.now)
        await self._run(decision, cluster.id, context)
        await reconciling.record(self.database, lease, cluster, decision)

    async def _verdict(self, cluster: str) -> Verdict | None:
        if self.engine.queue is None:
            return await self.verdicts.of(cluster)
        queued = await self.engine.queue.observe(cluster)
        return None if queued is None else queued.verdict

    async def _run(self, decision: ClusterDecision, name: str, context: reconciling.ClusterContext) -> None:
        for command in decision.commands:
            match command:
                case ClusterCommand.ENSURE:
                    spec = cluster_spec(name, context.cluster.project, context.cluster.resources)
                    await self.engine.ensure_cluster(spec)
                case ClusterCommand.DELETE:
                    await self.engine.delete_cluster(name)


def _waits_for_engine(cluster: Cluster, away: EngineAwayError) -> ClusterDecision:
    """Nothing is known of it, so nothing is decided; people see why. While it stops the reason says how it will end."""
    reason = cluster.reason if cluster.phase is ClusterPhase.STOPPING else away.reason
    message = cluster.message if cluster.phase is ClusterPhase.STOPPING else str(away)
    return ClusterDecision(cluster.phase, reason, message, again_in=_ENGINE_AWAY, nodes_ready=cluster.nodes_ready)
