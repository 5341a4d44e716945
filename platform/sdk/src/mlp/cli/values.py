"""Turning what was typed into values, for the few kinds of parameter that commands have here.

Typer builds a pydantic adapter for each parameter of a command that is called. That costs more than a whole
`mlp job list` may take, so the parameters get this in its place; what is not known here is left to Typer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import typer


@dataclass(frozen=True, slots=True)
class Values:
    """Reads the values of one parameter. `one` reads a single one."""

    one: Callable[[Any], Any]
    is_many: bool

    def coerce(self, value: Any, *, param: Any, ctx: Any) -> Any:
        """
        Raises:
            BadParameter: it is not what the parameter takes.
        """
        if value is None:
            return () if self.is_many else None
        try:
            return [self.one(item) for item in value] if self.is_many else self.one(value)
        except ValueError as error:
            raise typer.BadParameter(str(error), ctx=ctx, param=param) from None


def lighten(command: Any) -> Any:
    """Give every parameter of `command` that is known here its reader, `--help` included."""
    help_option = command.get_help_option(typer.Context(command, **command.context_settings))
    for param in [*command.params, help_option]:
        descriptor = getattr(param, "type_descriptor", None)
        if descriptor is None:
            continue
        values = _values(descriptor.annotation, descriptor.parameter_info)
        if values is not None:
            param.get_runtime_param = lambda values=values: values
    return command


def _values(annotation: Any, info: Any) -> Values | None:
    kind = _bare(annotation)
    if get_origin(kind) is list:
        one = _reader(get_args(kind)[0], info)
        return Values(one, is_many=True) if one is not None else None
    one = _reader(kind, info)
    return Values(one, is_many=False) if one is not None else None


def _bare(annotation: Any) -> Any:
    """`str | None` → `str`."""
    if get_origin(annotation) in (Union, UnionType):
        kinds = [kind for kind in get_args(annotation) if kind is not NoneType]
        return kinds[0] if len(kinds) == 1 else annotation
    return annotation


def _reader(kind: Any, info: Any) -> Callable[[Any], Any] | None:
    if kind is str:
        return str
    if kind is bool:
        return bool
    if kind is Path:
        return Path
    if kind is int or kind is float:
        return lambda value: _number(kind, value, info.min, info.max)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return lambda value: _choice(kind, value)
    return None


def _number(kind: type[int] | type[float], value: Any, least: float | None, most: float | None) -> float:
    try:
        number = kind(value)
    except ValueError:
        raise ValueError(f"'{value}' is not {'a whole number' if kind is int else 'a number'}.") from None
    if (least is not None and number < least) or (most is not None and number > most):
        low = "" if least is None else f" at least {least:g}"
        high = "" if most is None else f" at most {most:g}"
        raise ValueError(f"{value} is out of range: it must be{low}{' and' if low and high else ''}{high}.")
    return number


def _choice(kind: type[Enum], value: Any) -> Enum:
    try:
        return kind(value)
    except ValueError:
        raise ValueError(f"'{value}' is none of {', '.join(str(one.value) for one in kind)}.") from None
