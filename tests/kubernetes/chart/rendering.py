"""The chart as helm renders it, and what can be read off the rendered objects."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

Object = dict[str, Any]

ROOT = Path(__file__).parents[3]
CHART = ROOT / "helm/mlp"
VALUES = Path(__file__).parent / "values"
SETS = tuple(sorted(path.stem for path in VALUES.glob("*.yaml")))
NAMESPACE = "mlp-system"
RELEASE = "mlp"
KUBERNETES = "1.36.3"


class Refused(Exception):
    """Helm would not; the message is its own."""


@dataclass(frozen=True)
class Chart:
    """The chart in the hands of one helm."""

    helm: Path

    def run(self, *arguments: str, timeout: float = 120) -> str:
        """Run helm; its output. Raises Refused."""
        done = subprocess.run(
            [str(self.helm), *arguments], capture_output=True, text=True, timeout=timeout, check=False
        )
        if done.returncode:
            raise Refused(done.stderr + done.stdout)
        return done.stdout

    def render(self, values: str, *more: str) -> list[Object]:
        """The objects of a set of values, hooks included, as of a first install."""
        text = self.run(
            "template", RELEASE, str(CHART), f"--namespace={NAMESPACE}", f"--values={VALUES / values}.yaml",
            f"--kube-version={KUBERNETES}", *more,
        )  # fmt: skip
        return [document for document in yaml.safe_load_all(text) if document]


def of_kind(objects: Iterable[Object], *kinds: str) -> list[Object]:
    return [item for item in objects if item["kind"] in kinds]


def name(item: Object) -> str:
    return f"{item['kind']}/{item['metadata']['name']}"


def pod_specs(objects: Iterable[Object]) -> Iterator[tuple[str, Object]]:
    """Whatever becomes pods: the owner's name and the pod's template."""
    for item in of_kind(objects, "Deployment", "StatefulSet", "Job"):
        yield name(item), item["spec"]["template"]


def containers(objects: Iterable[Object]) -> Iterator[tuple[str, Object]]:
    for owner, template in pod_specs(objects):
        spec = template["spec"]
        for container in (*spec.get("initContainers", ()), *spec["containers"]):
            yield f"{owner}/{container['name']}", container


def text_of(item: Object) -> str:
    return json.dumps(item, sort_keys=True)
