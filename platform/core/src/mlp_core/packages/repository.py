"""Every query about packages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from mlp_core.kit.pages import PageRequest, Slice, SortKey, keyset_page
from mlp_core.scope import ProjectScope
from mlp_core.tables import JobRow, PackageRow

PACKAGE_ORDER = (SortKey(PackageRow.created_at, descending=True), SortKey(PackageRow.digest, descending=True))


async def page_of_packages(session: AsyncSession, scope: ProjectScope, page: PageRequest) -> Slice[PackageRow]:
    return await keyset_page(session, scope.limit(select(PackageRow), PackageRow.project_id), PACKAGE_ORDER, page)


async def find_package(
    session: AsyncSession, scope: ProjectScope, digest: str, *, lock: bool = False
) -> PackageRow | None:
    statement = scope.limit(select(PackageRow).where(PackageRow.digest == digest), PackageRow.project_id)
    return await session.scalar(statement.with_for_update() if lock else statement)


async def add_if_absent(session: AsyncSession, scope: ProjectScope, values: dict[str, Any]) -> bool:
    """Whether the row is new; of two that come at once, one is."""
    statement = insert(PackageRow).values(project_id=scope.project_id, **values).on_conflict_do_nothing()
    return (await session.execute(statement.returning(PackageRow.digest))).first() is not None


async def jobs_by_package(session: AsyncSession, scope: ProjectScope, digests: Sequence[str]) -> dict[str, int]:
    """How many jobs, ended ones included, name each package."""
    statement = select(JobRow.package_digest, func.count().label("jobs")).where(JobRow.package_digest.in_(digests))
    found = await session.execute(scope.limit(statement, JobRow.project_id).group_by(JobRow.package_digest))
    return {row.package_digest: row.jobs for row in found}
