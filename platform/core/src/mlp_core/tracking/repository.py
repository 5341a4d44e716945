"""What the platform's tables know of runs. Spans tenants: it works for the platform, never for a caller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, exists, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from mlp.schemas.phases import AttemptOutcome, JobPhase
from mlp_core.tables import AttemptRow, JobRow, OutboxRow, ProjectRow


@dataclass(frozen=True, slots=True)
class EndedAttempt:
    project_id: str
    run_id: str
    outcome: AttemptOutcome
    ended_at: datetime


@dataclass(frozen=True, slots=True)
class EndedJob:
    project_id: str
    parent_run_id: str
    phase: JobPhase
    ended_at: datetime


@dataclass(frozen=True, slots=True)
class LiveAttempt:
    """An attempt whose processes may log, with the runs it was given."""

    project_id: str
    job_id: str
    attempt_id: str
    run_id: str | None


async def find_ended_attempt(session: AsyncSession, attempt_id: str) -> EndedAttempt | None:
    """The attempt, if it has ended and has a run."""
    row = await session.get(AttemptRow, attempt_id)
    if row is None or row.run_id is None or row.ended_at is None or row.outcome is None:
        return None
    return EndedAttempt(row.project_id, row.run_id, AttemptOutcome(row.outcome), row.ended_at)


async def find_ended_job(session: AsyncSession, job_id: str) -> EndedJob | None:
    """The job, if it has ended and has a run."""
    row = await session.get(JobRow, job_id)
    if row is None or row.parent_run_id is None or row.ended_at is None:
        return None
    return EndedJob(row.project_id, row.parent_run_id, JobPhase(row.phase), row.ended_at)


async def list_run_ids(session: AsyncSession, job_id: str) -> Sequence[str]:
    """Runs of the job's attempts, earliest first."""
    statement = (
        select(AttemptRow.run_id)
        .where(AttemptRow.job_id == job_id, AttemptRow.run_id.is_not(None))
        .order_by(AttemptRow.number)
    )
    return [run_id for run_id in await session.scalars(statement) if run_id is not None]


async def find_live_attempt(session: AsyncSession, attempt_id: str) -> LiveAttempt | None:
    """The attempt, if it has not ended."""
    row = await session.scalar(select(AttemptRow).where(AttemptRow.id == attempt_id, AttemptRow.ended_at.is_(None)))
    return None if row is None else LiveAttempt(row.project_id, row.job_id, row.id, row.run_id)


async def replace_runs(session: AsyncSession, attempt: LiveAttempt, run_id: str, parent_run_id: str) -> None:
    await session.execute(update(AttemptRow).where(AttemptRow.id == attempt.attempt_id).values(run_id=run_id))
    await session.execute(update(JobRow).where(JobRow.id == attempt.job_id).values(parent_run_id=parent_run_id))


async def mark_workspace_ready(session: AsyncSession, project_id: str) -> None:
    await session.execute(
        update(ProjectRow)
        .where(ProjectRow.id == project_id, ProjectRow.mlflow_ready_at.is_(None))
        .values(mlflow_ready_at=func.now())
    )


# -- repair --------------------------------------------------------------------------------------------------------

_PAGE = 500


async def list_projects_without_workspace(session: AsyncSession) -> Sequence[str]:
    statement = (
        select(ProjectRow.id).where(ProjectRow.mlflow_ready_at.is_(None), ProjectRow.deleted_at.is_(None)).limit(_PAGE)
    )
    return (await session.scalars(statement)).all()


async def list_unclosed_attempts(
    session: AsyncSession, kind: str, look_back: timedelta, settling: timedelta
) -> Sequence[str]:
    """Attempts that ended lately and whose end nobody asked the outbox to follow up."""
    statement = select(AttemptRow.id).where(
        AttemptRow.ended_at.between(func.now() - look_back, func.now() - settling), ~_is_asked(kind, AttemptRow.id)
    )
    return (await session.scalars(statement.limit(_PAGE))).all()


async def list_unclosed_jobs(
    session: AsyncSession, kind: str, look_back: timedelta, settling: timedelta
) -> Sequence[str]:
    statement = select(JobRow.id).where(
        JobRow.ended_at.between(func.now() - look_back, func.now() - settling),
        JobRow.parent_run_id.is_not(None),
        ~_is_asked(kind, JobRow.id),
    )
    return (await session.scalars(statement.limit(_PAGE))).all()


def _is_asked(kind: str, key: InstrumentedAttribute[str]) -> ColumnElement[bool]:
    return exists().where(OutboxRow.kind == kind, OutboxRow.key == key)
