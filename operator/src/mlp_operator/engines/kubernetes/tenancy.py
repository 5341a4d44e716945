"""Keeps projects, pools and priorities in the cluster as they are in the database. What is changed by hand is put back.

Any number of operators may do it at once: applying what is there changes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import structlog
from sqlalchemy.exc import SQLAlchemyError

from mlp_operator.engines.kubernetes import client as kube
from mlp_operator.engines.kubernetes import drift, names
from mlp_operator.engines.kubernetes.client import ApiError, KubeClient
from mlp_operator.engines.kubernetes.drift import Repair
from mlp_operator.engines.kubernetes.manifests import tenancy
from mlp_operator.engines.kubernetes.manifests.tenancy import Pool, Project
from mlp_operator.engines.kubernetes.reading import Manifest, is_going, label, text
from mlp_operator.engines.kubernetes.settings import KubernetesSettings
from mlp_operator.engines.kubernetes.world import OURS
from mlp_operator.engines.port import EngineError

log = structlog.get_logger(__name__)

_SHARED = ("WorkloadPriorityClass", "ResourceFlavor", "Cohort", "ClusterQueue", "Namespace")
_WITHIN = ("ServiceAccount", "Role", "RoleBinding", "NetworkPolicy", "ResourceQuota", "LocalQueue")
TENANCY_KINDS = tuple(kind for kind in kube.KINDS.values() if kind.kind in (*_SHARED, *_WITHIN))


@dataclass(frozen=True, slots=True)
class Tenants:
    """What the database says."""

    pools: tuple[Pool, ...]
    projects: tuple[Project, ...]
    deleted: frozenset[str]
    """Ids of projects that were deleted and whose rows are still there."""


class TenancySource(Protocol):
    async def load(self) -> Tenants: ...

    async def note(self, project: Project, reason: str, message: str) -> None:
        """An event of the project; the same one told by two operators is one."""
        ...


class Tenancy:
    def __init__(self, settings: KubernetesSettings, client: KubeClient, source: TenancySource) -> None:
        self._settings = settings
        self._client = client
        self._source = source
        self._refused: set[str] = set()
        """Projects whose namespace is somebody else's, so that it is told once."""

    async def keep_forever(self) -> None:
        """Until cancelled."""
        while True:
            try:
                await self.keep()
            except (EngineError, SQLAlchemyError, OSError) as error:
                log.warning("tenancy_not_kept", error=str(error))
            await asyncio.sleep(self._settings.tenancy_seconds)

    async def keep(self) -> None:
        """One pass: make what is missing, put back what was changed, remove what is no longer wanted.

        Raises:
            EngineError: the cluster does not answer. What fails for one project holds up no other.
        """
        tenants = await self._source.load()
        live = [manifest for kind in TENANCY_KINDS for manifest in await self._live(kind)]
        shared = tenancy.shared_objects(tenants.pools, tenants.projects)
        await self._repair(drift.repairs(shared, live), None)
        wanted = list(shared)
        for project in tenants.projects:
            objects = tenancy.project_objects(project, tenants.pools, self._settings)
            wanted += objects
            try:
                await self._keep_project(project, objects, live)
            except ApiError as error:
                log.warning("project_not_kept", project=project.slug, error=str(error))
        await self._remove(drift.leftovers(wanted, live, tenants.deleted))

    async def _keep_project(self, project: Project, objects: list[Manifest], live: list[Manifest]) -> None:
        if not await self._may_use(project, objects[0], live):
            return
        found = drift.repairs(objects, live)
        # A project that is new in the cluster is not repaired but made.
        is_new = any(repair.manifest["kind"] == "Namespace" and not repair.differences for repair in found)
        await self._repair(found, None if is_new else project)
        if is_new:
            await self._source.note(project, "NamespaceReady", f"Namespace {names.namespace(project.slug)} is ready.")

    async def _may_use(self, project: Project, namespace: Manifest, live: list[Manifest]) -> bool:
        """Whether the namespace is the project's, or nobody's yet."""
        name = text(namespace, "metadata", "name")
        known = [one for one in live if drift.identity(one) == drift.identity(namespace)]
        there = known[0] if known else await self._client.get(kube.NAMESPACE, None, name)
        if there is None:
            return True
        if not drift.is_ours(there):
            await self._refuse(
                project, f"Namespace '{name}' exists and is not the platform's; nothing was changed in it."
            )
            return False
        # An older project of the same name: its namespace goes first.
        older = label(there, names.PROJECT_ID) not in ("", project.id)
        self._refused.discard(project.id)
        return not older and not is_going(there)

    async def _refuse(self, project: Project, message: str) -> None:
        log.warning("namespace_taken", project=project.slug)
        if project.id not in self._refused:
            self._refused.add(project.id)
            await self._source.note(project, "NamespaceTaken", message)

    async def _repair(self, found: Iterable[Repair], project: Project | None) -> None:
        for repair in found:
            applied = await self._client.apply(repair.manifest)
            left = drift.differences(repair.manifest, applied)
            if left:
                # The server writes it another way: a defect of the manifest, which would be repaired for ever.
                log.error("does_not_hold", kind=repair.manifest["kind"], at=left)
            log.info("applied", what=repair.sentence)
            if project is not None and not left:
                await self._source.note(project, "DriftRepaired", repair.sentence)

    async def _remove(self, manifests: list[Manifest]) -> None:
        for manifest in manifests:
            if not is_going(manifest):
                log.info("removed", kind=manifest["kind"], name=text(manifest, "metadata", "name"))
                await self._client.delete(
                    kube.kind_of(manifest),
                    text(manifest, "metadata", "namespace") or None,
                    text(manifest, "metadata", "name"),
                    uid=text(manifest, "metadata", "uid"),
                )

    async def _live(self, kind: kube.Kind) -> list[Manifest]:
        found, _ = await self._client.list(kind, labelSelector=OURS)
        return found
