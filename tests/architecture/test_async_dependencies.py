"""Every dependency of every route is a coroutine: FastAPI would run the others in threads, at each request."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import isasyncgenfunction, iscoroutinefunction

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from mlp_api.routers import AT_ROOT, BELOW_API

FOREIGN = frozenset({"APIKeyCookie", "HTTPBearer"})
"""Callables of FastAPI's own, with a coroutine inside."""


def _all(dependant: Dependant) -> Iterator[Dependant]:
    for inner in dependant.dependencies:
        yield inner
        yield from _all(inner)


def test_no_dependency_runs_in_a_thread() -> None:
    found = {
        f"{route.name}: {getattr(dependant.call, '__name__', dependant.call)}"
        for router in (*BELOW_API, *AT_ROOT)
        for route in router.routes
        if isinstance(route, APIRoute)
        for dependant in _all(route.dependant)
        if type(dependant.call).__name__ not in FOREIGN
        and not iscoroutinefunction(dependant.call)
        and not isasyncgenfunction(dependant.call)
    }
    assert found == set()


def test_no_route_runs_in_a_thread() -> None:
    found = {
        route.name
        for router in (*BELOW_API, *AT_ROOT)
        for route in router.routes
        if isinstance(route, APIRoute) and not iscoroutinefunction(route.endpoint)
    }
    assert found == set()
