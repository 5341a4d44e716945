"""A package from the platform, with the attempt's own token: by streaming, going on where it was broken off."""

from __future__ import annotations

import http
import http.client
import os
import time
from pathlib import Path
from typing import IO
from urllib.parse import quote, urlsplit

from mlp.runtime._transport import Backoff
from mlp.runtime.pods.work import Work
from mlp.runtime.unpacking import CHUNK_BYTES

_REQUEST_SECONDS = 30.0
_OVER = frozenset({401, 403, 410})


class PackageMissingError(Exception):
    """The platform has no such package, or does not give it to this attempt."""


class PlatformAwayError(Exception):
    """The platform could not be reached, for as long as it was tried."""


def fetch(work: Work, digest: str, into: Path, seconds: float) -> None:
    """Download the archive of `digest` to `into`, trying for at most `seconds`.

    Raises:
        PackageMissingError: trying again does not help.
        PlatformAwayError: it may.
    """
    until = time.monotonic() + seconds
    backoff = Backoff()
    into.unlink(missing_ok=True)
    while True:
        try:
            with into.open("ab") as file:
                _receive(work, digest, file)
            return
        except (OSError, http.client.HTTPException) as error:
            now = time.monotonic()
            backoff.failed(now)
            if backoff.retry_at >= until:
                told = f"The code package could not be downloaded from {work.api_url}: {_told(error)}"
                raise PlatformAwayError(told) from error
            time.sleep(backoff.retry_at - now)


def _receive(work: Work, digest: str, file: IO[bytes]) -> None:
    """The rest of the archive, from where `file` ends."""
    parts = urlsplit(work.api_url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=_REQUEST_SECONDS)
    start = file.seek(0, os.SEEK_END)
    path = f"{parts.path.rstrip('/')}/api/v1/projects/{quote(work.project)}/packages/{quote(digest)}/content"
    headers = {"Authorization": f"Bearer {work.token}"} | ({"Range": f"bytes={start}-"} if start else {})
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        if answer.status == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and start:
            # It had been received whole, and only its end was not heard.
            return
        _require_content(answer, start, digest)
        while chunk := answer.read(CHUNK_BYTES):
            file.write(chunk)
        if answer.length:
            raise http.client.IncompleteRead(b"", answer.length)
    finally:
        connection.close()


def _require_content(answer: http.client.HTTPResponse, start: int, digest: str) -> None:
    wanted = http.HTTPStatus.PARTIAL_CONTENT if start else http.HTTPStatus.OK
    if answer.status == wanted:
        return
    if answer.status == http.HTTPStatus.NOT_FOUND:
        raise PackageMissingError(f"The code package {digest} is not in the store any more.")
    if answer.status in _OVER:
        raise PackageMissingError(f"The platform does not give the code package to this attempt ({answer.status}).")
    raise http.client.HTTPException(f"the platform answers {answer.status}")


def _told(error: Exception) -> str:
    return str(error) or type(error).__name__
