"""A job's artifacts: the files that its attempts left in their output folder."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query, Response
from fastapi.responses import StreamingResponse

from mlp.schemas.artifacts import MAX_PATH_BYTES, ArtifactLog, ArtifactRead
from mlp.schemas.base import Page
from mlp_api.deps import Editor, PagingDep, PlatformDep, SessionDep, Viewer, ViewerDetached
from mlp_api.idempotency import PlatformRoute
from mlp_api.problems import problems
from mlp_api.ranges import RangeHeader, stored_bytes
from mlp_api.routers.jobs import AttemptNumber, JobName
from mlp_core.artifacts import log_to_run
from mlp_core.artifacts.content import content, require_complete
from mlp_core.artifacts.read import read_artifact
from mlp_core.artifacts.repository import ArtifactRepository
from mlp_core.domain.errors import Ambiguous, Invalid, NotFound, Unavailable, WrongPhase
from mlp_core.jobs.repository import JobRepository
from mlp_core.kit.pages import Slice
from mlp_core.tables import ArtifactRow

router = APIRouter(prefix="/projects/{project}/jobs/{job}/artifacts", tags=["artifacts"], route_class=PlatformRoute)

_CONTENT: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    },
    206: {"description": "The part of it that `Range` asks for."},
    416: {"description": "`Range` starts after the end."},
}
_POLICY = "sandbox; default-src 'none'"
"""Strangers' bytes on our origin: saved, never shown or run."""


@router.post(
    ":log",
    status_code=202,
    summary="Put an artifact into the MLflow run",
    responses=problems(NotFound, Ambiguous, Invalid, WrongPhase),
)
async def log_artifact(
    job: JobName, wanted: ArtifactLog, scope: Editor, session: SessionDep, attempt: AttemptNumber = None
) -> None:
    """Soon, and tried again while MLflow is away; the job's event `ArtifactLogged` says when it is done.

    Asking twice is asking once, so it takes no `Idempotency-Key`.
    """
    jobs = JobRepository(session)
    row = await jobs.get(scope, job)
    found = await jobs.find_attempt(row, attempt)
    artifact = None if found is None else await ArtifactRepository(session).find_path(found.id, wanted.path)
    if found is None or artifact is None:
        raise _no_artifact(row.name, wanted.path)
    await log_to_run.ask(session, artifact, found, wanted.to or wanted.path, scope.subject.name)


@router.get("", summary="List a job's artifacts", responses=problems(NotFound, Ambiguous, Invalid))
async def list_artifacts(
    job: JobName,
    scope: Viewer,
    session: SessionDep,
    paging: PagingDep,
    attempt: AttemptNumber = None,
    path: Annotated[
        str | None, Query(max_length=MAX_PATH_BYTES, description="Only this file, or those below this folder.")
    ] = None,
) -> Page[ArtifactRead]:
    """Files that one attempt left in its output folder, by path; also those still being stored."""
    jobs = JobRepository(session)
    found = await jobs.find_attempt(await jobs.get(scope, job), attempt)
    if found is None:
        return paging.answer(Slice[ArtifactRow]([]), [])
    rows = await ArtifactRepository(session).page(found.id, (path or "").strip("/") or None, paging.request)
    return paging.answer(rows, [read_artifact(row, found.number) for row in rows.rows])


@router.get(
    "/content",
    summary="Download an artifact",
    response_class=StreamingResponse,
    responses=_CONTENT | problems(NotFound, Ambiguous, WrongPhase, Unavailable),
)
async def get_artifact_content(
    job: JobName,
    scope: ViewerDetached,
    platform: PlatformDep,
    path: Annotated[str, Query(min_length=1, max_length=MAX_PATH_BYTES, description="As the list has it.")],
    attempt: AttemptNumber = None,
    range_: RangeHeader = None,
) -> Response:
    """The bytes of one file, once it is complete. Takes one `Range`, to go on with a broken download."""
    async with platform.database.transaction() as session:
        jobs = JobRepository(session)
        row = await jobs.get(scope, job)
        found = await jobs.find_attempt(row, attempt)
        artifact = None if found is None else await ArtifactRepository(session).find_path(found.id, path)
    if artifact is None:
        raise _no_artifact(row.name, path)
    require_complete(artifact)

    def pieces(start: int, end: int) -> AsyncIterator[bytes]:
        return content(platform.objects, artifact, start, end)

    headers = {
        "ETag": f'"{artifact.sha256}"',
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(path.rpartition('/')[2], safe='')}",
        "Content-Security-Policy": _POLICY,
    }
    return stored_bytes(pieces, artifact.size, range_, headers=headers)


def _no_artifact(job: str, path: str) -> NotFound:
    return NotFound(f"Job '{job}' has no artifact '{path}' here.", hint="See `mlp job artifacts`.")
