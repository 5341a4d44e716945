"""Packages: upload in parts, show, download, delete."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query, Request, Response
from fastapi.responses import PlainTextResponse, StreamingResponse

from mlp.schemas.base import Digest, Page
from mlp.schemas.packages import (
    MAX_PACKAGE_FILES,
    PackageCreate,
    PackageFiles,
    PackageRead,
    PackageShow,
    PackageUpload,
)
from mlp_api.deps import EditorDetached, PagingDep, PlatformDep, ViewerDetached
from mlp_api.idempotency import PlatformRoute
from mlp_api.problems import problems
from mlp_api.ranges import RangeHeader, stored_bytes
from mlp_core.domain.errors import (
    DigestMismatch,
    Invalid,
    NotFound,
    StillInUse,
    TooLarge,
    UnsafePackage,
    WrongPhase,
)
from mlp_core.packages import read

router = APIRouter(prefix="/projects/{project}/packages", tags=["packages"], route_class=PlatformRoute)

MOST_FILES = 5000

PackageDigest = Annotated[Digest, Path(description="`sha256:` and the hexadecimal sha256 of the whole archive.")]
PartNumber = Annotated[int, Path(ge=0, le=10_000, description="Counted from 0.")]

_EXAMPLE = {"digest": "sha256:" + "0" * 64, "size": 20_000_000, "name": "digits"}
_BINARY_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
_BINARY_ANSWER: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The zip archive.",
        "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
    },
    206: {"description": "The part of it that `Range` asks for."},
    416: {"description": "`Range` starts after the end."},
}


@router.get("", summary="List packages", responses=problems(Invalid))
async def list_packages(scope: ViewerDetached, platform: PlatformDep, paging: PagingDep) -> Page[PackageRead]:
    """Packages of the project, newest first, unfinished uploads included."""
    found, jobs = await platform.packages.page(scope, paging.request)
    return paging.answer(found, [read.read_package(row, jobs.get(row.digest, 0)) for row in found.rows])


@router.post(
    "",
    status_code=201,
    summary="Begin or go on with an upload",
    responses={200: {"model": PackageUpload, "description": "It was begun before."}} | problems(Invalid),
)
async def create_package(
    wanted: Annotated[PackageCreate, Body(openapi_examples={"digits": {"value": _EXAMPLE}})],
    scope: EditorDetached,
    platform: PlatformDep,
    response: Response,
) -> PackageUpload:
    """Says which parts the platform has; send the others, then complete it. A whole package has them all.

    The digest makes it idempotent, so it takes no `Idempotency-Key`.
    """
    upload = await platform.packages.begin(scope, wanted)
    response.status_code = 201 if upload.is_new else 200
    return read.read_upload(upload.row)


@router.get("/{digest}", summary="Show a package", responses=problems(NotFound))
async def get_package(digest: PackageDigest, scope: ViewerDetached, platform: PlatformDep) -> PackageShow:
    """With its first 1,000 files."""
    row = await platform.packages.get(scope, digest)
    entries, truncated = await platform.packages.listing(row)
    return read.show_package(row, await platform.packages.uses(scope, digest), entries, truncated)


@router.put(
    "/{digest}/parts/{number}",
    summary="Send one part",
    responses=problems(NotFound, Invalid),
    openapi_extra=_BINARY_BODY,
)
async def put_package_part(
    digest: PackageDigest, number: PartNumber, request: Request, scope: EditorDetached, platform: PlatformDep
) -> PackageUpload:
    """Parts have 8 MiB each, the last one the rest. They may come in any order, at the same time, and again."""
    return read.read_upload(await platform.packages.put_part(scope, digest, number, request.stream()))


@router.post(
    "/{digest}:complete",
    summary="Complete an upload",
    responses=problems(WrongPhase, DigestMismatch, UnsafePackage, NotFound, Invalid),
)
async def complete_package(digest: PackageDigest, scope: EditorDetached, platform: PlatformDep) -> PackageRead:
    """Joins the parts, proves the digest, and refuses archives that could do harm where they are unpacked.

    Repeating it gives the same answer, so it takes no `Idempotency-Key`.
    """
    return read.read_package(await platform.packages.complete(scope, digest))


@router.get(
    "/{digest}/content",
    summary="Download a package",
    response_class=StreamingResponse,
    responses=_BINARY_ANSWER | problems(NotFound, WrongPhase),
)
async def get_package_content(
    digest: PackageDigest,
    scope: ViewerDetached,
    platform: PlatformDep,
    range_: RangeHeader = None,
) -> Response:
    """The archive as it was sent. Takes one `Range`, to go on with a broken download."""
    row = await platform.packages.get(scope, digest)
    headers = {
        "ETag": f'"{digest}"',
        "Cache-Control": "private, max-age=31536000, immutable",
        "Content-Disposition": f'attachment; filename="{digest[7:19]}.zip"',
    }

    def content(start: int, end: int) -> AsyncIterator[bytes]:
        return platform.packages.content(row, start, end)

    return stored_bytes(content, row.size, range_, headers=headers, media_type="application/zip")


@router.get("/{digest}/files", summary="List a package's files", responses=problems(NotFound, WrongPhase, Invalid))
async def list_package_files(
    digest: PackageDigest,
    scope: ViewerDetached,
    platform: PlatformDep,
    start: Annotated[int, Query(ge=0, le=MAX_PACKAGE_FILES, description="Number of the first one, from 0.")] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_FILES, description="Files of one answer.")] = MOST_FILES,
) -> PackageFiles:
    """With sizes and checksums, so that two packages can be compared without reading them."""
    row = await platform.packages.get(scope, digest)
    return read.read_files(row, *await platform.packages.files(row, start, limit))


@router.get(
    "/{digest}/files/{path:path}",
    summary="Show a text file of a package",
    response_class=PlainTextResponse,
    responses={200: {"description": "The file.", "content": {"text/plain": {"schema": {"type": "string"}}}}}
    | problems(NotFound, WrongPhase, TooLarge, Invalid, UnsafePackage),
)
async def get_package_file(
    digest: PackageDigest,
    path: Annotated[str, Path(description="As the list of files has it.", min_length=1, max_length=1024)],
    scope: ViewerDetached,
    platform: PlatformDep,
) -> PlainTextResponse:
    """Always as plain text, whatever its name says, up to 1 MiB; 413 for a larger one, 422 for what is no text."""
    row = await platform.packages.get(scope, digest)
    return PlainTextResponse(await platform.packages.text(row, path))


@router.delete("/{digest}", status_code=204, summary="Delete a package", responses=problems(StillInUse, NotFound))
async def delete_package(digest: PackageDigest, scope: EditorDetached, platform: PlatformDep) -> None:
    """Refused while any job names it, also an ended one: jobs are reproduced from their package."""
    await platform.packages.delete(scope, digest)
