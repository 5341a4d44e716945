"""What the cluster reconciler reads and writes. Spans tenants: it works for the platform, never for a caller."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.phases import ClusterPhase
from mlp.schemas.resources import Resources
from mlp_core.domain.admission import Verdict, verdicts
from mlp_core.domain.cluster import Cluster, ClusterDecision
from mlp_core.domain.ids import ClusterId, ProjectId
from mlp_core.events.service import record as record_event
from mlp_core.kit.database import Database, notify_due, wake_after_commit
from mlp_core.kit.leases import Lease, hold, release
from mlp_core.scheduling.snapshot import load_snapshot, lock_admission
from mlp_core.tables import ClusterRow, JobRow, ProjectRow


@dataclass(frozen=True, slots=True)
class ClusterContext:
    cluster: Cluster
    now: datetime


async def load(database: Database, lease: Lease) -> ClusterContext | None:
    async with database.transaction() as session:
        row = await session.get(ClusterRow, lease.key)
        if row is None:
            return None
        project = await session.get_one(ProjectRow, row.project_id)
        live_jobs = await session.scalar(
            select(func.count()).where(JobRow.cluster_id == row.id, JobRow.ended_at.is_(None))
        )
        now = await session.scalar(select(func.now()))
        return ClusterContext(_cluster_of(row, project.slug, live_jobs or 0), now or row.created_at)


async def admit(database: Database, lease: Lease, cluster: Cluster, decision: ClusterDecision) -> Verdict | None:
    """Write an admission, if it still holds under the admission lock; else answer the verdict that changed."""
    async with database.transaction() as session:
        await lock_admission(session)
        verdict = verdicts(await load_snapshot(session)).get(cluster.id)
        if verdict is None or not verdict.admitted:
            return verdict or Verdict(False, "Waiting", "Waits to be looked at.", 0)
        await _write(session, lease, cluster, decision)
    return None


async def record(database: Database, lease: Lease, cluster: Cluster, decision: ClusterDecision) -> bool:
    """Write a decision down; False where the lease was lost or the intent changed meanwhile."""
    async with database.transaction() as session:
        return await _write(session, lease, cluster, decision)


async def _write(session: AsyncSession, lease: Lease, cluster: Cluster, decision: ClusterDecision) -> bool:
    row = await hold(session, ClusterRow, lease)
    if row is None:
        return False
    if row.generation != cluster.generation:
        release(row, timedelta(0))
        return False
    changed = (row.phase, row.reason) != (decision.phase.value, decision.reason)
    _write_row(row, decision)
    release(row, None if decision.phase.is_terminal else decision.again_in or timedelta(seconds=2))
    if changed:
        await _write_event(session, row, decision)
        await _wake_jobs_of(session, row)
    wake_after_commit(session, f"project:{row.project_id}")
    return True


def _write_row(row: ClusterRow, decision: ClusterDecision) -> None:
    now: Any = func.now()
    if row.phase != decision.phase.value:
        row.phase_since = now
    if row.phase == ClusterPhase.QUEUED.value and decision.phase is ClusterPhase.PROVISIONING:
        row.admitted_at = now
    row.phase, row.reason, row.message = decision.phase.value, decision.reason, decision.message
    row.nodes_ready = decision.nodes_ready
    row.observed_generation = row.generation
    if decision.phase is ClusterPhase.READY and row.ready_at is None:
        row.ready_at = now
    if decision.phase.is_terminal:
        row.ended_at = now


async def _write_event(session: AsyncSession, row: ClusterRow, decision: ClusterDecision) -> None:
    await record_event(
        session,
        project_id=row.project_id,
        resource="cluster",
        resource_id=row.id,
        resource_name=row.name,
        reason=decision.reason,
        message=decision.message,
        actor="operator",
        data={"phase": decision.phase.value},
    )


async def _wake_jobs_of(session: AsyncSession, row: ClusterRow) -> None:
    """Jobs that wait for this cluster, or for the machines it gave back, look again now."""
    waiting = JobRow.cluster_id == row.id
    if row.ended_at is not None:
        waiting = waiting | (JobRow.phase == "queued")
    await session.execute(
        update(JobRow)
        .where(waiting, JobRow.due_at > func.now())
        .values(due_at=func.now())
        .execution_options(synchronize_session=False)
    )
    await notify_due(session)


def _cluster_of(row: ClusterRow, project: str, live_jobs: int) -> Cluster:
    return Cluster(
        id=ClusterId(row.id),
        project_id=ProjectId(row.project_id),
        project=project,
        name=row.name,
        generation=row.generation,
        resources=Resources.model_validate(row.spec),
        phase=ClusterPhase(row.phase),
        reason=row.reason,
        message=row.message,
        admitted_at=row.admitted_at,
        stop_requested_by=row.stop_requested_by if row.stop_requested_at is not None else None,
        live_jobs=live_jobs,
        nodes_ready=row.nodes_ready,
    )
