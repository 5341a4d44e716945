"""Loading the wire types on first use.

Building them costs a quarter of a second, and the command line shows most answers without needing them. This is the
one place where a type of `mlp.schemas` is named by text; a test resolves every name against the annotations.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def schema(name: str) -> Any:
    """`"jobs.JobRead"` → the class."""
    module, _, attribute = name.partition(".")
    return getattr(import_module(f"mlp.schemas.{module}"), attribute)


def read(name: str) -> Callable[[Any], Any]:
    """A parser of one JSON document into `name`."""
    return lambda data: schema(name).model_validate(data)


def read_page(name: str) -> Callable[[Any], Any]:
    """A parser of one page of `name`."""
    return lambda data: schema("base.Page")[schema(name)].model_validate(data)


def read_list(name: str) -> Callable[[Any], Any]:
    """A parser of a list, plain or as the `items` of a page."""

    def parse(data: Any) -> Any:
        rows: list[Any] = data["items"] if hasattr(data, "keys") else data
        kind = schema(name)
        return [kind.model_validate(row) for row in rows]

    return parse
