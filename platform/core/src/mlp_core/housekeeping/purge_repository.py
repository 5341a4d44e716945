"""Queries of purging: the one place that removes rows of a whole project."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, delete, exists, func, inspect, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from mlp_core.tables import (
    ArtifactRow,
    AttemptRow,
    Base,
    ClusterRow,
    DashboardRow,
    EnvironmentRow,
    EventRow,
    JobRow,
    LogSegmentRow,
    LogSourceRow,
    MemberRow,
    PackageRow,
    ProjectRow,
    SampleRow,
    TokenRow,
)

_OF_ATTEMPTS = (LogSegmentRow, LogSourceRow, ArtifactRow, SampleRow)
_OF_PROJECT = (JobRow, ClusterRow, PackageRow, EnvironmentRow, EventRow, TokenRow, MemberRow)
CHILDREN_FIRST: tuple[type[Base], ...] = (*_OF_ATTEMPTS, DashboardRow, AttemptRow, *_OF_PROJECT)
"""Every table with rows of a project, none before one that refers to it."""


async def list_deleted(session: AsyncSession, grace: timedelta, limit: int) -> list[str]:
    """Projects deleted longer ago than `grace`, the longest first."""
    statement = select(ProjectRow.id).where(*_past(grace)).order_by(ProjectRow.deleted_at).limit(limit)
    return list(await session.scalars(statement))


async def is_past(session: AsyncSession, project_id: str, grace: timedelta) -> bool:
    """Whether the project was deleted longer ago than `grace` and nothing of it is alive."""
    found = await session.scalar(select(ProjectRow.id).where(ProjectRow.id == project_id, *_past(grace)))
    return found is not None


async def delete_some(session: AsyncSession, table: type[Base], project_id: str, limit: int) -> int:
    """Remove at most `limit` of the project's rows; how many it were."""
    key = inspect(table).primary_key
    doomed = select(*key).where(_is_of(table, project_id)).limit(limit)
    statement = delete(table).where(tuple_(*key).in_(doomed.subquery().select())).returning(key[0])
    return len((await session.execute(statement.execution_options(synchronize_session=False))).all())


async def delete_project(session: AsyncSession, project_id: str) -> None:
    await session.execute(delete(ProjectRow).where(ProjectRow.id == project_id, ProjectRow.deleted_at.is_not(None)))


def _is_of(table: type[Base], project_id: str) -> ColumnElement[bool]:
    columns = table.__table__.columns
    if table in _OF_ATTEMPTS:
        return columns["attempt_id"].in_(_attempts(project_id))
    if table is DashboardRow:
        clusters = select(ClusterRow.id).where(ClusterRow.project_id == project_id)
        return or_(DashboardRow.attempt_id.in_(_attempts(project_id)), DashboardRow.cluster_id.in_(clusters))
    if table is AttemptRow:
        return AttemptRow.job_id.in_(_jobs(project_id))
    return columns["project_id"] == project_id


def _jobs(project_id: str) -> Select[Any]:
    return select(JobRow.id).where(JobRow.project_id == project_id)


def _attempts(project_id: str) -> Select[Any]:
    """By way of the jobs, which have an index that begins with the project."""
    return select(AttemptRow.id).where(AttemptRow.job_id.in_(_jobs(project_id)))


def _past(grace: timedelta) -> tuple[ColumnElement[bool], ...]:
    lives = [exists().where(row.project_id == ProjectRow.id, row.ended_at.is_(None)) for row in (JobRow, ClusterRow)]
    return ProjectRow.deleted_at < func.now() - grace, *(~one for one in lives)
