"""What the processes of a job hand in, with the job's own token. Each route is safe to repeat."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Body, Header, Path, Request, Response
from pydantic import TypeAdapter, ValidationError

from mlp.schemas.agent import Cursors, MetricsPost, ProcessReport, SamplesPost, SegmentStored
from mlp.schemas.artifacts import ArtifactComplete, ArtifactStart, ArtifactUpload
from mlp_api.deps import JobSubjectDep, PlatformDep
from mlp_api.problems import MEDIA_TYPE, problem_of, problems, request_id_of
from mlp_core.artifacts.read import read_upload
from mlp_core.domain.errors import (
    AttemptOver,
    DigestMismatch,
    Invalid,
    LogGap,
    NotAllowed,
    NotFound,
    TooLarge,
    Unavailable,
)
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
_EXAMPLE_REPORT = {"started_at": "2026-11-30T12:00:00Z", "ended_at": "2026-11-30T12:10:00Z", "exit_code": 0}
_EXAMPLE_ARTIFACT = {"path": "model/weights.bin", "size": 20_000_000}
ArtifactId = Annotated[str, Path(max_length=40, description="As `POST /agent/artifacts` answered it.")]
PartNumber = Annotated[int, Path(ge=0, lt=2**31, description="Counted from 0.")]
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
    await platform.attempt_ingest.store_samples(attempt_id, post.node, post.samples, post.sent_at)


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
    "/report",
    status_code=204,
    summary="Tell how the process stands",
    responses=problems(AttemptOver, Invalid, NotAllowed),
)
async def put_report(
    report: Annotated[ProcessReport, Body(openapi_examples={"ended": {"value": _EXAMPLE_REPORT}})],
    subject: JobSubjectDep,
    platform: PlatformDep,
) -> None:
    """From the agent beside the process, where the engine cannot look itself. The last one counts, but what has ended
    has ended.
    """
    _, attempt_id = _attempt_of(subject)
    await platform.attempt_ingest.store_report(attempt_id, report)


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


@router.post(
    "/artifacts",
    summary="Begin or go on with storing an artifact",
    responses=problems(AttemptOver, Invalid, TooLarge, NotAllowed),
)
async def start_artifact(
    wanted: Annotated[ArtifactStart, Body(openapi_examples={"model": {"value": _EXAMPLE_ARTIFACT}})],
    subject: JobSubjectDep,
    platform: PlatformDep,
) -> ArtifactUpload:
    """A file of the attempt's output folder. Go on with part `next_part`; then complete it."""
    project_id, attempt_id = _attempt_of(subject)
    return read_upload(await platform.artifacts.start(project_id, attempt_id, wanted))


@router.put(
    "/artifacts/{artifact}/parts/{number}",
    summary="Hand in a part of an artifact",
    responses=problems(AttemptOver, NotFound, Invalid, NotAllowed, Unavailable),
    openapi_extra=_GZIP_BODY,
)
async def put_artifact_part(
    artifact: ArtifactId, number: PartNumber, request: Request, subject: JobSubjectDep, platform: PlatformDep
) -> ArtifactUpload:
    """Parts have 8 MiB each, the last one the rest, and come in order. One that is stored already, or comes before its
    turn, is not stored: go on from `next_part`.
    """
    _, attempt_id = _attempt_of(subject)
    return read_upload(await platform.artifacts.put_part(attempt_id, artifact, number, request.stream()))


@router.post(
    "/artifacts/{artifact}:complete",
    summary="Complete an artifact",
    responses=problems(AttemptOver, NotFound, DigestMismatch, Invalid, NotAllowed, Unavailable),
)
async def complete_artifact(
    artifact: ArtifactId,
    wanted: Annotated[ArtifactComplete, Body(openapi_examples={"model": {"value": {"sha256": "0" * 64}}})],
    subject: JobSubjectDep,
    platform: PlatformDep,
) -> ArtifactUpload:
    """Reads all parts back and compares their digest. Where parts are missing, go on from `next_part`."""
    _, attempt_id = _attempt_of(subject)
    return read_upload(await platform.artifacts.complete(attempt_id, artifact, wanted.sha256))


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
