"""Rows of projects and members as wire types; a list costs as many queries as a single one."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.phases import Role
from mlp.schemas.projects import MemberRead, ProjectLimits, ProjectRead
from mlp_core.projects import repository
from mlp_core.scope import Subject, among
from mlp_core.tables import MemberRow, ProjectRow, UserRow


def project_etag(row: ProjectRow) -> str:
    return f'"{row.version}"'


async def read_projects(
    session: AsyncSession, subject: Subject, rows: Sequence[ProjectRow], public_url: str
) -> list[ProjectRead]:
    """Projects that `subject` has been let into."""
    scope = among(subject, (row.id for row in rows))
    teams = await repository.team_names(session, rows)
    roles = await repository.roles_of(session, scope)
    jobs = await repository.live_jobs(session, scope)
    return [
        ProjectRead(
            id=row.id,
            name=row.slug,
            description=row.description,
            team=teams[row.team_id],
            limits=ProjectLimits.model_validate(row.limits),
            guarantees=row.guarantees,
            role=roles.get(row.id),
            created_at=row.created_at,
            etag=project_etag(row),
            mlflow_url=f"{public_url.rstrip('/')}/mlflow/{row.slug}/",
            live_jobs=jobs.get(row.id, 0),
        )
        for row in rows
    ]


def read_member(member: MemberRow, user: UserRow) -> MemberRead:
    return MemberRead(
        user_id=user.id,
        username=user.username,
        display_name=user.display_name,
        role=Role(member.role),
        since=member.created_at,
    )
