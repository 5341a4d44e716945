"""ETags of what is put together from several rows: made from the content, so that none can be forgotten."""

from __future__ import annotations

import hashlib

from pydantic import BaseModel

_CLOCK_FIELDS = {"etag", "duration_seconds"}
"""Fields that say nothing of a change."""


def etag_of(read: BaseModel, generation: int) -> str:
    """Differs whenever anything that a reader sees differs."""
    content = read.model_dump_json(exclude=_CLOCK_FIELDS)
    digest = hashlib.sha256(f"{generation}\n{content}".encode()).hexdigest()
    return f'"{digest[:20]}"'
