"""Kubernetes' own OpenAPI document as strict JSON schemas: an unknown field, which a server would drop, is an error."""

from __future__ import annotations

import copy
import json
import subprocess
from pathlib import Path
from typing import Any

from jsonschema import Draft4Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT4

from chart.rendering import Object

MODULE = "k8s.io/kubernetes"
_WHOLE = "urn:kubernetes"
_LOOSE = {
    # Numbers are as good as text in both, and the document says text.
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {"type": ["integer", "string"]},
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {"type": ["number", "string"]},
}


class Schemas:
    """Validates objects of the kinds that Kubernetes itself serves."""

    def __init__(self, document: dict[str, Any]) -> None:
        definitions = copy.deepcopy(document["definitions"]) | _LOOSE
        self._by_kind: dict[tuple[str, str], str] = {}
        for definition, schema in definitions.items():
            if "properties" in schema:
                schema.setdefault("additionalProperties", False)
            for served in schema.get("x-kubernetes-group-version-kind", ()):
                version = "/".join(filter(None, (served["group"], served["version"])))
                self._by_kind[version, served["kind"]] = definition
        whole = Resource.from_contents({"definitions": definitions}, default_specification=DRAFT4)
        self._registry = Registry().with_resource(_WHOLE, whole)

    def knows(self, item: Object) -> bool:
        return (item["apiVersion"], item["kind"]) in self._by_kind

    def errors(self, item: Object) -> list[str]:
        """What is wrong with `item`, each with its place."""
        definition = self._by_kind[item["apiVersion"], item["kind"]]
        reference = {"$ref": f"{_WHOLE}#/definitions/{definition}"}
        validator = Draft4Validator(reference, registry=self._registry)
        return [f"{'/'.join(map(str, error.path))}: {error.message}" for error in validator.iter_errors(item)]


def of_module(folder: Path) -> Schemas:
    """The document of the Kubernetes that the Go module in `folder` requires."""
    found = subprocess.run(
        ["go", "mod", "download", "-json", MODULE + "@" + _version(folder)],
        cwd=folder, capture_output=True, text=True, check=True, timeout=900,
    )  # fmt: skip
    path = Path(json.loads(found.stdout)["Dir"]) / "api/openapi-spec/swagger.json"
    return Schemas(json.loads(path.read_text(encoding="utf-8")))


def _version(folder: Path) -> str:
    words = [line.split() for line in (folder / "go.mod").read_text().splitlines()]
    return next(line[-1] for line in words if MODULE in line and line[-1].startswith("v"))
