"""What the processes of a job hand in, with the job's own token. Each route is safe to repeat."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, Response
from pydantic import TypeAdapter, ValidationError

from mlp.schemas.agent import Cursors, MetricsPost, SamplesPost, SegmentStored
from mlp_api.deps import JobSubjectDep, PlatformDep
from mlp_api.problems import MEDIA_TYPE, problem_of, problems, request_id_of
from mlp_core.domain.errors import AttemptOver, Invalid, LogGap, NotAllowed, TooLarge, Unavailable
from mlp_core.logs.ingest import MAX_TIMES, Upload
from mlp_core.logs.segments import MAX_SEGMENT_BYTES
from mlp_core.scope import Subject

router = APIRouter(prefix="/agent", tags=["agent"])

MAX_RESULT_BYTES = 16 * 2**20
_Times = TypeAdapter(list[tuple[int, int]])
_GZIP_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
_EXAMPLE_TIMES = "[[0,1796108400000],[4096,1796108400200]]"


@router.put(
    "/segments",
    summary="Hand in a segment of a log",
    responses=problems(LogGap, AttemptOver, Invalid, TooLarge, NotAllowed, Unavailable),
    openapi_extra=_GZIP_BODY,
)
async def put_segment(
    request: Request,
    subject: JobSubjectDep,
    platform: PlatformDep,
    x_log_source: Annotated[str, Header(max_length=180, description="`driver`, `<node>/<pid>` or `<node>/<pid>/err`.")],
    x_log_start: Annotated[int, Header(ge=0, lt=2**62, description="First byte within the source.")],
    x_log_length: Annotated[int, Header(ge=1, le=MAX_SEGMENT_BYTES, description="Bytes before compression.")],
    x_log_times: Annotated[
        str,
        Header(
            max_length=16_000,
            description=f"At most {MAX_TIMES} pairs `[byte offset in the segment, unix milliseconds]`.",
            examples=[_EXAMPLE_TIMES],
        ),
    ] = "[]",
    content_encoding: Annotated[str, Header(max_length=20, description="`gzip`, one member.")] = "gzip",
) -> SegmentStored:
    """Bytes of one source, in order. What is stored already is answered and not stored again; what would leave a gap
    is refused with 409 `log_gap`. Either way go on from `next_byte`.
    """
    if content_encoding.strip().lower() != "gzip":
        raise Invalid("A segment is compressed with gzip.", fields={"Content-Encoding": "is gzip"})
    project_id, attempt_id = _attempt_of(subject)
    upload = Upload(x_log_source, x_log_start, x_log_length, _times(x_log_times), await request.body())
    try:
        return SegmentStored(next_byte=await platform.log_ingest.store(project_id, attempt_id, upload))
    except LogGap as gap:
        return _gap(gap, request)  # pyright: ignore[reportReturnType]


@router.get("/cursors", summary="How far everything is stored", responses=problems(AttemptOver, NotAllowed))
async def get_cursors(subject: JobSubjectDep, platform: PlatformDep) -> Cursors:
    """The first byte not stored yet, by log source; for an agent that starts anew."""
    _, attempt_id = _attempt_of(subject)
    sources, metrics = await platform.attempt_ingest.cursors(attempt_id)
    return Cursors(sources=sources, metrics=metrics)


@router.post(
    "/samples",
    status_code=204,
    summary="Hand in resource samples",
    responses=problems(AttemptOver, Invalid, NotAllowed),
)
async def post_samples(post: SamplesPost, subject: JobSubjectDep, platform: PlatformDep) -> None:
    """CPU, memory and accelerators of one node. The same moment sent twice is kept once."""
    _, attempt_id = _attempt_of(subject)
    await platform.attempt_ingest.store_samples(attempt_id, post.node, post.samples)


@router.post(
    "/metrics",
    summary="Hand in metrics",
    responses=problems(LogGap, AttemptOver, Invalid, NotAllowed, Unavailable),
)
async def post_metrics(
    post: MetricsPost, request: Request, subject: JobSubjectDep, platform: PlatformDep
) -> SegmentStored:
    """Points of the job's metrics file, in order, logged into the attempt's MLflow run. As with segments, go on from
    `next_byte`.
    """
    project_id, attempt_id = _attempt_of(subject)
    try:
        return SegmentStored(next_byte=await platform.attempt_ingest.store_metrics(project_id, attempt_id, post))
    except LogGap as gap:
        return _gap(gap, request)  # pyright: ignore[reportReturnType]


@router.put(
    "/result",
    status_code=204,
    summary="Hand in a function's result",
    responses=problems(AttemptOver, TooLarge, NotAllowed, Unavailable),
    openapi_extra=_GZIP_BODY,
)
async def put_result(request: Request, subject: JobSubjectDep, platform: PlatformDep) -> None:
    """At most 16 MiB. The last one handed in counts."""
    project_id, attempt_id = _attempt_of(subject)
    await platform.attempt_ingest.store_result(project_id, attempt_id, request.stream())


def _attempt_of(subject: Subject) -> tuple[str, str]:
    if subject.only_project is None or subject.attempt_id is None:
        raise NotAllowed("Only the processes of a job can do this.")
    return subject.only_project, subject.attempt_id


def _times(text: str) -> tuple[tuple[int, int], ...]:
    try:
        return tuple(_Times.validate_json(text))
    except ValidationError as error:
        rule = "is a JSON list of pairs of whole numbers"
        raise Invalid(f"The header X-Log-Times {rule}.", fields={"X-Log-Times": rule}) from error


def _gap(gap: LogGap, request: Request) -> Response:
    """The problem, with `next_byte` also at its top, where an acceptance has it: agents read one place."""
    problem = problem_of(gap, request_id_of(request))
    body = problem.model_dump(mode="json", exclude_none=True) | {"next_byte": gap.data["next_byte"]}
    return Response(json.dumps(body), problem.status, media_type=MEDIA_TYPE)
