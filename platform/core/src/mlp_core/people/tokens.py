"""Tokens: how people and jobs prove who they are. A token of a person is shown once; only its sha256 is kept."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.phases import Role
from mlp.schemas.projects import TokenCreate
from mlp_core.domain.errors import AttemptOver, Invalid, NotAllowed, NotFound
from mlp_core.domain.ids import AttemptId, JobId, ProjectId, TokenId
from mlp_core.gateways.jobtokens import JobToken
from mlp_core.kit.clock import Clock
from mlp_core.kit.ids import new_id
from mlp_core.kit.pages import PageRequest, Slice, keyset_page, newest_first
from mlp_core.people import repository
from mlp_core.scope import Subject, enter_project
from mlp_core.tables import AttemptRow, TokenRow

PREFIX = "mlp_"
SHOWN_CHARACTERS = 12
DEFAULT_LIFETIME = timedelta(days=90)
SIGN_IN_LIFETIME = timedelta(days=30)
LONGEST_LIFETIME = timedelta(days=366)
TOUCHED_EVERY = timedelta(minutes=1)
"""`last_used_at` is at most this old: reading must not turn into a write per request."""


@dataclass(frozen=True, slots=True)
class Identified:
    subject: Subject
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token as its owner sees it this one time."""

    row: TokenRow
    plain: str


def hash_of(plain: str) -> bytes:
    return hashlib.sha256(plain.encode(errors="surrogatepass")).digest()


async def identify(session: AsyncSession, sha256: bytes) -> Identified | None:
    """Whose token this is, by the database's clock; None where it is unknown, expired, or its user is not active."""
    found = await repository.live_token(session, sha256)
    if found is None:
        return None
    token, user, now = found
    if token.last_used_at is None or token.last_used_at < now - TOUCHED_EVERY:
        await repository.touch_token(session, token.id, now)
    subject = Subject(
        kind="user",
        id=user.id,
        name=user.username,
        is_admin=user.is_admin,
        token_id=TokenId(token.id),
        only_project=None if token.project_id is None else ProjectId(token.project_id),
    )
    return Identified(subject, token.expires_at)


async def job_subject(session: AsyncSession, token: JobToken) -> Subject:
    """The job behind a verified job token.

    Raises:
        AttemptOver: the attempt has ended (or was deleted); its processes may do nothing any more.
    """
    statement = select(AttemptRow.id).where(AttemptRow.id == token.attempt_id, AttemptRow.ended_at.is_(None))
    if await session.scalar(statement) is None:
        raise AttemptOver("The attempt that this token belongs to has ended.")
    return Subject(
        kind="job",
        id=token.job_id,
        name=f"job {token.job_id}",
        only_project=token.project_id,
        attempt_id=AttemptId(token.attempt_id),
        job_id=JobId(token.job_id),
    )


class Tokens:
    """What people can do with their tokens."""

    def __init__(self, session: AsyncSession, clock: Clock) -> None:
        self._session = session
        self._clock = clock

    async def create(self, owner: Subject, wanted: TokenCreate) -> NewToken:
        """Make a token for `owner`, never one that may do more than the token it was asked with.

        Raises:
            NotFound: there is no such project for this person.
            NotAllowed: asked with a token limited to a project, for anything beyond it.
            Invalid: it would live for more than a year.
        """
        project_id = await self._project_of(owner, wanted)
        lifetime = DEFAULT_LIFETIME if wanted.expires_in is None else wanted.expires_in
        if not timedelta(seconds=1) <= lifetime <= LONGEST_LIFETIME:
            raise Invalid(
                "A token lives between a second and a year.", fields={"expires_in": "must be between 1s and 366d"}
            )
        return await self.issue(owner.id, wanted.name, lifetime, project_id)

    async def issue(
        self,
        user_id: str,
        name: str,
        lifetime: timedelta,
        project_id: ProjectId | None = None,
        plain: str | None = None,
        *,
        is_sign_in: bool = False,
        parent_id: str | None = None,
    ) -> NewToken:
        """Make a token for a user who has proved who they are. `plain` only where the platform itself is set up."""
        plain = plain or PREFIX + secrets.token_urlsafe(32)
        now = self._clock.now()
        row = TokenRow(
            id=new_id("token"),
            user_id=user_id,
            project_id=project_id,
            name=name,
            prefix=plain[:SHOWN_CHARACTERS],
            sha256=hash_of(plain),
            created_at=now,
            expires_at=now + lifetime,
            is_sign_in=is_sign_in,
            parent_id=parent_id,
        )
        self._session.add(row)
        await self._session.flush()
        return NewToken(row, plain)

    async def page(self, owner: Subject, page: PageRequest) -> Slice[TokenRow]:
        """The caller's own tokens, newest first, expired ones included."""
        statement = select(TokenRow).where(TokenRow.user_id == owner.id)
        return await keyset_page(self._session, statement, newest_first(TokenRow.created_at, TokenRow.id), page)

    async def get(self, owner: Subject, token_id: str) -> TokenRow:
        """One of the caller's own tokens; `current` is the one the request came with."""
        wanted = owner.token_id if token_id == "current" else token_id  # noqa: S105 (a name, not a secret)
        row = await self._session.get(TokenRow, wanted) if wanted else None
        if row is None or row.user_id != owner.id:
            raise NotFound.of("token", token_id, "See `mlp token list`.")
        return row

    async def revoke(self, owner: Subject, token_id: str) -> None:
        await self._session.delete(await self.get(owner, token_id))
        await self._session.flush()

    async def _project_of(self, owner: Subject, wanted: TokenCreate) -> ProjectId | None:
        if wanted.project is None:
            if owner.only_project is not None:
                raise NotAllowed(
                    "This token is limited to one project and cannot make one that is not.",
                    hint="Name the same project, or sign in with `mlp login`.",
                )
            return None
        return (await enter_project(self._session, owner, wanted.project, Role.VIEWER)).project_id
