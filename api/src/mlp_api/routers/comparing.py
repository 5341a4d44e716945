"""What two jobs are compared by beside their specs: what they logged, and the environment they ran in."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from mlp.schemas.environments import EnvironmentRead
from mlp.schemas.models import JobRun
from mlp_api.deps import PlatformDep, SessionDep, Viewer, ViewerDetached
from mlp_api.problems import problems
from mlp_core.domain.errors import Ambiguous, NotFound, Unavailable
from mlp_core.environments.repository import EnvironmentRepository
from mlp_core.environments.service import read_environment
from mlp_core.jobs.repository import JobRepository
from mlp_core.tracking.registry import read_job_run

router = APIRouter(prefix="/projects/{project}/jobs/{job}", tags=["jobs"])

JobName = Annotated[str, Path(description="Id or name of the job.", min_length=1, max_length=200)]


@router.get(
    "/run",
    summary="Read what a job logged",
    responses=problems(NotFound, Ambiguous, Unavailable),
    response_model=JobRun,
)
async def get_job_run(
    job: JobName,
    scope: ViewerDetached,
    platform: PlatformDep,
    attempt: Annotated[int | None, Query(ge=1, le=2**31 - 1, description="The current one if absent.")] = None,
) -> Response:
    """Parameters, last values of metrics, and tags of an attempt's MLflow run."""
    async with platform.database.transaction() as session:
        jobs = JobRepository(session)
        row = await jobs.get(scope, job)
        found = await jobs.find_attempt(row, attempt)
    if found is None or found.run_id is None:
        raise NotFound(f"Job '{row.name}' has no run yet.", hint="It gets one when its first attempt starts.")
    read = await read_job_run(platform.mlflow, scope, found.number, found.run_id)
    # Pydantic spells NaN and the infinities, which JSON has no numbers for.
    return Response(read.model_dump_json(by_alias=True), media_type="application/json")


@router.get("/environment", summary="Show a job's environment", responses=problems(NotFound, Ambiguous))
async def get_job_environment(job: JobName, scope: Viewer, session: SessionDep) -> EnvironmentRead:
    """Requirements and the lock that they were resolved to."""
    row = await JobRepository(session).get(scope, job)
    if row.environment_id is None:
        raise NotFound(f"Job '{row.name}' asks for no packages: it runs in the platform's own environment.")
    environments = EnvironmentRepository(session)
    found = await environments.get(scope, row.environment_id)
    return read_environment(found, scope.slug, (await environments.count_jobs([found.id])).get(found.id, 0))
