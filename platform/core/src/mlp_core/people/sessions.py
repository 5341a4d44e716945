"""Sessions of browsers: begun by a password, a token or a one-time link, and ended by signing out.

A session is a token of its own, good only as a cookie. One that was begun by another token can do no more than that
one and ends with it.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.sessions import SessionCreate
from mlp_core.domain.errors import NotSignedIn
from mlp_core.domain.ids import ProjectId
from mlp_core.kit.clock import Clock
from mlp_core.kit.database import Database
from mlp_core.people import repository
from mlp_core.people.signin import SignIn
from mlp_core.people.throttle import SignInThrottle
from mlp_core.people.tokens import NewToken, Tokens, hash_of
from mlp_core.scope import Subject
from mlp_core.tables import SignInLinkRow, TokenRow, UserRow

PREFIX = "mlps_"
"""Tells a session from a token: neither passes for the other."""
LINK_LIFETIME = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Session:
    token: NewToken
    username: str


@dataclass(frozen=True, slots=True)
class Link:
    """A link as its owner sees it this one time."""

    code: str
    expires_at: datetime


def is_session(credential: str) -> bool:
    return credential.startswith(PREFIX)


class Sessions:
    """No database connection is held while a password is checked."""

    def __init__(self, database: Database, throttle: SignInThrottle, clock: Clock, lifetime: timedelta) -> None:
        self._database = database
        self._throttle = throttle
        self._clock = clock
        self._lifetime = lifetime

    async def sign_in(self, wanted: SessionCreate, address: str) -> Session:
        """A session for who proves who they are.

        Raises:
            NotSignedIn: the proof is wrong, used up or expired, or the account is not active.
            LimitReached: too many wrong passwords for this user from `address`.
        """
        name = wanted.device or "browser"
        if wanted.password is not None:
            proved = SignIn(self._database, self._throttle, self._clock)
            user = await proved.prove(wanted.username or "", wanted.password.get_secret_value(), address)
            async with self._database.transaction() as session:
                return await self._issue(session, user, name)
        async with self._database.transaction() as session:
            parent, user = await self._parent(session, wanted)
            return await self._issue(session, user, name, parent)

    async def sign_out(self, credential: str) -> bool:
        """Sign out. False where the session had ended before."""
        if not is_session(credential):
            return False
        async with self._database.transaction() as session:
            return await repository.end_session(session, hash_of(credential))

    async def make_link(self, person: Subject) -> Link:
        """A link that signs one browser in as `person`, with what the token of this request may do."""
        code = secrets.token_urlsafe(32)
        now = self._clock.now()
        row = SignInLinkRow(
            sha256=hash_of(code), token_id=person.token_id, created_at=now, expires_at=now + LINK_LIFETIME
        )
        async with self._database.transaction() as session:
            await repository.forget_expired_links(session)
            session.add(row)
        return Link(code, row.expires_at)

    async def _parent(self, session: AsyncSession, wanted: SessionCreate) -> tuple[TokenRow, UserRow]:
        """The live token behind a token or a link."""
        if wanted.link is not None:
            found = await repository.take_link(session, hash_of(wanted.link.get_secret_value()))
            if found is None:
                raise NotSignedIn(
                    "This sign-in link was used before, or it is too old.",
                    hint="Ask for a new one: `mlp up` prints one, also where the platform runs already.",
                )
            return found[:2]
        plain = "" if wanted.token is None else wanted.token.get_secret_value().strip()
        found = None if is_session(plain) else await repository.live_token(session, hash_of(plain))
        if found is None:
            raise NotSignedIn("The token is unknown, expired or revoked.", hint="Make one with `mlp token create`.")
        return found[:2]

    async def _issue(self, session: AsyncSession, user: UserRow, name: str, parent: TokenRow | None = None) -> Session:
        project = None if parent is None or parent.project_id is None else ProjectId(parent.project_id)
        made = await Tokens(session, self._clock).issue(
            user.id,
            name,
            self._lifetime,
            project,
            PREFIX + secrets.token_urlsafe(32),
            is_sign_in=True,
            parent_id=None if parent is None else parent.id,
        )
        if parent is not None:
            made.row.expires_at = min(made.row.expires_at, parent.expires_at)
        return Session(made, user.username)
