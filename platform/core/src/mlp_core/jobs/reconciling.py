"""What the job reconciler reads and writes. Spans tenants: it works for the platform, never for a caller.

`record` is the one door through which a job changes phase: guarded by lease token and generation, checked
against the edge table, with its event and outbox rows in the same transaction.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.jobs import Failure, JobCreate, RegisteredModel
from mlp.schemas.phases import AttemptOutcome, ClusterPhase, EnvironmentPhase, FailureClass, JobPhase
from mlp_core.domain.admission import Verdict, verdicts
from mlp_core.domain.execution import EnvironmentLock
from mlp_core.domain.ids import AttemptId, JobId, ProjectId
from mlp_core.domain.job import Attempt, Decision, EnvironmentSeen, Job, SharedCluster, StopRequest
from mlp_core.domain.transitions import require_edge
from mlp_core.events.service import record as record_event
from mlp_core.kit.database import Database, notify_due, wake_after_commit
from mlp_core.kit.ids import new_id
from mlp_core.kit.leases import Lease, hold, release
from mlp_core.scheduling.snapshot import load_snapshot, lock_admission
from mlp_core.tables import AttemptRow, ClusterRow, EnvironmentRow, JobRow, ProjectRow
from mlp_core.tracking import closing

OPERATOR = "operator"
_WOKEN_AT_ONCE = 200
"""How many queued jobs look again at once when machines become free; the rest do at their own next look."""


@dataclass(frozen=True, slots=True)
class JobContext:
    """A job and what of the database its decision looks at, all read at `now` of the database's clock."""

    job: Job
    now: datetime
    environment: EnvironmentSeen | None
    lock: EnvironmentLock | None
    shared_cluster: SharedCluster | None
    parent_run_id: str | None
    package_digest: str | None
    created_by: str


@dataclass(frozen=True, slots=True)
class Effects:
    """What the commands brought about and the record should keep."""

    run_id: str | None = None
    parent_run_id: str | None = None
    model: RegisteredModel | None = None


async def load(database: Database, lease: Lease) -> JobContext | None:
    """The job as it stands; None where the row is gone."""
    async with database.transaction() as session:
        row = await session.get(JobRow, lease.key)
        if row is None:
            return None
        project = await session.get_one(ProjectRow, row.project_id)
        attempt = await _live_attempt(session, row.id)
        environment = None if row.environment_id is None else await session.get(EnvironmentRow, row.environment_id)
        cluster = None if row.cluster_id is None else await session.get(ClusterRow, row.cluster_id)
        now = await session.scalar(select(func.now()))
        return JobContext(
            job=job_of(row, project.slug, attempt),
            now=now or row.created_at,
            environment=_environment_seen(environment),
            lock=_lock_of(environment),
            shared_cluster=None
            if cluster is None
            else SharedCluster(cluster.name, ClusterPhase(cluster.phase), cluster.message),
            parent_run_id=row.parent_run_id,
            package_digest=row.package_digest,
            created_by=row.created_by,
        )


async def admit(database: Database, lease: Lease, context: JobContext, decision: Decision) -> Verdict | None:
    """Write an admission, if it still holds under the admission lock; else answer the verdict that changed."""
    async with database.transaction() as session:
        if context.job.has_own_cluster:
            verdict = await _verdict_now(session, context.job.id)
            if not verdict.admitted:
                return verdict
        await _write(session, lease, context.job, decision, Effects())
    return None


async def record(database: Database, lease: Lease, job: Job, decision: Decision, effects: Effects) -> bool:
    """Write a decision down; False where the lease was lost or the intent changed meanwhile."""
    async with database.transaction() as session:
        return await _write(session, lease, job, decision, effects)


def job_of(row: JobRow, project: str, attempt: AttemptRow | None) -> Job:
    spec = JobCreate.model_validate(row.spec)
    stop = None
    if row.stop_requested_at is not None:
        grace = row.stop_grace_seconds if row.stop_grace_seconds is not None else spec.grace.total_seconds()
        stop = StopRequest(row.stop_requested_at, row.stop_requested_by or "someone", grace)
    return Job(
        id=JobId(row.id),
        project_id=ProjectId(row.project_id),
        project=project,
        name=row.name,
        generation=row.generation,
        spec=spec,
        phase=JobPhase(row.phase),
        reason=row.reason,
        message=row.message,
        created_at=row.created_at,
        attempt=None if attempt is None else _attempt_of(attempt),
        attempt_number=row.attempt_number,
        failures_used=row.failures_used,
        not_before=row.not_before,
        stop=stop,
        shared_cluster_id=row.cluster_id,
        model_registered=row.model is not None,
        next_memory_factor=row.next_memory_factor,
    )


# -- the guarded write --------------------------------------------------------------------------------------------


async def _write(session: AsyncSession, lease: Lease, job: Job, decision: Decision, effects: Effects) -> bool:
    row = await hold(session, JobRow, lease)
    if row is None:
        return False
    if row.generation != job.generation:
        release(row, timedelta(0))
        return False
    require_edge(JobPhase(row.phase), decision.phase)
    said = (row.phase, row.reason)
    attempt = await _write_attempt(session, row, decision, effects)
    _write_job(row, decision, effects)
    release(row, None if decision.phase.is_terminal else decision.again_in or timedelta(seconds=2))
    if said != (decision.phase.value, decision.reason):
        await _write_event(session, row, decision, attempt)
    if attempt is not None and _ends_attempt(decision):
        await closing.attempt_ended(session, attempt.id)
        await _wake_waiting(session)
    if decision.phase.is_terminal:
        await closing.job_ended(session, row.id)
    wake_after_commit(session, f"project:{row.project_id}")
    return True


def _write_job(row: JobRow, decision: Decision, effects: Effects) -> None:
    now: Any = func.now()
    if row.phase != decision.phase.value:
        row.phase_since = now
    row.phase, row.reason, row.message = decision.phase.value, decision.reason, decision.message
    row.observed_generation = row.generation
    row.updated_at = now
    if effects.parent_run_id is not None:
        row.parent_run_id = effects.parent_run_id
    if effects.model is not None:
        row.model = effects.model.model_dump(mode="json")
    if decision.phase is JobPhase.ADMITTED:
        row.admitted_at = now
    if decision.started_at is not None and row.started_at is None:
        row.started_at = decision.started_at
    if decision.phase.is_terminal:
        row.ended_at = now
        _write_end(row, decision)
    if decision.next_attempt is not None:
        row.next_memory_factor = decision.next_attempt.memory_factor
        row.not_before = decision.next_attempt.not_before
        row.failures_used += int(decision.next_attempt.counts)


def _write_end(row: JobRow, decision: Decision) -> None:
    if decision.ending is None:
        return
    row.exit_code, row.signal = decision.ending.exit_code, decision.ending.signal
    row.failure = _failure_json(decision.ending.failure) if decision.phase is JobPhase.FAILED else None


async def _write_attempt(session: AsyncSession, row: JobRow, decision: Decision, effects: Effects) -> AttemptRow | None:
    attempt = await _live_attempt(session, row.id)
    now: Any = func.now()
    if attempt is None:
        if decision.phase is not JobPhase.ADMITTED:
            return None
        attempt = AttemptRow(
            id=new_id("attempt"),
            job_id=row.id,
            project_id=row.project_id,
            number=row.attempt_number + 1,
            phase=decision.phase.value,
            memory_factor=row.next_memory_factor,
            created_at=now,
            phase_since=now,
        )
        row.attempt_number = attempt.number
        session.add(attempt)
        environment = None if row.environment_id is None else await session.get(EnvironmentRow, row.environment_id)
        attempt.environment_digest = environment.digest if environment is not None else None
    elif attempt.phase != decision.phase.value:
        attempt.phase_since = now
    attempt.phase, attempt.reason, attempt.message = decision.phase.value, decision.reason, decision.message
    if effects.run_id is not None:
        attempt.run_id = effects.run_id
    if decision.started_at is not None:
        attempt.started_at = decision.started_at
    if decision.ending is not None:
        _write_ending(attempt, decision)
    if _ends_attempt(decision):
        attempt.ended_at = now
    return attempt


def _ends_attempt(decision: Decision) -> bool:
    """A job that ends, or goes back to the queue for another try, has no live attempt any more."""
    return decision.phase.is_terminal or decision.phase is JobPhase.QUEUED


def _write_ending(attempt: AttemptRow, decision: Decision) -> None:
    ending = decision.ending
    if ending is None:
        return
    attempt.outcome = ending.outcome.value
    attempt.failure = _failure_json(ending.failure)
    attempt.exit_code, attempt.signal = ending.exit_code, ending.signal
    if decision.phase is JobPhase.QUEUED:
        # The attempt is over although the job goes on: it says how it ended, not what the job does next.
        preempted = ending.failure is not None and ending.failure.failure_class is FailureClass.PREEMPTED
        attempt.phase = JobPhase.FAILED.value
        attempt.outcome = (AttemptOutcome.PREEMPTED if preempted else AttemptOutcome.FAILED).value


async def _write_event(session: AsyncSession, row: JobRow, decision: Decision, attempt: AttemptRow | None) -> None:
    failure = decision.ending.failure if decision.ending else None
    data: dict[str, Any] = {"phase": decision.phase.value}
    if failure is not None:
        data["class"] = failure.failure_class.value
    await record_event(
        session,
        project_id=row.project_id,
        resource="job",
        resource_id=row.id,
        resource_name=row.name,
        attempt=attempt.number if attempt is not None else None,
        reason=decision.reason,
        message=decision.message,
        actor=OPERATOR,
        data=data,
    )


async def _wake_waiting(session: AsyncSession) -> None:
    """Machines became free: the first in the queue look again now."""
    first = (
        select(JobRow.id)
        .where(JobRow.phase == JobPhase.QUEUED.value, JobRow.due_at > func.now())
        .order_by(JobRow.priority.desc(), JobRow.created_at)
        .limit(_WOKEN_AT_ONCE)
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )
    await session.execute(
        update(JobRow)
        .where(JobRow.id.in_(first))
        .values(due_at=func.greatest(func.now(), func.coalesce(JobRow.not_before, func.now())))
        .execution_options(synchronize_session=False)
    )
    await session.execute(
        update(ClusterRow)
        .where(ClusterRow.phase == ClusterPhase.QUEUED.value, ClusterRow.due_at > func.now())
        .values(due_at=func.now())
        .execution_options(synchronize_session=False)
    )
    await notify_due(session)


# -- reading ------------------------------------------------------------------------------------------------------


async def _verdict_now(session: AsyncSession, job_id: JobId) -> Verdict:
    await lock_admission(session)
    found = verdicts(await load_snapshot(session))
    return found.get(job_id) or Verdict(False, "Waiting", "Waits to be looked at.", 0)


async def _live_attempt(session: AsyncSession, job_id: str) -> AttemptRow | None:
    return await session.scalar(select(AttemptRow).where(AttemptRow.job_id == job_id, AttemptRow.ended_at.is_(None)))


def _attempt_of(row: AttemptRow) -> Attempt:
    return Attempt(
        id=AttemptId(row.id),
        number=row.number,
        phase_since=row.phase_since,
        created_at=row.created_at,
        started_at=row.started_at,
        outcome=None if row.outcome is None else AttemptOutcome(row.outcome),
        failure=None if row.failure is None else Failure.model_validate(row.failure),
        exit_code=row.exit_code,
        signal=row.signal,
        run_id=row.run_id,
        memory_factor=row.memory_factor,
    )


def _environment_seen(row: EnvironmentRow | None) -> EnvironmentSeen | None:
    if row is None:
        return None
    failure_class = None if row.failure_class is None else FailureClass(row.failure_class)
    return EnvironmentSeen(EnvironmentPhase(row.phase), row.message, failure_class)


def _lock_of(row: EnvironmentRow | None) -> EnvironmentLock | None:
    if row is None or row.digest is None or row.lock is None:
        return None
    return EnvironmentLock(row.digest, row.python, row.lock)


def _failure_json(failure: Failure | None) -> dict[str, Any] | None:
    return None if failure is None else failure.model_dump(mode="json", by_alias=True)
