"""Environments: what code needs, resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlp._lazy import read, read_page
from mlp.client.call import Call, params, path, wire

if TYPE_CHECKING:
    from mlp.schemas.base import Page
    from mlp.schemas.environments import EnvironmentCreate, EnvironmentRead


def list_environments(project: str, *, limit: int | None = None) -> Call[Page[EnvironmentRead]]:
    return Call(
        "GET",
        path("projects", project, "environments"),
        read_page("environments.EnvironmentRead"),
        params(limit=limit),
    )


def get(project: str, environment: str) -> Call[EnvironmentRead]:
    return Call("GET", path("projects", project, "environments", environment), read("environments.EnvironmentRead"))


def create(project: str, wanted: EnvironmentCreate) -> Call[EnvironmentRead]:
    return Call(
        "POST",
        path("projects", project, "environments"),
        read("environments.EnvironmentRead"),
        json=wire(wanted),
    )


def delete(project: str, environment: str) -> Call[None]:
    return Call("DELETE", path("projects", project, "environments", environment))
