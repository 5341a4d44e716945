"""What the environment reconciler reads and writes. Spans tenants: it works for the platform, never for a caller."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import func, update

from mlp.schemas.phases import EnvironmentPhase, FailureClass
from mlp_core.events.service import record as record_event
from mlp_core.kit.database import Database, notify_due, wake_after_commit
from mlp_core.kit.leases import Lease, hold, release
from mlp_core.tables import EnvironmentRow, JobRow


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be resolved."""

    python: str
    requirements: tuple[str, ...]
    phase: EnvironmentPhase


@dataclass(frozen=True, slots=True)
class Resolution:
    """A lock and its digest, or why there is none."""

    phase: EnvironmentPhase
    reason: str
    message: str
    digest: str | None = None
    lock: str | None = None
    failure_class: FailureClass | None = None
    again_in: timedelta | None = None


async def load(database: Database, lease: Lease) -> Request | None:
    async with database.transaction() as session:
        row = await session.get(EnvironmentRow, lease.key)
        if row is None:
            return None
        return Request(row.python, tuple(row.requirements), EnvironmentPhase(row.phase))


async def record(database: Database, lease: Lease, resolution: Resolution) -> bool:
    """Write the outcome and wake the jobs that wait for it; False where the lease was lost."""
    async with database.transaction() as session:
        row = await hold(session, EnvironmentRow, lease)
        if row is None:
            return False
        changed = (row.phase, row.reason) != (resolution.phase.value, resolution.reason)
        row.phase, row.reason, row.message = resolution.phase.value, resolution.reason, resolution.message
        row.digest, row.lock = resolution.digest, resolution.lock
        row.failure_class = resolution.failure_class.value if resolution.failure_class else None
        release(row, resolution.again_in)
        if changed:
            await record_event(
                session,
                project_id=row.project_id,
                resource="environment",
                resource_id=row.id,
                resource_name=row.name or row.id,
                reason=resolution.reason,
                message=resolution.message[:2000],
                actor="operator",
                data={"phase": resolution.phase.value},
            )
        await session.execute(
            update(JobRow)
            .where(JobRow.environment_id == row.id, JobRow.due_at > func.now())
            .values(due_at=func.now())
            .execution_options(synchronize_session=False)
        )
        await notify_due(session)
        wake_after_commit(session, f"project:{row.project_id}")
        return True


async def settle(database: Database, lease: Lease) -> None:
    """Nothing is left to do on this row."""
    async with database.transaction() as session:
        row = await hold(session, EnvironmentRow, lease)
        if row is not None:
            release(row, None)
