"""`/stream`: all that a page needs, live, on one connection."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import StreamingResponse
from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.jobs import JobRead
from mlp.schemas.phases import Role
from mlp_api.deps import AuthenticatorDep, PlatformDep, SubjectDep
from mlp_api.problems import problems
from mlp_api.sse import EVENT_STREAM, EventSource, ServerEvent
from mlp_core.domain.errors import Ambiguous, Invalid, NotFound
from mlp_core.jobs.read import slugs_of
from mlp_core.jobs.repository import JobRepository
from mlp_core.jobs.stream import StreamedEvent, StreamItem, StreamReady, decode_position
from mlp_core.scope import Subject, SubjectScope, among, enter_project, visible_projects

router = APIRouter(prefix="/stream", tags=["events"])

_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events: first `ready` (empty), then `event` (`EventRead`) and `job` (`JobRead`). "
        "The ids of the first two are cursors.",
        "content": EVENT_STREAM,
    }
}


@router.get(
    "",
    summary="Follow events and jobs",
    response_class=StreamingResponse,
    responses=_ANSWERS | problems(NotFound, Ambiguous, Invalid),
)
async def follow_events(
    request: Request,
    subject: SubjectDep,
    platform: PlatformDep,
    authenticator: AuthenticatorDep,
    project: Annotated[
        list[Annotated[str, Query(max_length=64)]] | None,
        Query(description="Name or id; may be given several times. All that the caller can see if absent."),
    ] = None,
    job: Annotated[
        str | None, Query(max_length=200, description="Only this job, by id, or by name within one project.")
    ] = None,
    cursor: Annotated[str | None, Query(max_length=60, description="Id of the last event that was seen.")] = None,
    last_event_id: Annotated[str | None, Header(max_length=60, description="The same, as browsers send it.")] = None,
) -> EventSource:
    """First the jobs that have not ended, as they stand; then each event once, and each job whenever it changed.

    Reconnecting behind the last event's id loses none and repeats none.
    """
    seen = last_event_id or cursor or None
    position = None if seen is None else decode_position(seen)
    async with platform.database.transaction() as session:
        scope = await _scope(session, subject, project)
        slugs = await slugs_of(session, scope)
        job_id = None if job is None else (await JobRepository(session).get(scope, job)).id

    async def recheck() -> None:
        again = await authenticator.identify_request(request)
        async with platform.database.transaction() as session:
            still = await visible_projects(session, again)
        if not scope.project_ids <= still.project_ids:
            raise NotFound("A project of this stream can no longer be read.", hint="Open the stream again.")

    items = platform.event_stream.follow(scope, slugs, job_id, position)
    return EventSource(_server_events(items), recheck)


async def _scope(session: AsyncSession, subject: Subject, projects: list[str] | None) -> SubjectScope:
    if not projects:
        return await visible_projects(session, subject)
    entered = [await enter_project(session, subject, project, Role.VIEWER) for project in projects]
    return among(subject, (scope.project_id for scope in entered))


async def _server_events(items: AsyncGenerator[StreamItem]) -> AsyncGenerator[ServerEvent | None]:
    async with aclosing(items):
        async for item in items:
            match item:
                case StreamReady(cursor):
                    yield ServerEvent("ready", "{}", cursor)
                case StreamedEvent(event, cursor):
                    yield ServerEvent("event", event.model_dump_json(by_alias=True), cursor)
                case JobRead():
                    yield ServerEvent("job", item.model_dump_json(by_alias=True))
                case _:
                    yield None
