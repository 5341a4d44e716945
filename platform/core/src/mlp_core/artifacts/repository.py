"""Queries of artifacts. An attempt's id has passed the scope's door, or is a job token's, before it comes here."""

from __future__ import annotations

from typing import Any, cast

from sqlalchemy import CursorResult, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from mlp_core.kit.pages import PageRequest, Slice, SortKey, keyset_page
from mlp_core.tables import ArtifactRow

BY_PATH = (SortKey(ArtifactRow.path),)


class ArtifactRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add_if_absent(self, values: dict[str, Any]) -> ArtifactRow:
        """The artifact of this attempt and path, made if there is none, locked."""
        await self._session.execute(insert(ArtifactRow).values(values).on_conflict_do_nothing())
        statement = select(ArtifactRow).where(
            ArtifactRow.attempt_id == values["attempt_id"], ArtifactRow.path == values["path"]
        )
        return (await self._session.scalars(statement.with_for_update())).one()

    async def find(self, attempt_id: str, artifact_id: str) -> ArtifactRow | None:
        statement = select(ArtifactRow).where(ArtifactRow.id == artifact_id, ArtifactRow.attempt_id == attempt_id)
        return await self._session.scalar(statement.execution_options(populate_existing=True))

    async def find_path(self, attempt_id: str, path: str) -> ArtifactRow | None:
        statement = select(ArtifactRow).where(ArtifactRow.attempt_id == attempt_id, ArtifactRow.path == path)
        return await self._session.scalar(statement)

    async def totals(self, attempt_id: str) -> tuple[int, int]:
        """How many artifacts the attempt has, and their bytes together."""
        statement = select(func.count(), func.coalesce(func.sum(ArtifactRow.size), 0))
        count, size = (await self._session.execute(statement.where(ArtifactRow.attempt_id == attempt_id))).one()
        return count, int(size)

    async def page(self, attempt_id: str, below: str | None, page: PageRequest) -> Slice[ArtifactRow]:
        """By path; with `below` only the file of that path, or those in the folder of that path."""
        statement = select(ArtifactRow).where(ArtifactRow.attempt_id == attempt_id)
        if below is not None:
            inside = ArtifactRow.path.startswith(f"{below}/", autoescape=True)
            statement = statement.where(or_(ArtifactRow.path == below, inside))
        return await keyset_page(self._session, statement, BY_PATH, page)

    async def advance(self, artifact_id: str, number: int) -> None:
        """Part `number` is stored, unless it was already or the upload has begun again meanwhile."""
        await self._session.execute(
            update(ArtifactRow)
            .where(ArtifactRow.id == artifact_id, ArtifactRow.parts == number, ArtifactRow.completed_at.is_(None))
            .values(parts=number + 1)
        )

    async def begin_again(self, artifact_id: str) -> None:
        await self._session.execute(
            update(ArtifactRow).where(ArtifactRow.id == artifact_id, ArtifactRow.completed_at.is_(None)).values(parts=0)
        )

    async def complete(self, artifact_id: str, parts: int, sha256: str) -> bool:
        """False where the upload has begun again meanwhile."""
        done = await self._session.execute(
            update(ArtifactRow)
            .where(ArtifactRow.id == artifact_id, ArtifactRow.parts == parts)
            .values(sha256=sha256, completed_at=func.coalesce(ArtifactRow.completed_at, func.now()))
        )
        return cast("CursorResult[Any]", done).rowcount == 1
