"""Closing runs for certain: asked for in the transaction that ends an attempt or a job, carried out by a worker.

Whoever ends an attempt may also try at once with `finish_attempt_run`; doing both is doing it once.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.phases import AttemptOutcome, JobPhase
from mlp_core.domain.errors import NotFound
from mlp_core.gateways.mlflow import Mlflow, Run
from mlp_core.outbox import service as outbox
from mlp_core.tracking import curves
from mlp_core.tracking.runs import finish_attempt_run, finish_job_run

CLOSE_RUN = "mlflow.close_run"
CLOSE_JOB = "mlflow.close_job"
ENSURE_WORKSPACE = "mlflow.ensure_workspace"
POINTS_PER_METRIC = 5000
"""Of the merged curves on a job's run; the attempts' runs hold every point."""
METRICS_PER_JOB = 200


async def ask_for_workspace(session: AsyncSession, project_id: str) -> None:
    """Have the project made known to MLflow after this transaction."""
    await outbox.enqueue(session, ENSURE_WORKSPACE, project_id, {"project_id": project_id})


async def ask_to_close_run(
    session: AsyncSession, *, project_id: str, run_id: str, outcome: AttemptOutcome, ended_at: datetime
) -> None:
    """Have an attempt's run closed after this transaction."""
    payload = {
        "project_id": project_id,
        "run_id": run_id,
        "outcome": outcome.value,
        "ended_at": ended_at.isoformat(),
    }
    await outbox.enqueue(session, CLOSE_RUN, run_id, payload)


async def ask_to_close_job(
    session: AsyncSession,
    *,
    project_id: str,
    parent_run_id: str,
    run_ids: Sequence[str],
    phase: JobPhase,
    ended_at: datetime,
) -> None:
    """Have a job's run completed with the merged curves of its attempts, earliest first, and closed."""
    payload = {
        "project_id": project_id,
        "parent_run_id": parent_run_id,
        "run_ids": list(run_ids),
        "phase": phase.value,
        "ended_at": ended_at.isoformat(),
    }
    await outbox.enqueue(session, CLOSE_JOB, parent_run_id, payload)


async def close_run(mlflow: Mlflow, payload: dict[str, Any]) -> None:
    """Carry out what `ask_to_close_run` asked for."""
    outcome = AttemptOutcome(payload["outcome"])
    ended_at = datetime.fromisoformat(payload["ended_at"])
    await finish_attempt_run(mlflow, payload["project_id"], payload["run_id"], outcome, ended_at)


async def close_job(mlflow: Mlflow, payload: dict[str, Any]) -> None:
    """Carry out what `ask_to_close_job` asked for. The copy comes first: a closed job's run is complete."""
    project_id, parent_id = payload["project_id"], payload["parent_run_id"]
    await _copy_to_parent(mlflow, project_id, parent_id, payload["run_ids"])
    ended_at = datetime.fromisoformat(payload["ended_at"])
    await finish_job_run(mlflow, project_id, parent_id, JobPhase(payload["phase"]), ended_at)


async def _copy_to_parent(mlflow: Mlflow, project_id: str, parent_id: str, run_ids: Sequence[str]) -> None:
    try:
        parent = await mlflow.runs.get(project_id, parent_id)
    except NotFound:
        return
    if parent.is_deleted:
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
