"""Finding what was left undone in MLflow, and asking for it again."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from mlp_core.outbox import service as outbox
from mlp_core.tracking import repository
from mlp_core.tracking.closing import ATTEMPT_ENDED, ENSURE_WORKSPACE, JOB_ENDED

LOOK_BACK = timedelta(days=2)
"""Ends older than this were asked for, or looked at, long ago."""
SETTLING = timedelta(seconds=30)


async def ask_for_missing(session: AsyncSession) -> None:
    """Ask for workspaces of projects without one, and for the closing of what ended without anybody asking."""
    for project_id in await repository.list_projects_without_workspace(session):
        await outbox.enqueue(session, ENSURE_WORKSPACE, project_id)
    for attempt_id in await repository.list_unclosed_attempts(session, ATTEMPT_ENDED, LOOK_BACK, SETTLING):
        await outbox.enqueue_once(session, ATTEMPT_ENDED, attempt_id)
    for job_id in await repository.list_unclosed_jobs(session, JOB_ENDED, LOOK_BACK, SETTLING):
        await outbox.enqueue_once(session, JOB_ENDED, job_id)
