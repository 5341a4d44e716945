"""Shared pieces of the wire: strict objects, units, names, pages."""

from __future__ import annotations

import difflib
import re
from datetime import datetime, timedelta
from typing import Annotated, Any, Generic, TypeVar

from pydantic import (
    AfterValidator,
    AliasChoices,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)
from pydantic.fields import FieldInfo

from mlp.schemas.units import format_duration, format_memory, parse_cpu, parse_duration, parse_memory

T = TypeVar("T")


class Wire(BaseModel):
    """What the server answers. Unknown fields are ignored, so that an older client reads a newer server."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Intent(BaseModel):
    """What a client asks for. Unknown fields are refused, with the nearest known name."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=False)

    @model_validator(mode="before")
    @classmethod
    def _name_unknown_fields(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        given: dict[Any, Any] = value  # pyright: ignore[reportUnknownVariableType]
        names = {name: _wire_names(name, info) for name, info in cls.model_fields.items()}
        known = {spelling for spellings in names.values() for spelling in spellings}
        shown = [spellings[0] for spellings in names.values()]
        for name in given:
            if name not in known:
                near = difflib.get_close_matches(str(name), shown, n=1)
                hint = f"Did you mean '{near[0]}'?" if near else f"Known fields: {', '.join(shown)}."
                raise ValueError(f"unknown field '{name}'. {hint}")
        return given


def _wire_names(name: str, info: FieldInfo) -> list[str]:
    """How a field may be spelled on the wire, the documented spelling first."""
    if isinstance(info.validation_alias, AliasChoices):
        return [str(choice) for choice in info.validation_alias.choices]
    return [info.alias or name]


def _no_nul(text: str) -> str:
    if "\x00" in text:
        raise ValueError("must not contain the NUL character")
    return text


SLUG_PATTERN = r"^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$"

Text = Annotated[str, AfterValidator(_no_nul)]
Slug = Annotated[str, StringConstraints(pattern=SLUG_PATTERN)]
"""Lower-case name usable in URLs, namespaces and MLflow workspaces: 1-40 characters."""
NodeLabelKey = Annotated[
    str,
    StringConstraints(
        pattern=r"^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$"
    ),
]
"""As Kubernetes has them: up to 63 characters, after a DNS name and a slash where it is a vendor's."""
NodeLabelValue = Annotated[str, StringConstraints(pattern=r"^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$")]
DisplayName = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(_no_nul)]
"""A name for people: any script, spaces allowed, 1-200 characters."""
VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=256)]
Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
Instant = AwareDatetime
"""RFC 3339, always with a zone; the server answers in UTC."""


def _plausible(value: datetime) -> datetime:
    if not 2000 <= value.year < 2200:
        raise ValueError("is not a time between the years 2000 and 2200")
    return value


GivenInstant = Annotated[AwareDatetime, AfterValidator(_plausible)]
"""An instant that a client names: one that every clock, zone and database can reckon with."""

Memory = Annotated[
    int,
    BeforeValidator(parse_memory),
    Field(ge=0, le=2**50),
    PlainSerializer(format_memory, return_type=str),
    WithJsonSchema({"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)?([kMGTPE]|[KMGTPE]i)?$", "examples": ["2Gi"]}),
]
"""Bytes in Python, a Kubernetes quantity such as `2Gi` on the wire."""
Cpu = Annotated[float, BeforeValidator(parse_cpu), Field(ge=0, le=4096)]
"""Cores: `2`, `0.5` or `500m`."""
Duration = Annotated[
    timedelta,
    BeforeValidator(parse_duration),
    PlainSerializer(format_duration, return_type=str),
    WithJsonSchema({"type": "string", "pattern": r"^([0-9]+(\.[0-9]+)?(ms|s|m|h|d))+$", "examples": ["1h30m"]}),
]
"""A Go-like duration such as `1h30m`; a bare number means seconds."""


class Page(Wire, Generic[T]):
    """One page of a keyset-paginated list, newest first unless said otherwise."""

    items: list[T]
    next: str | None = Field(default=None, description="Cursor of the next page; null only at the real end.")
    total: int | None = Field(default=None, description="How many rows match, where it is cheap to know.")


class ResourceRef(Wire):
    id: str
    name: str
    url: str | None = None


_INTEGER = re.compile(r"^\d+$")


def parse_replicas(value: Any) -> Any:
    """`2`, `"2"` or a range `"1..4"` → `{min, max}`."""
    if isinstance(value, bool):
        raise ValueError("replicas must be a number such as 2 or a range such as '1..4'")
    if isinstance(value, int):
        return {"min": value, "max": value}
    if isinstance(value, str):
        low, dots, high = value.partition("..")
        if _INTEGER.match(low) and (not dots or _INTEGER.match(high)):
            return {"min": int(low), "max": int(high) if dots else int(low)}
        raise ValueError("replicas must be a number such as 2 or a range such as '1..4'")
    return value
