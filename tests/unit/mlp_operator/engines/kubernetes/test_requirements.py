"""Whether KubeRay and Kueue are there, with all that the platform cannot do without."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from mlp_operator.engines.kubernetes.requirements import problems
from support.kube_definitions import definitions


def without(name: str) -> dict[str, Any]:
    return {**definitions(), name: None}


def served_as(name: str, version: str) -> dict[str, Any]:
    known = copy.deepcopy(definitions())
    known[name]["spec"]["versions"][0]["name"] = version
    return known


def lacking(name: str, *path: str) -> dict[str, Any]:
    known = copy.deepcopy(definitions())
    schema = known[name]["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    for step in path[:-1]:
        schema = schema["properties"][step]
    del schema["properties"][path[-1]]
    return known


def test_what_is_whole_has_no_problems() -> None:
    assert problems(definitions()) == []


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("rayjobs.ray.io", "KubeRay is not installed: the cluster lacks rayjobs.ray.io. Install KubeRay 1.6.2 first"),
        ("workloads.kueue.x-k8s.io", "Kueue is not installed: the cluster lacks workloads.kueue.x-k8s.io."),
    ],
)
def test_what_is_missing_is_named_with_the_version_to_install(name: str, told: str) -> None:
    (found,) = problems(without(name))
    assert told in found


def test_nothing_at_all_is_two_problems() -> None:
    assert len(problems(dict.fromkeys(definitions()))) == 2


def test_another_version_of_an_api_is_too_old_or_too_new() -> None:
    (found,) = problems(served_as("clusterqueues.kueue.x-k8s.io", "v1beta1"))
    assert found == ("clusterqueues.kueue.x-k8s.io is served as v1beta1, not as v1beta2. Upgrade Kueue to 0.19.2.")


@pytest.mark.parametrize(
    ("name", "path", "told"),
    [
        ("rayjobs.ray.io", ("rayClusterSpec", "authOptions"), "rayjobs.ray.io lacks rayClusterSpec.authOptions"),
        ("rayclusters.ray.io", ("authOptions",), "rayclusters.ray.io lacks authOptions"),
        ("cohorts.kueue.x-k8s.io", ("parentName",), "cohorts.kueue.x-k8s.io lacks parentName"),
    ],
)
def test_a_field_that_would_be_dropped_without_a_word_is_named(name: str, path: tuple[str, ...], told: str) -> None:
    (found,) = problems(lacking(name, *path))
    assert "is too old" in found
    assert told in found
