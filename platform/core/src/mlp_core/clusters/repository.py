"""Queries of named clusters, each through the scope's door."""

from __future__ import annotations

from sqlalchemy import Select, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.phases import ClusterPhase
from mlp_core.domain.errors import NotFound
from mlp_core.kit.ids import is_id, new_id
from mlp_core.kit.pages import PageRequest, Slice, keyset_page, newest_first
from mlp_core.scope import ProjectScope
from mlp_core.tables import ClusterRow, JobRow
from mlp_core.tables.base import Json

_ORDER = newest_first(ClusterRow.created_at, ClusterRow.id)


class ClusterRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    def _visible(self, scope: ProjectScope) -> Select[ClusterRow]:
        return scope.limit(select(ClusterRow), ClusterRow.project_id)

    async def page(
        self, scope: ProjectScope, page: PageRequest, *, phases: tuple[ClusterPhase, ...] = (), name: str | None = None
    ) -> Slice[ClusterRow]:
        statement = self._visible(scope)
        if phases:
            statement = statement.where(ClusterRow.phase.in_([phase.value for phase in phases]))
        if name is not None:
            statement = statement.where(ClusterRow.name.icontains(name, autoescape=True))
        return await keyset_page(self._session, statement, _ORDER, page)

    async def get(self, scope: ProjectScope, cluster: str, *, lock: bool = False) -> ClusterRow:
        """The cluster of that id or name; a live one before those that have ended. Raises `NotFound`."""
        row = await self.find(scope, cluster, lock=lock)
        if row is None:
            raise NotFound.of("cluster", cluster, "See `mlp cluster list`.")
        return row

    async def find(self, scope: ProjectScope, cluster: str, *, lock: bool = False) -> ClusterRow | None:
        column = ClusterRow.id if is_id(cluster, "cluster") else ClusterRow.name
        statement = (
            self._visible(scope)
            .where(column == cluster)
            .order_by(ClusterRow.ended_at.desc().nulls_first(), ClusterRow.created_at.desc())
            .limit(1)
        )
        return await self._session.scalar(statement.with_for_update() if lock else statement)

    async def create(self, scope: ProjectScope, *, name: str, spec: Json, nodes_wanted: int) -> ClusterRow | None:
        """A new row; None where a cluster of that name has not ended."""
        statement = (
            insert(ClusterRow)
            .values(
                id=new_id("cluster"),
                project_id=scope.project_id,
                name=name,
                spec=spec,
                nodes_wanted=nodes_wanted,
                created_by=scope.subject.name,
            )
            .on_conflict_do_nothing()
            .returning(ClusterRow)
        )
        return await self._session.scalar(statement)

    async def count_live_jobs(self, ids: list[str]) -> dict[str, int]:
        """Jobs that have not ended, by the cluster they run on."""
        if not ids:
            return {}
        statement = (
            select(JobRow.cluster_id, func.count())
            .where(JobRow.cluster_id.in_(ids), JobRow.ended_at.is_(None))
            .group_by(JobRow.cluster_id)
        )
        return {str(id_): count for id_, count in await self._session.execute(statement)}
