"""What people can do with environments: ask for one, name it, remove what is not used."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from sqlalchemy import func
from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.environments import EnvironmentCreate, EnvironmentRead
from mlp.schemas.jobs import EnvironmentSpec
from mlp.schemas.phases import EnvironmentPhase
from mlp_core.domain.errors import Invalid, NameTaken, StillInUse
from mlp_core.environments.repository import EnvironmentRepository
from mlp_core.events.service import record
from mlp_core.kit.database import notify_due
from mlp_core.scope import ProjectScope
from mlp_core.tables import EnvironmentRow

PLATFORM_PYTHON = "3.11"
"""A job of this version and without requirements runs on the platform's own environment."""


class Environments:
    """Use cases of environments, inside the caller's transaction."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session
        self.repository = EnvironmentRepository(session)

    async def create(self, scope: ProjectScope, wanted: EnvironmentCreate) -> EnvironmentRow:
        """Ask for an environment; it is resolved soon after.

        Raises:
            NameTaken: the project has an environment of that name.
        """
        if wanted.name is None:
            return await self._ensure(scope, wanted.python, wanted.requirements)
        digest = request_digest(wanted.python, wanted.requirements)
        row = await self.repository.create(
            scope, name=wanted.name, python=wanted.python, requirements=wanted.requirements, request_digest=digest
        )
        if row is None:
            raise NameTaken(
                f"The project already has an environment '{wanted.name}'.",
                hint="Choose another name, or delete the old one first: an environment never changes.",
                fields={"name": "is taken"},
            )
        await self._requested(scope, row)
        return row

    async def for_job(self, scope: ProjectScope, spec: EnvironmentSpec) -> EnvironmentRow | None:
        """The environment a job needs, made if absent; None where the platform's own is enough.

        Raises:
            Invalid: it names an environment that the project does not have.
        """
        if spec.name is not None:
            row = await self.named(scope, spec.name)
        elif not spec.requirements and spec.python == PLATFORM_PYTHON:
            return None
        else:
            row = await self._ensure(scope, spec.python, spec.requirements)
        row.last_used_at = func.now()  # pyright: ignore[reportAttributeAccessIssue] (set by the database)
        return row

    async def named(self, scope: ProjectScope, name: str) -> EnvironmentRow:
        row = await self.repository.find(scope, name)
        if row is None:
            raise Invalid(
                f"There is no environment '{name}' in this project.",
                hint="See `mlp environment list`, or give `requirements` instead.",
                fields={"environment.name": "does not exist"},
            )
        return row

    async def delete(self, scope: ProjectScope, environment: str) -> None:
        """Remove an environment that no job refers to.

        Raises:
            StillInUse: jobs refer to it.
        """
        row = await self.repository.get(scope, environment, lock=True)
        jobs = (await self.repository.count_jobs([row.id])).get(row.id, 0)
        if jobs:
            raise StillInUse(
                f"{jobs} {'job refers' if jobs == 1 else 'jobs refer'} to this environment.",
                hint="It goes by itself some time after the last of them was removed.",
            )
        await self.repository.delete(row)
        await self._record(scope, row, "Deleted", f"Deleted by {scope.subject.name}.")

    async def _ensure(self, scope: ProjectScope, python: str, requirements: Sequence[str]) -> EnvironmentRow:
        """Equal requests share a row. A failed one is not shared: its cause may have passed."""
        digest = request_digest(python, requirements)
        while True:
            found = await self.repository.by_request(scope, digest)
            if found is not None:
                return found
            made = await self.repository.create(
                scope, name=None, python=python, requirements=list(requirements), request_digest=digest
            )
            if made is not None:
                await self._requested(scope, made)
                return made

    async def _requested(self, scope: ProjectScope, row: EnvironmentRow) -> None:
        await self._record(scope, row, "Requested", f"Requested by {scope.subject.name}.")
        await notify_due(self._session)

    async def _record(self, scope: ProjectScope, row: EnvironmentRow, reason: str, message: str) -> None:
        await record(
            self._session,
            project_id=scope.project_id,
            resource="environment",
            resource_id=row.id,
            resource_name=row.name or row.id,
            reason=reason,
            message=message,
            actor=scope.subject.name,
        )


def request_digest(python: str, requirements: Sequence[str]) -> str:
    """Names a request by its content; order, repetition and surrounding spaces make no difference."""
    lines = sorted({requirement.strip() for requirement in requirements})
    return "sha256:" + hashlib.sha256(json.dumps([python, lines]).encode()).hexdigest()


def read_environment(row: EnvironmentRow, project: str, used_by_jobs: int) -> EnvironmentRead:
    return EnvironmentRead(
        id=row.id,
        project=project,
        name=row.name,
        python=row.python,
        requirements=row.requirements,
        phase=EnvironmentPhase(row.phase),
        reason=row.reason,
        message=row.message,
        digest=row.digest,
        lock=row.lock,
        created_by=row.created_by,
        created_at=row.created_at,
        used_by_jobs=used_by_jobs,
    )
