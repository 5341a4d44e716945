"""Logs of a job: pages of lines, the raw bytes, and following live."""

from __future__ import annotations

import tarfile
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import StringConstraints

from mlp.schemas.agent import SOURCE_PATTERN
from mlp.schemas.base import Page
from mlp.schemas.logs import LogEnd, LogPage, LogSource
from mlp.schemas.phases import Role
from mlp_api import moments
from mlp_api.deps import AuthenticatorDep, PlatformDep, ViewerDetached
from mlp_api.platform import Platform
from mlp_api.problems import problems
from mlp_api.routers.jobs import AttemptNumber, JobName
from mlp_api.sse import EVENT_STREAM, EventSource, ServerEvent
from mlp_api.streaming import recheck_of
from mlp_core.domain.errors import Ambiguous, Invalid, NotFound
from mlp_core.jobs.repository import JobRepository
from mlp_core.logs.cursor import LogCursor, not_a_cursor
from mlp_core.logs.follow import FollowTarget, LogEvent, Sent
from mlp_core.logs.repository import milliseconds
from mlp_core.logs.select import LogQuery
from mlp_core.logs.service import DEFAULT_LINES, MAX_LINES, AttemptLog, Logs
from mlp_core.logs.sources import SourceFilter
from mlp_core.scope import ProjectScope
from mlp_core.tables import AttemptRow, JobRow

router = APIRouter(prefix="/projects/{project}/jobs/{job}/logs", tags=["logs"])

MAX_CURSOR = 60_000
"""A cursor names every source; there can be thousands."""
_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Lines; with `follow` a stream of `log` events (`LogChunk`), and last an `end` (`LogEnd`).",
        "content": EVENT_STREAM,
    }
}
_RAW: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The bytes of one source, or a tar archive of all.",
        "content": {
            "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
            "application/x-tar": {"schema": {"type": "string", "format": "binary"}},
        },
    }
}
_SourceName = Annotated[str, StringConstraints(max_length=180)]


@router.get("", summary="Read or follow a job's log", responses=_ANSWERS | problems(NotFound, Ambiguous, Invalid))
async def read_logs(
    request: Request,
    job: JobName,
    scope: ViewerDetached,
    platform: PlatformDep,
    authenticator: AuthenticatorDep,
    attempt: AttemptNumber = None,
    source: Annotated[
        list[_SourceName] | None,
        Query(description="`driver`, `worker`, a node, `<node>/<pid>`, or a source exactly; may be repeated."),
    ] = None,
    tail: Annotated[int | None, Query(ge=0, le=MAX_LINES, description="Only the last lines.")] = None,
    since: Annotated[str | None, Query(max_length=40, description=moments.DESCRIPTION)] = None,
    until: Annotated[str | None, Query(max_length=40, description=moments.DESCRIPTION)] = None,
    start_line: Annotated[int | None, Query(ge=0, lt=2**62, description="First line of one source.")] = None,
    end_line: Annotated[int | None, Query(ge=0, lt=2**62, description="Line behind the last one.")] = None,
    grep: Annotated[str | None, Query(min_length=1, max_length=1000, description="Only lines with this text.")] = None,
    ignore_case: Annotated[bool, Query(description="For `grep`.")] = False,
    limit: Annotated[int, Query(ge=1, le=MAX_LINES, description="Lines per page.")] = DEFAULT_LINES,
    cursor: Annotated[str | None, Query(max_length=MAX_CURSOR, description="`next` or `resume` of an answer.")] = None,
    follow: Annotated[bool, Query(description="Stream what is there and what comes, as server-sent events.")] = False,
    last_event_id: Annotated[
        str | None, Header(max_length=MAX_CURSOR, description="With `follow`: go on behind this event.")
    ] = None,
) -> LogPage:
    """Lines of all sources by the time they were read, rendered: control sequences other than colours are dropped,
    of a redrawn line (progress bar) the last state is shown, endless lines are folded. The raw bytes are at `/raw`.

    A search looks at 64 MiB per request; `next` goes on from there. An unfinished line comes last, marked `partial`.
    """
    now = platform.clock.now()
    since_at, until_at = moments.moment("since", since, now), moments.moment("until", until, now)
    query = LogQuery(
        sources=SourceFilter(tuple(source or ())),
        since_ms=None if since_at is None else milliseconds(since_at),
        until_ms=None if until_at is None else milliseconds(until_at),
        tail=tail,
        first_line=start_line,
        end_line=end_line,
        grep=grep,
        ignore_case=ignore_case,
    )
    # The `resume` of a job that had not started is empty.
    cursor = (last_event_id or cursor or None) if follow else cursor or None
    row, found = await _entrance(platform, scope, job, attempt, cursor)
    if not follow:
        return await _page(platform.logs, found, query, cursor, limit)
    target = FollowTarget(row.id, row.project_id, found, only_this_attempt=attempt is not None)
    recheck = recheck_of(request, platform, authenticator, scope.project_id, Role.VIEWER)
    events = _server_events(platform.log_follower.follow(target, query, cursor))
    return EventSource(events, recheck)  # pyright: ignore[reportReturnType]


@router.get("/sources", summary="List the sources of a job's log", responses=problems(NotFound, Ambiguous))
async def list_log_sources(
    job: JobName, scope: ViewerDetached, platform: PlatformDep, attempt: AttemptNumber = None
) -> Page[LogSource]:
    """The driver and each worker process of an attempt, with what is stored of them."""
    _, found = await _entrance(platform, scope, job, attempt, None)
    sources = [] if found is None else await platform.logs.sources(found)
    return Page(items=sources, total=len(sources))


@router.get(
    "/raw",
    summary="Download a job's log byte for byte",
    response_class=StreamingResponse,
    responses=_RAW | problems(NotFound, Ambiguous, Invalid),
)
async def download_logs(
    job: JobName,
    scope: ViewerDetached,
    platform: PlatformDep,
    attempt: AttemptNumber = None,
    source: Annotated[
        str | None, Query(pattern=SOURCE_PATTERN, description="One source exactly; a tar archive of all if absent.")
    ] = None,
    start: Annotated[int, Query(ge=0, lt=2**62, description="First byte, of one source.")] = 0,
    end: Annotated[int | None, Query(ge=0, lt=2**62, description="Byte behind the last one.")] = None,
) -> Response:
    """Exactly what the processes wrote, nothing rendered, folded or dropped."""
    row, found = await _entrance(platform, scope, job, attempt, None)
    if found is None:
        raise NotFound(f"Job '{row.name}' has not started yet, so it has no log.")
    logs = platform.logs
    name = f"{row.id}-{found.number}"
    if source is None:
        if start or end is not None:
            raise Invalid("A range of bytes is one of a single source.", fields={"source": "is required with a range"})
        return _download(_tar(logs, found, await logs.sources(found)), "application/x-tar", f"{name}.tar", None)
    stop = (await logs.extent(found, source)).next_byte
    stop = stop if end is None else min(end, stop)
    filename = f"{name}-{source.replace('/', '-')}.log"
    size = max(0, stop - start)
    return _download(logs.raw(found.id, source, start, stop), "application/octet-stream", filename, size)


async def _entrance(
    platform: Platform, scope: ProjectScope, job: str, number: int | None, cursor: str | None
) -> tuple[JobRow, AttemptLog | None]:
    """The job and the attempt that is meant: by number, else by the cursor, else the current one.

    Raises:
        Invalid: the cursor is one of another job or attempt.
    """
    async with platform.database.transaction() as session:
        jobs = JobRepository(session)
        row = await jobs.get(scope, job)
        if cursor is None:
            return row, _attempt_log(await jobs.find_attempt(row, number))
        wanted = LogCursor.decode(cursor).attempt_id
        for attempt in await jobs.attempts(row):
            if attempt.id == wanted and number in (None, attempt.number):
                return row, _attempt_log(attempt)
    raise not_a_cursor()


def _attempt_log(row: AttemptRow | None) -> AttemptLog | None:
    return None if row is None else AttemptLog(row.id, row.number, row.ended_at is not None)


async def _page(logs: Logs, attempt: AttemptLog | None, query: LogQuery, cursor: str | None, limit: int) -> LogPage:
    if attempt is None:
        return LogPage(items=[], resume="", attempt=0, complete=False)
    return await logs.page(attempt, query, cursor, limit)


async def _server_events(events: AsyncGenerator[LogEvent]) -> AsyncGenerator[ServerEvent | None]:
    async with aclosing(events):
        async for event in events:
            match event:
                case Sent(chunk, at):
                    yield ServerEvent("log", chunk.model_dump_json(by_alias=True), at)
                case LogEnd():
                    yield ServerEvent("end", event.model_dump_json(by_alias=True))
                case _:
                    yield None


def _download(body: AsyncIterator[bytes], kind: str, filename: str, size: int | None) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{filename}"'}
    if size is not None:
        headers["Content-Length"] = str(size)
    return StreamingResponse(body, media_type=kind, headers=headers)


async def _tar(logs: Logs, attempt: AttemptLog, sources: Sequence[LogSource]) -> AsyncGenerator[bytes]:
    """A tar archive, one file per source, as far as each is stored now."""
    for source in sources:
        entry = tarfile.TarInfo(f"{source.source}.log")
        entry.size = source.bytes
        yield entry.tobuf()
        async with aclosing(logs.raw(attempt.id, source.source, 0, source.bytes)) as pieces:
            async for piece in pieces:
                yield piece
        yield b"\0" * (-source.bytes % tarfile.BLOCKSIZE)
    yield b"\0" * (2 * tarfile.BLOCKSIZE)
