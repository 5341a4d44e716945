"""Showing a large upload to an MLflow run for as long as it is under way: nobody takes it for there already."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from fastapi import Request

from mlp_core.domain.errors import DomainError
from mlp_core.gateways.mlflow import Mlflow

UPLOADING = "mlp.uploading"
LARGE_BYTES = 64 * 2**20
_TAG_SECONDS = 3.0
_ARTIFACT = re.compile(
    r"(ajax-)?api/2\.0/mlflow-artifacts/artifacts/[^/]+/(?P<run>[0-9a-f]{32})/artifacts/(?P<file>.+)"
)


@asynccontextmanager
async def shown(mlflow: Mlflow, project_id: str, path: str, request: Request) -> AsyncGenerator[None]:
    """Tag the run while a large artifact passes. A tag that cannot be set or removed never fails the upload."""
    match = _ARTIFACT.fullmatch(path)
    if match is None or request.method != "PUT" or not _is_large(request.headers.get("content-length")):
        yield
        return
    with suppress(DomainError, TimeoutError):
        async with asyncio.timeout(_TAG_SECONDS):
            await mlflow.runs.set_tags(project_id, match["run"], {UPLOADING: match["file"]})
    try:
        yield
    finally:
        with suppress(DomainError, TimeoutError):
            async with asyncio.timeout(_TAG_SECONDS):
                await mlflow.runs.delete_tag(project_id, match["run"], UPLOADING)


def _is_large(length: str | None) -> bool:
    """Also where the length is not known."""
    return length is None or not length.isdecimal() or int(length) > LARGE_BYTES
