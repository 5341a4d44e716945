"""Every query about projects and members."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.phases import Role
from mlp_core.kit.pages import PageRequest, Slice, SortKey, keyset_page
from mlp_core.scope import ProjectScope, SubjectScope
from mlp_core.tables import ClusterRow, JobRow, MemberRow, ProjectRow, TeamRow, UserRow

PROJECT_ORDER = (SortKey(ProjectRow.slug),)
"""Slugs of projects that are not deleted are unique."""
MEMBER_ORDER = (SortKey(MemberRow.created_at), SortKey(MemberRow.user_id))


async def page_of_projects(session: AsyncSession, scope: SubjectScope, page: PageRequest) -> Slice[ProjectRow]:
    return await keyset_page(session, scope.limit(select(ProjectRow), ProjectRow.id), PROJECT_ORDER, page)


async def all_projects(session: AsyncSession, scope: SubjectScope, at_most: int) -> Sequence[ProjectRow]:
    statement = scope.limit(select(ProjectRow), ProjectRow.id).order_by(ProjectRow.slug).limit(at_most)
    return (await session.scalars(statement)).all()


async def get_project(session: AsyncSession, scope: ProjectScope, *, lock: bool = False) -> ProjectRow:
    statement = scope.limit(select(ProjectRow), ProjectRow.id)
    return (await session.scalars(statement.with_for_update() if lock else statement)).one()


async def exists(session: AsyncSession, slug: str) -> bool:
    """Whether a project that is not deleted has this name, whoever may see it."""
    statement = select(ProjectRow.id).where(ProjectRow.slug == slug, ProjectRow.deleted_at.is_(None))
    return await session.scalar(statement) is not None


async def find_team(session: AsyncSession, name: str) -> TeamRow | None:
    return await session.scalar(select(TeamRow).where(TeamRow.name == name))


async def team_names(session: AsyncSession, rows: Sequence[ProjectRow]) -> dict[str, str]:
    wanted = {row.team_id for row in rows}
    found = await session.execute(select(TeamRow.id, TeamRow.name).where(TeamRow.id.in_(wanted)))
    return {row.id: row.name for row in found}


async def roles_of(session: AsyncSession, scope: SubjectScope) -> dict[str, Role]:
    """The caller's own memberships, by project."""
    mine = select(MemberRow.project_id, MemberRow.role).where(MemberRow.user_id == scope.subject.id)
    found = await session.execute(scope.limit(mine, MemberRow.project_id))
    return {row.project_id: Role(row.role) for row in found}


async def live_jobs(session: AsyncSession, scope: SubjectScope | ProjectScope) -> dict[str, int]:
    """Unfinished jobs, by project."""
    live = select(JobRow.project_id, func.count().label("jobs")).where(JobRow.ended_at.is_(None))
    found = await session.execute(scope.limit(live, JobRow.project_id).group_by(JobRow.project_id))
    return {row.project_id: row.jobs for row in found}


async def live_clusters(session: AsyncSession, scope: ProjectScope) -> int:
    live = select(func.count()).select_from(ClusterRow).where(ClusterRow.ended_at.is_(None))
    return await session.scalar(scope.limit(live, ClusterRow.project_id)) or 0


async def page_of_members(
    session: AsyncSession, scope: ProjectScope, page: PageRequest
) -> Slice[tuple[MemberRow, UserRow]]:
    members = await keyset_page(session, scope.limit(select(MemberRow), MemberRow.project_id), MEMBER_ORDER, page)
    ids = [member.user_id for member in members.rows]
    users = {user.id: user for user in await session.scalars(select(UserRow).where(UserRow.id.in_(ids)))}
    return members.map(lambda member: (member, users[member.user_id]))


async def find_member(session: AsyncSession, scope: ProjectScope, user_id: str) -> MemberRow | None:
    one = select(MemberRow).where(MemberRow.user_id == user_id)
    return await session.scalar(scope.limit(one, MemberRow.project_id))


async def owners(session: AsyncSession, scope: ProjectScope) -> Sequence[str]:
    """User ids of all owners."""
    statement = select(MemberRow.user_id).where(MemberRow.role == Role.OWNER.value)
    return (await session.scalars(scope.limit(statement, MemberRow.project_id))).all()
