"""The chart's first question: does this cluster have KubeRay and Kueue, in versions that work?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from mlp_operator.preflight import KUBERAY, KUEUE, Prerequisite, check, check_kubernetes, read

KUBERAY_162 = Prerequisite("KubeRay", KUBERAY, "1.6.2", "kuberay-system", "kuberay-operator", "its pages")
KUEUE_0192 = Prerequisite("Kueue", KUEUE, "0.19.2", "kueue-system", "kueue-controller-manager", "its pages")


def crd(*served: str) -> dict[str, Any]:
    return {"spec": {"versions": [{"name": name, "served": True} for name in served]}}


def all_crds(prerequisite: Prerequisite) -> dict[str, Mapping[str, Any] | None]:
    return {needed.crd: crd(needed.version) for needed in prerequisite.resources}


def deployment(image: str, available: int = 1) -> dict[str, Any]:
    return {
        "spec": {"template": {"spec": {"containers": [{"image": image}]}}},
        "status": {"availableReplicas": available},
    }


def test_what_is_tested_passes_without_a_word() -> None:
    assert check(KUBERAY_162, all_crds(KUBERAY_162), deployment("quay.io/kuberay/operator:v1.6.2")) == []


def test_another_patch_of_the_same_minor_passes() -> None:
    assert check(KUEUE_0192, all_crds(KUEUE_0192), deployment("registry.k8s.io/kueue/kueue:v0.19.7")) == []


def test_missing_resources_are_named_with_what_to_install() -> None:
    found = check(KUEUE_0192, all_crds(KUEUE_0192) | {"cohorts.kueue.x-k8s.io": None}, None)
    assert [finding.is_fatal for finding in found] == [True]
    assert "cohorts.kueue.x-k8s.io" in found[0].text
    assert "Install Kueue 0.19.2" in found[0].text


def test_a_resource_in_another_version_of_its_api_is_named() -> None:
    found = check(KUEUE_0192, all_crds(KUEUE_0192) | {"workloads.kueue.x-k8s.io": crd("v1beta1")}, None)
    assert found[0].is_fatal
    assert "workloads.kueue.x-k8s.io is served as v1beta1, not as v1beta2" in found[0].text


@pytest.mark.parametrize(
    ("image", "is_fatal"),
    [("kuberay/operator:v1.4.0", True), ("mirror:5000/kuberay/operator:v1.7.0@sha256:00", False)],
)
def test_an_older_version_stops_and_a_newer_one_warns(image: str, is_fatal: bool) -> None:
    found = check(KUBERAY_162, all_crds(KUBERAY_162), deployment(image))
    assert [finding.is_fatal for finding in found] == [is_fatal]


@pytest.mark.parametrize(
    "given", [None, deployment("kuberay/operator:nightly"), deployment("kuberay/operator@sha256:0")]
)
def test_an_unknown_version_is_only_a_warning(given: Mapping[str, Any] | None) -> None:
    found = check(KUBERAY_162, all_crds(KUBERAY_162), given)
    assert [finding.is_fatal for finding in found] == [False]


def test_a_controller_that_is_down_is_a_warning() -> None:
    found = check(KUBERAY_162, all_crds(KUBERAY_162), deployment("kuberay/operator:v1.6.2", available=0))
    assert [finding.is_fatal for finding in found] == [False]
    assert "no available replica" in found[0].text


@pytest.mark.parametrize(("minor", "wanted"), [("28", 1), ("29", 0), ("36+", 0)])
def test_kubernetes_must_be_new_enough(minor: str, wanted: int) -> None:
    assert len(check_kubernetes({"major": "1", "minor": minor, "gitVersion": f"v1.{minor}.0"})) == wanted


def test_absent_objects_are_told_from_a_server_that_refuses() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(
            404 if "rayjobs" in request.url.path else 200, json=crd("v1") | deployment("operator:1.6.2")
        )

    with httpx.Client(transport=httpx.MockTransport(answer), base_url="https://cluster") as client:
        assert "rayjobs.ray.io" in read(client, KUBERAY_162)[0].text
    refusing = httpx.MockTransport(lambda _request: httpx.Response(403))
    with httpx.Client(transport=refusing, base_url="https://cluster") as client, pytest.raises(httpx.HTTPStatusError):
        read(client, KUBERAY_162)
