"""Prefixed ids: sortable by time of making, random enough not to be guessed."""

from __future__ import annotations

from ulid import ULID

from mlp_core.domain.ids import PREFIXES


def new_id(kind: str) -> str:
    """`new_id("job")` → `job_01J...` (26 characters of Crockford base 32)."""
    return f"{PREFIXES[kind]}_{ULID()}"


def is_id(text: str, kind: str) -> bool:
    prefix = PREFIXES[kind] + "_"
    return text.startswith(prefix) and len(text) == len(prefix) + 26
