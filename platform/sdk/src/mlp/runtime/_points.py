"""The metrics file: one JSON line per point, written by `runtime.log_metrics`, shipped by the agent."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from typing import cast

MAX_POINTS = 1000
_CHUNK_BYTES = 1 << 18
_MAX_KEY_LENGTH = 250
_MAX_STEP = 2**53


@dataclass(frozen=True, slots=True)
class Batch:
    """Points of the lines from byte `start` to byte `end`. Lines the api could not take are left out."""

    start: int
    end: int
    points: list[dict[str, object]]


def read_batch(path: str, start: int, limit: int = MAX_POINTS) -> Batch | None:
    """Up to `limit` whole lines from `start`; with 0, one line without its point. None where there is no line yet."""
    try:
        with open(path, "rb") as stream:
            stream.seek(start)
            chunk = stream.read(_CHUNK_BYTES)
    except FileNotFoundError:
        return None
    lines = chunk.split(b"\n")
    if len(lines) == 1:
        # A line longer than a chunk is none of ours; what is shorter is still being written.
        return Batch(start, start + len(chunk), []) if len(chunk) == _CHUNK_BYTES else None
    whole = lines[:-1][: max(1, limit)]
    points = [point for point in map(_point, whole) if point is not None][:limit]
    return Batch(start, start + sum(len(line) + 1 for line in whole), points)


def size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def _point(line: bytes) -> dict[str, object] | None:
    try:
        decoded: object = json.loads(line)
    except ValueError:
        return None
    if not isinstance(decoded, dict):
        return None
    source = cast("dict[str, object]", decoded)
    key, value, step, at = (source.get(name) for name in ("key", "value", "step", "at"))
    if not isinstance(key, str) or not 0 < len(key) <= _MAX_KEY_LENGTH or "\0" in key or not isinstance(at, str):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    if isinstance(step, bool) or not isinstance(step, int) or abs(step) > _MAX_STEP:
        return None
    return {"key": key, "value": float(value), "step": step, "at": at}
