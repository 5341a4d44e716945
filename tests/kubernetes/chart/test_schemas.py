"""Every object that the chart makes is one that Kubernetes knows, field by field."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from chart.openapi import Schemas, of_module
from chart.rendering import SETS, Object, name

pytestmark = pytest.mark.timeout(1800)
MODULES = Path(__file__).parents[1] / "cluster/go/k8s"
ELSEWHERE = {"HTTPRoute", "ServiceMonitor"}
"""Kinds that others bring to a cluster."""


@pytest.fixture(scope="module")
def schemas() -> Schemas:
    if shutil.which("go") is None:
        pytest.skip("Kubernetes' OpenAPI document comes as a Go module, and this machine lacks Go.")
    return of_module(MODULES)


@pytest.mark.parametrize("values", SETS)
def test_objects_are_valid(schemas: Schemas, rendered: Callable[[str], tuple[Object, ...]], values: str) -> None:
    objects = rendered(values)
    assert {item["kind"] for item in objects if not schemas.knows(item)} <= ELSEWHERE
    wrong = {name(item): schemas.errors(item) for item in objects if schemas.knows(item)}
    assert {where: errors for where, errors in wrong.items() if errors} == {}


def test_the_validator_sees_a_field_that_does_not_exist(schemas: Schemas) -> None:
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "a"}, "automountTokens": True}
    assert any("automountTokens" in error for error in schemas.errors(account))
