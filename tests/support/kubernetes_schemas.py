"""The schemas of KubeRay's and Kueue's custom resources, from the modules that the test cluster is built from.

They are read from the Go module cache and fetched into it where absent; nothing of them is kept in the repository.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import yaml

MODULES = {
    "github.com/ray-project/kuberay/ray-operator@v1.6.2": ("config/crd/bases", ("rayjobs", "rayclusters")),
    "sigs.k8s.io/kueue@v0.19.2": (
        "config/components/crd/bases",
        ("clusterqueues", "localqueues", "cohorts", "resourceflavors", "workloadpriorityclasses"),
    ),
}
DOWNLOAD_SECONDS = 300


def go() -> str | None:
    return shutil.which("go") or (found if Path(found := "/usr/local/go/bin/go").exists() else None)


@cache
def schemas() -> dict[tuple[str, str], dict[str, Any]]:
    """OpenAPI schema of each (apiVersion, kind)."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for module, (folder, plurals) in MODULES.items():
        root = _module(module) / folder
        for path in sorted(root.glob("*.yaml")):
            if path.stem.partition("_")[2] in plurals:
                found |= _versions(yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader))
    return found


def validate(manifest: dict[str, Any]) -> None:
    """Raises `jsonschema.ValidationError`, also for a field that the schema does not know."""
    schema = schemas()[manifest["apiVersion"], manifest["kind"]]
    body = {key: value for key, value in manifest.items() if key not in ("apiVersion", "kind", "metadata")}
    jsonschema.Draft202012Validator(schema).validate(body)  # pyright: ignore[reportUnknownMemberType]


def _module(module: str) -> Path:
    program = go()
    assert program is not None, "the schemas come from Go modules: install Go"
    answer = subprocess.run(
        [program, "mod", "download", "-json", module],
        capture_output=True, text=True, check=True, timeout=DOWNLOAD_SECONDS, cwd="/",
    )  # fmt: skip
    return Path(json.loads(answer.stdout)["Dir"])


def _versions(crd: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    group, kind = crd["spec"]["group"], crd["spec"]["names"]["kind"]
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for version in crd["spec"]["versions"]:
        schema = _strict(version["schema"]["openAPIV3Schema"])
        for name in ("apiVersion", "kind", "metadata", "status"):
            schema["properties"].pop(name, None)
        found[f"{group}/{version['name']}", kind] = schema
    return found


def _strict(schema: Any) -> Any:
    """Unknown fields are errors: the API server would drop them without a word."""
    if isinstance(schema, list):
        return [_strict(item) for item in schema]  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(schema, dict):
        return schema
    made: dict[str, Any] = {str(key): _strict(value) for key, value in schema.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if made.get("x-kubernetes-int-or-string"):
        return {"type": ["integer", "string"]}
    if isinstance(made.get("properties"), dict) and "type" in made and "additionalProperties" not in made:
        made["additionalProperties"] = bool(made.get("x-kubernetes-preserve-unknown-fields"))
    made.pop("format", None)
    return made
