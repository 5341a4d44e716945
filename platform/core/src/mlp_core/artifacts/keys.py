"""Where artifacts lie in the object store: each in a folder of its parts, so that nothing is ever copied together."""

from __future__ import annotations


def artifacts_prefix(project_id: str, attempt_id: str) -> str:
    return f"artifacts/{project_id}/{attempt_id}/"


def part_key(object_key: str, number: int) -> str:
    return f"{object_key}/{number:08d}"
