"""Reading objects of the API, in which any part may be absent. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

Manifest = dict[str, Any]


def part(manifest: Manifest, *path: str) -> Manifest:
    """What lies below `path`; empty where there is nothing."""
    found: Any = manifest
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    return cast(Manifest, found) if isinstance(found, dict) else {}


def items(manifest: Manifest, *path: str) -> list[Manifest]:
    found = part(manifest, *path[:-1]).get(path[-1])
    return cast(list[Manifest], found) if isinstance(found, list) else []


def text(manifest: Manifest, *path: str) -> str:
    """Empty where it is absent."""
    found = part(manifest, *path[:-1]).get(path[-1])
    return "" if found is None else str(found)


def number(manifest: Manifest, *path: str) -> int:
    """0 where it is absent."""
    return int(text(manifest, *path) or 0)


def label(manifest: Manifest, name: str) -> str:
    return text(manifest, "metadata", "labels", name)


def annotation(manifest: Manifest, name: str) -> str:
    return text(manifest, "metadata", "annotations", name)


def is_going(manifest: Manifest) -> bool:
    return bool(text(manifest, "metadata", "deletionTimestamp"))


def instant(value: str) -> datetime:
    return datetime.fromisoformat(value.replace("Z", "+00:00"))


def condition(manifest: Manifest, kind: str, part_name: str = "status") -> str:
    """A part (`status`, `reason`, `message`) of a condition; empty where it is not there."""
    for one in items(manifest, "status", "conditions"):
        if one.get("type") == kind:
            return text(one, part_name)
    return ""
