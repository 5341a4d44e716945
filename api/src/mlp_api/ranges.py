"""Answers that are stored bytes, whole or one range of them, so that a broken download goes on where it stopped."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Annotated

from fastapi import Header, Response
from fastapi.responses import StreamingResponse

RangeHeader = Annotated[
    str | None, Header(alias="Range", max_length=100, description="One range, such as `bytes=1000-`.")
]
_RANGE = re.compile(r"bytes=(\d{1,18})-(\d{0,18})")


def stored_bytes(
    content: Callable[[int, int], AsyncIterator[bytes]],
    size: int,
    range_: str | None,
    *,
    headers: Mapping[str, str],
    media_type: str = "application/octet-stream",
) -> Response:
    """200 with all `size` bytes, 206 with `[start, end)` of them, or 416; `content` reads a range."""
    start, end = _asked(range_, size)
    sent = {**headers, "Accept-Ranges": "bytes", "Content-Length": str(max(0, end - start))}
    if start >= end and size > 0:
        return Response(status_code=416, headers={"Content-Range": f"bytes */{size}"})
    if (start, end) == (0, size):
        return StreamingResponse(content(start, end), 200, sent, media_type=media_type)
    sent["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
    return StreamingResponse(content(start, end), 206, sent, media_type=media_type)


def _asked(range_: str | None, size: int) -> tuple[int, int]:
    """`[start, end)`; the whole where `Range` is absent or of a kind that may be ignored."""
    match = _RANGE.fullmatch(range_ or "")
    if match is None or size == 0:
        return 0, size
    last = int(match[2]) if match[2] else size - 1
    return int(match[1]), min(last + 1, size)
