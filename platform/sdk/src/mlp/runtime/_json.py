"""Small JSON files and objects, read strictly and written atomically. Standard library only."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import cast

JsonObject = Mapping[str, object]


class MalformedError(ValueError):
    """A file or an answer does not hold what it must; the message names the field."""


def parse_object(text: str | bytes, what: str) -> JsonObject:
    """The JSON object in `text`. Raises `MalformedError`, with `what` in its sentence."""
    try:
        value: object = json.loads(text)
    except ValueError as error:
        raise MalformedError(f"{what} is not JSON: {error}") from error
    return as_object(value, what)


def as_object(value: object, what: str) -> JsonObject:
    if not isinstance(value, dict):
        raise MalformedError(f"{what} must be a JSON object")
    return cast("dict[str, object]", value)


def as_list(value: object, what: str) -> list[object]:
    if not isinstance(value, list):
        raise MalformedError(f"{what} must be a list")
    return cast("list[object]", value)


def as_text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise MalformedError(f"{what} must be text")
    return value


def as_number(value: object, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise MalformedError(f"{what} must be a number")
    return float(value)


def as_integer(value: object, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise MalformedError(f"{what} must be a whole number")
    return value


def as_texts(value: object, what: str) -> tuple[str, ...]:
    return tuple(as_text(item, what) for item in as_list(value, what))


def as_text_map(value: object, what: str) -> dict[str, str]:
    return {key: as_text(item, f"{what}.{key}") for key, item in as_object(value, what).items()}


def optional_text(source: JsonObject, key: str) -> str | None:
    value = source.get(key)
    return None if value is None else as_text(value, key)


def optional_number(source: JsonObject, key: str) -> float | None:
    value = source.get(key)
    return None if value is None else as_number(value, key)


def optional_integer(source: JsonObject, key: str) -> int | None:
    value = source.get(key)
    return None if value is None else as_integer(value, key)


def read_object(path: Path) -> JsonObject:
    """The object in the file. Raises `FileNotFoundError` and `MalformedError`."""
    return parse_object(path.read_bytes(), path.name)


def write_object(path: Path, value: JsonObject, mode: int = 0o644) -> None:
    """Write the file whole or not at all: a reader never sees half, a crash leaves the old one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.unlink(missing_ok=True)
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        json.dump(value, stream)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(path)
