"""Where packages lie in the object store."""

from __future__ import annotations


def package_key(project_id: str, digest: str) -> str:
    return f"packages/{project_id}/{digest.removeprefix('sha256:')}"


def parts_prefix(project_id: str, digest: str) -> str:
    return f"{package_key(project_id, digest)}.parts"


def part_key(project_id: str, digest: str, number: int) -> str:
    return f"{parts_prefix(project_id, digest)}/{number}"
