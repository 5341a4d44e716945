"""What a call is, before anything is sent: pure data, shared by the synchronous and the asynchronous face."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Generic, TypeAlias, TypeVar, cast
from urllib.parse import quote, urlencode

T = TypeVar("T")

API = "/api/v1"
DEFAULT_TIMEOUT_SECONDS = 30.0

Flow: TypeAlias = Generator["Call[Any]", Any, T]
"""Several calls that make one operation. It yields calls and is sent their results; either face can run it."""


def _same(data: Any) -> Any:
    return data


def _no_headers() -> dict[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One request and how its answer is read. `timeout_seconds` bounds it whole, retries included."""

    method: str
    path: str
    parse: Callable[[Any], T] = _same
    params: Sequence[tuple[str, str]] = ()
    json: Any = None
    content: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=_no_headers)
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS

    def raw(self) -> Call[Any]:
        """The same call, answered with plain JSON values."""
        return dataclasses.replace(self, parse=_same)  # pyright: ignore[reportReturnType]

    def after(self, cursor: str) -> Call[T]:
        """The same list from `cursor` on."""
        kept = [pair for pair in self.params if pair[0] != "cursor"]
        return dataclasses.replace(self, params=[*kept, ("cursor", cursor)])

    def with_headers(self, **headers: str) -> Call[T]:
        return dataclasses.replace(self, headers={**self.headers, **headers})

    @property
    def target(self) -> str:
        """Path and query."""
        return f"{self.path}?{urlencode(self.params)}" if self.params else self.path


@dataclass(frozen=True, slots=True)
class Request:
    """What a transport sends. `url` is absolute."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """What came back. Header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""


def path(*parts: str) -> str:
    """A path below `/api/v1`, each part quoted; `:` stays, for digests and actions."""
    return "/".join([API, *(quote(part, safe=":@") for part in parts)])


def params(**given: Any) -> list[tuple[str, str]]:
    """Query parameters; `None` is left out, a sequence repeats its name."""
    pairs: list[tuple[str, str]] = []
    for name, value in given.items():
        is_list = isinstance(value, list | tuple)
        pairs += [
            (name, _text(item)) for item in (cast("Sequence[Any]", value) if is_list else [value]) if item is not None
        ]
    return pairs


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return f"{value.total_seconds():g}s"
    return str(value)


def wire(model: Any) -> Any:
    """A wire type, or plain JSON values, as JSON values. Only what was set is sent; defaults are the platform's."""
    if hasattr(model, "model_dump"):
        return model.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return model
