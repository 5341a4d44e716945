"""Rows of artifacts as wire types."""

from __future__ import annotations

from mlp.schemas.artifacts import PART_BYTES, ArtifactRead, ArtifactUpload
from mlp_core.artifacts.content import part_count
from mlp_core.tables import ArtifactRow


def read_artifact(row: ArtifactRow, attempt: int) -> ArtifactRead:
    return ArtifactRead(
        path=row.path,
        attempt=attempt,
        size=row.size,
        stored=min(row.size, row.parts * PART_BYTES),
        complete=row.completed_at is not None,
        sha256=row.sha256,
        created_at=row.created_at,
        completed_at=row.completed_at,
    )


def read_upload(row: ArtifactRow) -> ArtifactUpload:
    return ArtifactUpload(
        id=row.id, parts=part_count(row.size), next_part=row.parts, complete=row.completed_at is not None
    )
