"""Every query about users and tokens."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from mlp_core.kit.ids import is_id
from mlp_core.tables import ProjectRow, SignInLinkRow, TokenRow, UserRow


async def live_token(session: AsyncSession, sha256: bytes) -> tuple[TokenRow, UserRow, datetime] | None:
    """A token that has not expired, its active user, and the database's time: one look by a unique index."""
    statement = (
        select(TokenRow, UserRow, func.now())
        .join(UserRow, UserRow.id == TokenRow.user_id)
        .where(TokenRow.sha256 == sha256, TokenRow.expires_at > func.now(), UserRow.active)
    )
    found = (await session.execute(statement)).one_or_none()
    return None if found is None else (found[0], found[1], found[2])


async def take_link(session: AsyncSession, sha256: bytes) -> tuple[TokenRow, UserRow, datetime] | None:
    """Use a sign-in link up: the live token it was asked for by, that token's active user, the database's time.

    Deleting it is what makes it good for one: of two who come at once, one waits and then finds nothing.
    """
    used = delete(SignInLinkRow).where(SignInLinkRow.sha256 == sha256, SignInLinkRow.expires_at > func.now())
    token_id = await session.scalar(used.returning(SignInLinkRow.token_id))
    parent = None if token_id is None else await session.get(TokenRow, token_id)
    return None if parent is None else await live_token(session, parent.sha256)


async def forget_expired_links(session: AsyncSession) -> None:
    await session.execute(delete(SignInLinkRow).where(SignInLinkRow.expires_at <= func.now()))


async def end_session(session: AsyncSession, sha256: bytes) -> bool:
    """Forget a session by its hash. False where there was none."""
    ended = await session.execute(delete(TokenRow).where(TokenRow.sha256 == sha256).returning(TokenRow.id))
    return ended.first() is not None


async def touch_token(session: AsyncSession, token_id: str, now: datetime) -> None:
    statement = update(TokenRow).where(TokenRow.id == token_id).values(last_used_at=now)
    await session.execute(statement.execution_options(synchronize_session=False))


async def find_user(session: AsyncSession, user: str) -> UserRow | None:
    """By id, or by username in any case."""
    if is_id(user, "user"):
        return await session.get(UserRow, user)
    return await session.scalar(select(UserRow).where(func.lower(UserRow.username) == user.lower()))


async def replace_password(session: AsyncSession, user_id: str, before: str, after: str) -> bool:
    """Exchange a password's hash. False where another change was first."""
    statement = update(UserRow).where(UserRow.id == user_id, UserRow.password_hash == before)
    changed = await session.execute(statement.values(password_hash=after).returning(UserRow.id))
    return changed.first() is not None


async def end_sign_ins(session: AsyncSession, user_id: str, but: str | None) -> None:
    """Revoke the tokens that the user got by signing in, except for one."""
    statement = delete(TokenRow).where(TokenRow.user_id == user_id, TokenRow.is_sign_in)
    await session.execute(statement if but is None else statement.where(TokenRow.id != but))


async def lock_active_admins(session: AsyncSession) -> list[str]:
    """Ids of all who can administer the platform, locked so that two changes cannot both take the last one."""
    statement = select(UserRow.id).where(UserRow.is_admin, UserRow.active).order_by(UserRow.id).with_for_update()
    return list((await session.scalars(statement)).all())


async def slugs_of(session: AsyncSession, project_ids: Iterable[str | None]) -> dict[str, str]:
    """Slugs of projects by id, in one query."""
    wanted = {id_ for id_ in project_ids if id_ is not None}
    if not wanted:
        return {}
    found = await session.execute(select(ProjectRow.id, ProjectRow.slug).where(ProjectRow.id.in_(wanted)))
    return {row.id: row.slug for row in found}


async def lock_for_setup(session: AsyncSession, key: int) -> None:
    """Have the first steps of a platform done by one process at a time, until this transaction ends."""
    await session.execute(select(func.pg_advisory_xact_lock(key)))
