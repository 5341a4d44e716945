"""Jobs: submit, show, explain, cancel, try again; their attempts, events, metrics, samples and results."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Header, Path, Query, Response
from fastapi.responses import StreamingResponse

from mlp.schemas.base import Page
from mlp.schemas.events import EventRead
from mlp.schemas.jobs import AttemptRead, CancelRequest, DryRun, JobCreate, JobRead, Metrics, Samples, Why
from mlp_api.deps import Editor, IfMatch, PagingDep, PlatformDep, SessionDep, Viewer, ViewerDetached
from mlp_api.idempotency import Once, PlatformRoute
from mlp_api.problems import problems
from mlp_core.domain.errors import (
    Ambiguous,
    CanNeverFit,
    IdempotencyMismatch,
    Invalid,
    LimitReached,
    NotAllowed,
    NotFound,
    Unavailable,
    VersionConflict,
    WrongPhase,
)
from mlp_core.events.read import read_event
from mlp_core.events.repository import EventFilter, EventRepository
from mlp_core.jobs.metrics import DEFAULT_POINTS, MAX_POINTS, AttemptRun, read_metrics
from mlp_core.jobs.read import JobReader
from mlp_core.jobs.repository import JobRepository
from mlp_core.jobs.service import EtagCheck, Jobs
from mlp_core.jobs.why import explain
from mlp_core.samples.repository import SampleRepository
from mlp_core.scope import ProjectScope
from mlp_core.tables import AttemptRow, JobRow

router = APIRouter(prefix="/projects/{project}/jobs", tags=["jobs"], route_class=PlatformRoute)

JobName = Annotated[str, Path(description="Id or name of the job.", min_length=1, max_length=200)]
AttemptNumber = Annotated[
    int | None, Query(ge=1, le=2**31 - 1, description="Number of an attempt; the current one if absent.")
]

_EXAMPLES: dict[str, Any] = {
    "script": {
        "summary": "One script on one GPU",
        "value": {
            "entrypoint": "python train.py --epochs 5",
            "package": "sha256:" + "0" * 64,
            "resources": {"groups": [{"name": "train", "gpu": 1, "cpu": 4, "memory": "16Gi"}]},
        },
    },
    "argv": {
        "summary": "Exact arguments, no shell",
        "value": {"name": "show", "entrypoint": ["python", "show.py", "--name", "a b"]},
    },
}


async def get_jobs(session: SessionDep) -> Jobs:
    return Jobs(session)


async def get_reader(session: SessionDep, platform: PlatformDep) -> JobReader:
    return JobReader(session, platform.settings.public_url)


JobsDep = Annotated[Jobs, Depends(get_jobs)]
ReaderDep = Annotated[JobReader, Depends(get_reader)]


@router.post(
    "",
    status_code=201,
    summary="Submit a job",
    responses={200: {"model": DryRun, "description": "With `dry_run`: what would happen; nothing is kept."}}
    | problems(CanNeverFit, Invalid, LimitReached, IdempotencyMismatch, NotAllowed),
    response_model=JobRead,
)
async def create_job(
    wanted: Annotated[JobCreate, Body(openapi_examples=_EXAMPLES)],
    scope: Editor,
    jobs: JobsDep,
    reader: ReaderDep,
    response: Response,
    _once: Once,
    dry_run: Annotated[bool, Query(description="Only say what would happen.")] = False,
) -> JobRead | Response:
    """It is queued at once. What can never run is refused here, with what could; everything else shows in `reason`."""
    if dry_run:
        return Response(
            (await jobs.dry_run(scope, wanted)).model_dump_json(by_alias=True), media_type="application/json"
        )
    read = await reader.job(await jobs.create(scope, wanted), scope.slug)
    response.headers["ETag"] = read.etag
    response.headers["Location"] = f"/api/v1/projects/{scope.slug}/jobs/{read.id}"
    return read


@router.get(
    "/{job}",
    summary="Show a job",
    responses={304: {"description": "Still as `If-None-Match` says."}} | problems(NotFound, Ambiguous),
)
async def get_job(
    job: JobName,
    scope: Viewer,
    jobs: JobsDep,
    reader: ReaderDep,
    response: Response,
    if_none_match: Annotated[str | None, Header(max_length=500, description="ETag that is known already.")] = None,
) -> JobRead:
    """As it stands: phase, reason, what it waits for. Of several jobs of a name the one that has not ended."""
    read = await reader.job(await jobs.repository.get(scope, job), scope.slug)
    response.headers["ETag"] = read.etag
    if if_none_match is not None and read.etag in {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}:
        response.status_code = 304
    return read


@router.post(
    "/{job}:cancel",
    status_code=202,
    summary="Cancel a job",
    responses={200: {"model": JobRead, "description": "It had ended already."}}
    | problems(NotFound, Ambiguous, NotAllowed, VersionConflict, IdempotencyMismatch),
)
async def cancel_job(
    job: JobName,
    scope: Editor,
    jobs: JobsDep,
    reader: ReaderDep,
    precondition: IfMatch,
    response: Response,
    _once: Once,
    wanted: Annotated[
        CancelRequest | None, Body(openapi_examples={"soon": {"value": {"grace": "10s"}}, "default": {"value": {}}})
    ] = None,
) -> JobRead:
    """Ask it to end: SIGTERM, the grace period, SIGKILL for all that is left. Asking again changes nothing."""
    check = _etag_check(precondition, reader, scope)
    row = await jobs.cancel(scope, job, wanted or CancelRequest(), check)
    if row.ended_at is not None:
        response.status_code = 200
    return await _shown(row, scope, reader, response)


@router.post(
    "/{job}:retry",
    status_code=202,
    summary="Try a job again",
    responses=problems(NotFound, Ambiguous, WrongPhase, NotAllowed, VersionConflict, LimitReached, IdempotencyMismatch),
)
async def retry_job(
    job: JobName,
    scope: Editor,
    jobs: JobsDep,
    reader: ReaderDep,
    precondition: IfMatch,
    response: Response,
    _once: Once,
) -> JobRead:
    """Queue a failed or cancelled job again, as a fresh attempt of the same job with all its automatic retries."""
    row = await jobs.retry(scope, job, _etag_check(precondition, reader, scope))
    return await _shown(row, scope, reader, response)


@router.get("/{job}/attempts", summary="List a job's attempts", responses=problems(NotFound, Ambiguous))
async def list_attempts(job: JobName, scope: Viewer, jobs: JobsDep, reader: ReaderDep) -> Page[AttemptRead]:
    """All of them, the first one first."""
    row = await jobs.repository.get(scope, job)
    items = await reader.attempts(row, await jobs.repository.attempts(row), scope.slug)
    return Page(items=items, total=len(items))


@router.get("/{job}/events", summary="List a job's events", responses=problems(NotFound, Ambiguous, Invalid))
async def list_job_events(
    job: JobName,
    scope: Viewer,
    session: SessionDep,
    jobs: JobsDep,
    paging: PagingDep,
    attempt: Annotated[int | None, Query(ge=1, le=2**31 - 1, description="Only of this attempt.")] = None,
    newest_first: Annotated[bool, Query(description="The other way round.")] = False,
) -> Page[EventRead]:
    """Its history, oldest first: what changed, who or what did it, and why."""
    row = await jobs.repository.get(scope, job)
    where = EventFilter(resource="job", resource_id=row.id, attempt=attempt)
    found = await EventRepository(session).page(scope, where, paging.request, newest_first=newest_first)
    return paging.answer(found, [read_event(event, scope.slug) for event in found.rows])


@router.get("/{job}/why", summary="Explain where a job is", responses=problems(NotFound, Ambiguous))
async def explain_job(job: JobName, scope: Viewer, session: SessionDep) -> Why:
    """What it waits for and behind whom, what would let it start now, and how long this usually takes.

    Jobs of projects that the caller cannot see are counted, never named.
    """
    return await explain(session, scope, job)


@router.get(
    "/{job}/metrics", summary="Read a job's metrics", responses=problems(NotFound, Ambiguous, Invalid, Unavailable)
)
async def get_metrics(
    job: JobName,
    scope: ViewerDetached,
    platform: PlatformDep,
    attempt: Annotated[
        int | None, Query(ge=1, le=2**31 - 1, description="Only of this attempt; all of them merged if absent.")
    ] = None,
    key: Annotated[list[str] | None, Query(max_length=100, description="May be given several times.")] = None,
    max_points: Annotated[int, Query(ge=4, le=MAX_POINTS, description="Per series.")] = DEFAULT_POINTS,
) -> Metrics:
    """From MLflow, thinned so that lows and highs stay. A step logged again by a later attempt counts as that one."""
    async with platform.database.transaction() as session:
        jobs = JobRepository(session)
        row = await jobs.get(scope, job)
        attempts = await _attempts(jobs, row, attempt)
    runs = [AttemptRun(found.number, found.run_id) for found in attempts if found.run_id is not None]
    metrics = await read_metrics(platform.mlflow, scope.project_id, runs, frozenset(key or ()), max_points)
    # Pydantic spells NaN and the infinities, which JSON has no numbers for.
    return Response(metrics.model_dump_json(), media_type="application/json")  # pyright: ignore[reportReturnType]


@router.get("/{job}/samples", summary="Read a job's use of machines", responses=problems(NotFound, Ambiguous, Invalid))
async def get_samples(
    job: JobName,
    scope: Viewer,
    session: SessionDep,
    jobs: JobsDep,
    attempt: AttemptNumber = None,
    node: Annotated[str | None, Query(max_length=64, description="Only of this node.")] = None,
    max_points: Annotated[int, Query(ge=1, le=MAX_POINTS, description="Per node.")] = DEFAULT_POINTS,
) -> Samples:
    """CPU, memory and accelerators of each node of an attempt, also long after it ended."""
    row = await jobs.repository.get(scope, job)
    found = await jobs.repository.find_attempt(row, attempt)
    if found is None:
        return Samples(nodes=[])
    nodes = await SampleRepository(session).series(found.id, found.number, max_points, node)
    return Samples(nodes=nodes)


@router.get(
    "/{job}/result",
    summary="Download a job's result",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "What the function returned or raised, as `client.remote` packed it.",
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    }
    | problems(NotFound, Ambiguous),
)
async def get_result(job: JobName, scope: ViewerDetached, platform: PlatformDep) -> StreamingResponse:
    """The result of a function submitted by `client.remote`. Trust it as far as you trust the job's code."""
    async with platform.database.transaction() as session:
        row = await JobRepository(session).get(scope, job)
    size = None if row.result_key is None else await platform.objects.size(row.result_key)
    if row.result_key is None or size is None:
        raise NotFound(f"Job '{row.name}' has left no result.", hint="Only functions of `client.remote` leave one.")
    return StreamingResponse(
        platform.objects.stream(row.result_key),
        media_type="application/octet-stream",
        headers={
            "Content-Length": str(size),
            "Content-Disposition": f'attachment; filename="{row.id}.result"',
        },
    )


def _etag_check(precondition: IfMatch, reader: JobReader, scope: ProjectScope) -> EtagCheck:
    async def check(row: JobRow) -> None:
        if precondition.wanted is not None:
            precondition.require((await reader.job(row, scope.slug)).etag)

    return check


async def _shown(row: JobRow, scope: ProjectScope, reader: JobReader, response: Response) -> JobRead:
    read = await reader.job(row, scope.slug)
    response.headers["ETag"] = read.etag
    return read


async def _attempts(jobs: JobRepository, row: JobRow, number: int | None) -> list[AttemptRow]:
    if number is None:
        return list(await jobs.attempts(row))
    found = await jobs.find_attempt(row, number)
    return [] if found is None else [found]
