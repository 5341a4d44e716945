"""The bytes of artifacts, going out."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from mlp.schemas.artifacts import PART_BYTES
from mlp_core.artifacts.keys import part_key
from mlp_core.domain.errors import WrongPhase
from mlp_core.gateways.objects import ObjectStore
from mlp_core.tables import ArtifactRow


def part_count(size: int) -> int:
    """How many parts an artifact of `size` bytes has."""
    return -(-size // PART_BYTES)


def require_complete(row: ArtifactRow) -> None:
    """Raises `WrongPhase`."""
    if row.completed_at is None:
        raise WrongPhase(f"'{row.path}' is not stored whole yet.", hint="See `mlp job artifacts` for how far it is.")


async def content(objects: ObjectStore, row: ArtifactRow, start: int, end: int) -> AsyncGenerator[bytes]:
    """Bytes `[start, end)`.

    Raises:
        WrongPhase: the artifact is not complete.
    """
    require_complete(row)
    for number in range(start // PART_BYTES, part_count(end)):
        first = number * PART_BYTES
        pieces = objects.stream(part_key(row.object_key, number), max(0, start - first), end - first)
        async for piece in pieces:
            yield piece
