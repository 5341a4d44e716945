"""Queries of environments, each through the scope's door."""

from __future__ import annotations

from sqlalchemy import Select, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.phases import EnvironmentPhase
from mlp_core.domain.errors import NotFound
from mlp_core.kit.ids import is_id, new_id
from mlp_core.kit.pages import PageRequest, Slice, keyset_page, newest_first
from mlp_core.scope import ProjectScope
from mlp_core.tables import EnvironmentRow, JobRow

_ORDER = newest_first(EnvironmentRow.created_at, EnvironmentRow.id)


class EnvironmentRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    def _visible(self, scope: ProjectScope) -> Select[EnvironmentRow]:
        return scope.limit(select(EnvironmentRow), EnvironmentRow.project_id)

    async def page(
        self, scope: ProjectScope, page: PageRequest, *, name: str | None = None, phase: EnvironmentPhase | None = None
    ) -> Slice[EnvironmentRow]:
        statement = self._visible(scope)
        if name is not None:
            statement = statement.where(EnvironmentRow.name.icontains(name, autoescape=True))
        if phase is not None:
            statement = statement.where(EnvironmentRow.phase == phase.value)
        return await keyset_page(self._session, statement, _ORDER, page)

    async def get(self, scope: ProjectScope, environment: str, *, lock: bool = False) -> EnvironmentRow:
        """The environment of that id or name. Raises `NotFound`."""
        row = await self.find(scope, environment, lock=lock)
        if row is None:
            raise NotFound.of("environment", environment, "See `mlp environment list`.")
        return row

    async def find(self, scope: ProjectScope, environment: str, *, lock: bool = False) -> EnvironmentRow | None:
        column = EnvironmentRow.id if is_id(environment, "environment") else EnvironmentRow.name
        statement = self._visible(scope).where(column == environment)
        return await self._session.scalar(statement.with_for_update() if lock else statement)

    async def create(
        self, scope: ProjectScope, *, name: str | None, python: str, requirements: list[str], request_digest: str
    ) -> EnvironmentRow | None:
        """A new row; None where the name, or for an unnamed one the same request, is there already."""
        statement = (
            insert(EnvironmentRow)
            .values(
                id=new_id("environment"),
                project_id=scope.project_id,
                name=name,
                python=python,
                requirements=requirements,
                request_digest=request_digest,
                created_by=scope.subject.name,
            )
            .on_conflict_do_nothing()
            .returning(EnvironmentRow)
        )
        return await self._session.scalar(statement)

    async def by_request(self, scope: ProjectScope, request_digest: str) -> EnvironmentRow | None:
        """The unnamed environment of that request that has not failed; it cannot be removed meanwhile."""
        statement = self._visible(scope).where(
            EnvironmentRow.request_digest == request_digest,
            EnvironmentRow.name.is_(None),
            EnvironmentRow.phase != EnvironmentPhase.FAILED.value,
        )
        return await self._session.scalar(statement.with_for_update(key_share=True, read=True))

    async def count_jobs(self, ids: list[str]) -> dict[str, int]:
        """How many jobs refer to each of the environments."""
        if not ids:
            return {}
        statement = (
            select(JobRow.environment_id, func.count())
            .where(JobRow.environment_id.in_(ids))
            .group_by(JobRow.environment_id)
        )
        return {str(id_): count for id_, count in await self._session.execute(statement)}

    async def delete(self, row: EnvironmentRow) -> None:
        await self._session.delete(row)
        await self._session.flush()
