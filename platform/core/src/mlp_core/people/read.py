"""Rows of people as wire types."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.projects import Me, TokenCreated, TokenRead, UserRead
from mlp_core.people import repository
from mlp_core.people.tokens import NewToken
from mlp_core.projects import read as project_read
from mlp_core.projects import repository as projects
from mlp_core.scope import Subject, visible_projects
from mlp_core.tables import TokenRow, UserRow

MOST_PROJECTS = 1000


def read_user(row: UserRow) -> UserRead:
    return UserRead(
        id=row.id,
        username=row.username,
        display_name=row.display_name,
        is_admin=row.is_admin,
        active=row.active,
        created_at=row.created_at,
    )


def read_token(row: TokenRow, project: str | None) -> TokenRead:
    return TokenRead(
        id=row.id,
        name=row.name,
        prefix=row.prefix,
        project=project,
        created_at=row.created_at,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
        is_sign_in=row.is_sign_in,
    )


async def read_tokens(session: AsyncSession, rows: Sequence[TokenRow]) -> list[TokenRead]:
    slugs = await repository.slugs_of(session, [row.project_id for row in rows])
    return [read_token(row, slugs.get(row.project_id or "")) for row in rows]


def created_token(made: NewToken, project: str | None) -> TokenCreated:
    return TokenCreated(**read_token(made.row, project).model_dump(), token=made.plain)


async def read_me(session: AsyncSession, subject: Subject, public_url: str, server_version: str) -> Me:
    """The caller with the projects the caller can use, in a handful of queries."""
    rows = await projects.all_projects(session, await visible_projects(session, subject), MOST_PROJECTS)
    user = await session.get(UserRow, subject.id) if subject.kind == "user" else None
    token = await session.get(TokenRow, subject.token_id) if subject.token_id else None
    return Me(
        kind=subject.kind,
        id=subject.id,
        username=subject.name,
        display_name=user.display_name if user else "",
        is_admin=subject.is_admin,
        projects=await project_read.read_projects(session, subject, rows, public_url),
        token=None if token is None else (await read_tokens(session, [token]))[0],
        server_version=server_version,
    )
