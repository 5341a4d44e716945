"""Who calls: bearer tokens of people, sessions of their browsers, job tokens of attempts.

A user token costs one indexed query, kept for a few seconds per process; a job token one query each time, because an
attempt that has ended must be refused at once.
"""

from __future__ import annotations

import base64
import binascii
import time
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime

from starlette.requests import Request

from mlp_api.platform import Platform
from mlp_api.sessions import SessionCookie
from mlp_core.domain.errors import NotSignedIn
from mlp_core.gateways.jobtokens import looks_like_job_token
from mlp_core.people import tokens
from mlp_core.people.sessions import is_session
from mlp_core.scope import Subject

KEPT_SECONDS = 5.0
"""How long another process may still take a token that was revoked here."""
MAX_KEPT = 10_000
_HINT = "Sign in with `mlp login`, or send Authorization: Bearer TOKEN."
_PROXY_HINT = "Sign in on the platform's page, or set MLFLOW_TRACKING_TOKEN to a token of yours."


@dataclass(frozen=True, slots=True)
class _Kept:
    subject: Subject
    until: float
    expires_at: datetime


class Authenticator:
    """Turns a credential into a subject. One per process."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self.cookie = SessionCookie(platform.settings.public_url)
        self._kept: OrderedDict[bytes, _Kept] = OrderedDict()
        self._forgotten = 0

    async def identify_request(self, request: Request, *, takes_basic: bool = False) -> Subject:
        """Who sends the request: by the header `Authorization`, else by a browser's session.

        Raises:
            NotSignedIn: by nobody, or as `identify` says.
            NotAllowed: a change by a session that no page of the platform asks for.
            AttemptOver: as `identify` says.
        """
        credential = basic_or_bearer_of(request) if takes_basic else bearer_of(request)
        if credential is not None:
            if is_session(credential):
                raise NotSignedIn("A browser's session is no token.", hint="Make one with `mlp token create`.")
            return await self.identify(credential)
        session = self.cookie.read(request)
        if session is None:
            raise NotSignedIn("No token was given.", hint=_PROXY_HINT if takes_basic else _HINT)
        self.cookie.require_own_page(request.method, request.headers)
        return await self.identify(session)

    async def identify(self, credential: str) -> Subject:
        """Who `credential` belongs to.

        Raises:
            NotSignedIn: it is unknown, expired or revoked, or its user was deactivated.
            AttemptOver: a job token whose attempt has ended.
        """
        if looks_like_job_token(credential):
            return await self._identify_job(credential)
        return await self._identify_user(credential)

    def forget(self) -> None:
        """Ask Postgres again for every token: one was revoked or a user changed, and that is committed."""
        self._kept.clear()
        self._forgotten += 1

    async def _identify_user(self, credential: str) -> Subject:
        key = tokens.hash_of(credential)
        kept = self._kept.get(key)
        if kept is not None and time.monotonic() < kept.until and self._platform.clock.now() < kept.expires_at:
            return kept.subject
        forgotten = self._forgotten
        async with self._platform.database.transaction() as session:
            found = await tokens.identify(session, key)
        if found is None:
            self._kept.pop(key, None)
            what = "session has ended" if is_session(credential) else "token is unknown, expired or revoked"
            raise NotSignedIn(f"The {what}.", hint="Sign in again, in the browser or with `mlp login`.")
        if forgotten == self._forgotten:
            # Else it may have been read before the revocation that was meant.
            self._keep(key, _Kept(found.subject, time.monotonic() + KEPT_SECONDS, found.expires_at))
        return found.subject

    def _keep(self, key: bytes, kept: _Kept) -> None:
        self._kept[key] = kept
        self._kept.move_to_end(key)
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)

    async def _identify_job(self, credential: str) -> Subject:
        token = self._platform.job_tokens.verify(credential, self._platform.clock.now())
        async with self._platform.database.transaction() as session:
            return await tokens.job_subject(session, token)


def bearer_of(request: Request) -> str | None:
    """The token of `Authorization: Bearer …`; None where there is no such header."""
    kind, _, value = request.headers.get("authorization", "").partition(" ")
    return value.strip() or None if kind.lower() == "bearer" else None


def basic_or_bearer_of(request: Request) -> str | None:
    """As `bearer_of`, and also HTTP Basic with the token as password, for tools that know only that."""
    kind, _, value = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "basic":
        return bearer_of(request)
    try:
        decoded = base64.b64decode(value, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return None
    return decoded.partition(":")[2] or None
