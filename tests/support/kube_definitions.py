"""Definitions of KubeRay's and Kueue's resources, as far as the platform looks into them."""

from __future__ import annotations

from typing import Any

from mlp_operator.engines.kubernetes.requirements import FIELDS, PREREQUISITES
from support.kube_api import KubeApi

FOLDER = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def definitions() -> dict[str, Any]:
    """All that are needed, by name."""
    return {
        needed.crd: _definition(needed.crd, needed.version, FIELDS.get(needed.crd, ()))
        for prerequisite in PREREQUISITES
        for needed in prerequisite.resources
    }


def install(api: KubeApi) -> None:
    """As the installation of KubeRay and Kueue would."""
    for name, definition in definitions().items():
        api.put(f"{FOLDER}/{name}", definition)


def _definition(name: str, version: str, fields: tuple[str, ...]) -> dict[str, Any]:
    spec: dict[str, Any] = {"properties": {}}
    for field in fields:
        at = spec
        for step in field.split("."):
            at = at["properties"].setdefault(step, {"properties": {}})
    schema = {"openAPIV3Schema": {"properties": {"spec": spec}}}
    return {
        "kind": "CustomResourceDefinition",
        "metadata": {"name": name},
        "spec": {"versions": [{"name": version, "served": True, "schema": schema}]},
    }
