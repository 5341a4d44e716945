"""Closing runs for certain. What ended is read from the tables, so a late or repeated call does the right thing.

Whoever ends an attempt asks the outbox for `ATTEMPT_ENDED` (key: its id), whoever ends a job for `JOB_ENDED`, in the
transaction that records the end; a worker then does what is here, as often as it takes.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from mlp_core.domain.errors import NotFound
from mlp_core.gateways.mlflow import Mlflow, Run
from mlp_core.kit.database import Database
from mlp_core.outbox import service as outbox
from mlp_core.tracking import curves, repository
from mlp_core.tracking.runs import finish_attempt_run, finish_job_run

ATTEMPT_ENDED = "attempt.ended"
JOB_ENDED = "job.ended"
ENSURE_WORKSPACE = "project.created"
"""Asked for, under the project's id, by whoever makes a project."""
POINTS_PER_METRIC = 5000
"""Of the merged curves on a job's run; the attempts' runs hold every point."""
METRICS_PER_JOB = 200


async def attempt_ended(session: AsyncSession, attempt_id: str) -> None:
    """Have everything done that follows an attempt's end, after this transaction."""
    await outbox.enqueue(session, ATTEMPT_ENDED, attempt_id)


async def job_ended(session: AsyncSession, job_id: str) -> None:
    """Have the job's run completed and closed, after this transaction."""
    await outbox.enqueue(session, JOB_ENDED, job_id)


async def close_attempt(database: Database, mlflow: Mlflow, attempt_id: str) -> None:
    """Give the run of an ended attempt its final status."""
    async with database.transaction() as session:
        ended = await repository.find_ended_attempt(session, attempt_id)
    if ended is not None:
        await finish_attempt_run(mlflow, ended.project_id, ended.run_id, ended.outcome, ended.ended_at)


async def close_job(database: Database, mlflow: Mlflow, job_id: str) -> None:
    """Give the run of an ended job the merged curves of its attempts, then its final status."""
    async with database.transaction() as session:
        ended = await repository.find_ended_job(session, job_id)
        run_ids = await repository.list_run_ids(session, job_id)
    if ended is None:
        return
    await _copy_to_parent(mlflow, ended.project_id, ended.parent_run_id, run_ids)
    await finish_job_run(mlflow, ended.project_id, ended.parent_run_id, ended.phase, ended.ended_at)


async def ensure_workspace(database: Database, mlflow: Mlflow, project_id: str) -> None:
    """Make the project known to MLflow, or mend what is missing there."""
    await mlflow.workspaces.ensure(project_id)
    async with database.transaction() as session:
        await repository.mark_workspace_ready(session, project_id)


async def _copy_to_parent(mlflow: Mlflow, project_id: str, parent_id: str, run_ids: Sequence[str]) -> None:
    parent = await _find(mlflow, project_id, parent_id)
    if parent is None or parent.is_deleted:
        return
    attempts = [run for run_id in run_ids if (run := await _find(mlflow, project_id, run_id)) is not None]
    await _copy_params(mlflow, project_id, parent, attempts)
    keys = list(dict.fromkeys(key for run in attempts for key in run.metrics))
    for key in keys[:METRICS_PER_JOB]:
        histories = [
            await mlflow.runs.metric_history(project_id, run.id, key) for run in attempts if key in run.metrics
        ]
        merged = curves.thin(curves.merge(histories), POINTS_PER_METRIC)
        await mlflow.runs.log_metrics(project_id, parent_id, merged)


async def _copy_params(mlflow: Mlflow, project_id: str, parent: Run, attempts: Sequence[Run]) -> None:
    """Of a parameter that attempts gave different values the last one; one that the parent has stays."""
    merged: dict[str, str] = {}
    for run in attempts:
        merged.update(run.params)
    missing = {key: value for key, value in merged.items() if key not in parent.params}
    await mlflow.runs.log_params(project_id, parent.id, missing)


async def _find(mlflow: Mlflow, project_id: str, run_id: str) -> Run | None:
    try:
        return await mlflow.runs.get(project_id, run_id)
    except NotFound:
        return None
