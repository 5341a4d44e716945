"""Putting a kept artifact into its attempt's MLflow run, after the job.

It may be gigabytes, and MLflow may be away: so the worker does it, as often as it takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from mlp_core.artifacts.content import content, require_complete
from mlp_core.domain.errors import Invalid, Unavailable, WrongPhase
from mlp_core.events import service as events
from mlp_core.gateways.mlflow import Mlflow
from mlp_core.gateways.mlflow.passage import Request
from mlp_core.gateways.objects import ObjectStore
from mlp_core.kit.database import Database
from mlp_core.outbox import service as outbox
from mlp_core.tables import ArtifactRow, AttemptRow, JobRow
from mlp_core.tables.base import Json

LOG_ARTIFACT = "artifact.log"


@dataclass(frozen=True, slots=True)
class _Source:
    artifact: ArtifactRow
    attempt: AttemptRow
    job: JobRow


async def ask(session: AsyncSession, artifact: ArtifactRow, attempt: AttemptRow, to: str, actor: str) -> None:
    """Ask the worker to log `artifact` as `to` in the run of `attempt`. The same file asked for twice is logged once.

    Raises:
        WrongPhase: it is not stored whole, or the attempt has no run.
    """
    require_complete(artifact)
    if attempt.run_id is None:
        raise WrongPhase(f"Attempt {attempt.number} ended before it had an MLflow run.")
    await outbox.enqueue(session, LOG_ARTIFACT, artifact.id, {"to": to, "actor": actor})


async def log(database: Database, objects: ObjectStore, mlflow: Mlflow, artifact_id: str, wanted: Json) -> None:
    """Stream the artifact into the run, and write an event. Nothing to do where either was removed meanwhile.

    Raises:
        Unavailable: MLflow or the object store do not answer.
        Invalid: MLflow does not take it.
    """
    async with database.transaction() as session:
        found = await _find(session, artifact_id)
    if found is None or found.attempt.run_id is None:
        return
    project_id, run_id, to = found.job.project_id, found.attempt.run_id, str(wanted["to"])
    run = await mlflow.runs.get(project_id, run_id)
    folder = f"/api/2.0/mlflow-artifacts/artifacts/{run.experiment_id}/{run.id}/artifacts"
    request = Request(
        project_id=project_id,
        may_write=True,
        method="PUT",
        target=f"{folder}/{quote(to)}",
        headers={"content-type": "application/octet-stream", "content-length": str(found.artifact.size)},
        body=content(objects, found.artifact, 0, found.artifact.size),
    )
    async with mlflow.passage.send(request) as answer:
        if answer.status_code >= 500:
            raise Unavailable(f"MLflow answered {answer.status_code} to '{to}'.")
        if not answer.is_success:
            raise Invalid(f"MLflow answered {answer.status_code} to '{to}'.")
    async with database.transaction() as session:
        await events.record(
            session,
            project_id=project_id,
            resource="job",
            resource_id=found.job.id,
            resource_name=found.job.name,
            attempt=found.attempt.number,
            reason="ArtifactLogged",
            message=f"'{found.artifact.path}' is now '{to}' in the MLflow run.",
            actor=str(wanted["actor"]),
            data={"path": found.artifact.path, "to": to, "run_id": run_id},
        )


async def _find(session: AsyncSession, artifact_id: str) -> _Source | None:
    statement = (
        select(ArtifactRow, AttemptRow, JobRow)
        .join(AttemptRow, AttemptRow.id == ArtifactRow.attempt_id)
        .join(JobRow, JobRow.id == AttemptRow.job_id)
        .where(ArtifactRow.id == artifact_id)
    )
    row = (await session.execute(statement)).one_or_none()
    return None if row is None else _Source(row[0], row[1], row[2])
