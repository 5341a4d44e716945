"""Whether KubeRay and Kueue are there, in versions that have what the manifests write.

The API server drops fields that a definition does not know without a word: an older KubeRay would start clusters
without token authentication. So the definitions are looked into, not only asked for.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any

import structlog

from mlp_operator.engines.kubernetes.client import ApiError, Kind, KubeClient
from mlp_operator.engines.kubernetes.reading import Manifest, items, part
from mlp_operator.engines.kubernetes.refusals import NOT_READY
from mlp_operator.engines.port import EngineAwayError
from mlp_operator.preflight import KUBERAY, KUEUE, Prerequisite, check

DEFINITION = Kind("apiextensions.k8s.io/v1", "customresourcedefinitions", "CustomResourceDefinition", namespaced=False)
PREREQUISITES = (
    Prerequisite("KubeRay", KUBERAY, "1.6.2", "", "", "docs/kubernetes.md"),
    Prerequisite("Kueue", KUEUE, "0.19.2", "", "", "docs/kubernetes.md"),
)
FIELDS: Mapping[str, tuple[str, ...]] = {
    "rayjobs.ray.io": ("preRunningDeadlineSeconds", "submitterConfig", "rayClusterSpec.authOptions"),
    "rayclusters.ray.io": ("authOptions", "headGroupSpec.resources", "headGroupSpec.labels"),
    "clusterqueues.kueue.x-k8s.io": ("cohortName", "flavorFungibility"),
    "cohorts.kueue.x-k8s.io": ("parentName", "resourceGroups"),
}
"""Of `spec`, by definition: what the platform cannot do without."""
_GOOD_SECONDS = 300.0
_BAD_SECONDS = 5.0

log = structlog.get_logger(__name__)


def problems(definitions: Mapping[str, Manifest | None]) -> list[str]:
    """What is missing, in sentences for an administrator."""
    found: list[str] = []
    for prerequisite in PREREQUISITES:
        findings = [finding.text for finding in check(prerequisite, definitions, None) if finding.is_fatal]
        found += findings or _without_fields(prerequisite, definitions)
    return found


def _without_fields(prerequisite: Prerequisite, definitions: Mapping[str, Manifest | None]) -> list[str]:
    lacking = [
        f"{needed.crd} lacks {', '.join(missing)}"
        for needed in prerequisite.resources
        if (missing := _missing(definitions[needed.crd] or {}, needed.version, FIELDS.get(needed.crd, ())))
    ]
    if not lacking:
        return []
    return [f"{prerequisite.name} is too old: {'; '.join(lacking)}. Upgrade it to {prerequisite.tested}."]


def _missing(definition: Manifest, version: str, fields: tuple[str, ...]) -> list[str]:
    served = next((one for one in items(definition, "spec", "versions") if one.get("name") == version), Manifest())
    spec = part(served, "schema", "openAPIV3Schema", "properties", "spec")
    return [field for field in fields if not _has(spec, field)]


def _has(schema: Manifest, field: str) -> bool:
    inner: dict[str, Any] = schema
    for name in field.split("."):
        known = part(inner, "properties")
        if name not in known:
            return False
        inner = known[name]
    return True


class Requirements:
    """Looks now and then; more often while something is missing."""

    def __init__(self, client: KubeClient) -> None:
        self._client = client
        self._lock = asyncio.Lock()
        self._looked_at = float("-inf")
        self._problems: list[str] = []

    async def require(self) -> None:
        """
        Raises:
            EngineAwayError: an administrator has to install or upgrade something.
        """
        async with self._lock:
            age = time.monotonic() - self._looked_at
            if age > (_BAD_SECONDS if self._problems else _GOOD_SECONDS):
                await self._look()
        if self._problems:
            raise EngineAwayError(NOT_READY, " ".join(self._problems))

    async def _look(self) -> None:
        names = [needed.crd for prerequisite in PREREQUISITES for needed in prerequisite.resources]
        try:
            found = await asyncio.gather(*(self._client.get(DEFINITION, None, name) for name in names))
        except ApiError as error:
            # Whoever may not read definitions, or cannot now, hears of it by everything else.
            log.warning("requirements_not_read", error=str(error))
            self._looked_at = time.monotonic() - _GOOD_SECONDS + _BAD_SECONDS
            return
        self._problems, self._looked_at = problems(dict(zip(names, found, strict=True))), time.monotonic()
