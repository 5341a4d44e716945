"""MLflow behind the operator's port: runs and models of jobs."""

from __future__ import annotations

import shlex

from mlp.schemas.jobs import JobCreate, ModelSpec, RegisteredModel
from mlp.schemas.phases import AttemptOutcome
from mlp_core.domain.job import Attempt, Job
from mlp_core.gateways.mlflow import Mlflow
from mlp_core.jobs.reconciling import JobContext
from mlp_core.tracking import registration, runs
from mlp_operator.ports import TrackedRun

_ENTRYPOINT_LENGTH = 500


class MlflowTracking:
    def __init__(self, mlflow: Mlflow, public_url: str) -> None:
        self._mlflow = mlflow
        self._public_url = public_url.rstrip("/")

    async def start_run(self, context: JobContext, attempt: Attempt) -> TrackedRun:
        job = context.job
        started = await runs.start_attempt_run(
            self._mlflow,
            runs.AttemptTracking(
                project_id=job.project_id,
                job_id=job.id,
                job_name=job.name,
                job_url=self._url(job),
                attempt_id=attempt.id,
                attempt_number=attempt.number,
                started_at=context.now,
                created_by=context.created_by,
                entrypoint=_entrypoint(job.spec),
                experiment=job.spec.run.experiment,
                tags=job.spec.run.tags,
                package_digest=context.package_digest,
                environment_digest=context.lock.digest if context.lock else None,
                parent_run_id=context.parent_run_id,
            ),
        )
        return TrackedRun(started.run_id, started.parent_run_id)

    async def finish_run(self, context: JobContext, run_id: str, outcome: AttemptOutcome) -> None:
        await runs.finish_attempt_run(self._mlflow, context.job.project_id, run_id, outcome, context.now)

    async def register_model(self, context: JobContext, attempt: Attempt, model: ModelSpec) -> RegisteredModel:
        job = context.job
        return await registration.register_job_model(
            self._mlflow,
            registration.ModelRegistration(
                project_id=job.project_id,
                slug=job.project,
                name=model.register_as,
                artifact=model.source,
                run_id=attempt.run_id or "",
                job_id=job.id,
                job_name=job.name,
                job_url=self._url(job),
                attempt_id=attempt.id,
                package_digest=context.package_digest,
                environment_digest=context.lock.digest if context.lock else None,
            ),
        )

    def _url(self, job: Job) -> str:
        return f"{self._public_url}/api/v1/projects/{job.project}/jobs/{job.id}"


def _entrypoint(spec: JobCreate) -> str:
    text = spec.entrypoint if isinstance(spec.entrypoint, str) else shlex.join(spec.entrypoint)
    return text[:_ENTRYPOINT_LENGTH]
