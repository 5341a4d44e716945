"""Sign-in with a password: a slow check outside of any transaction, then a token."""

from __future__ import annotations

from mlp.schemas.projects import LoginRequest
from mlp_core.domain.errors import NotSignedIn
from mlp_core.kit.clock import Clock
from mlp_core.kit.database import Database
from mlp_core.people import repository
from mlp_core.people.passwords import verify_password
from mlp_core.people.throttle import SignInThrottle
from mlp_core.people.tokens import SIGN_IN_LIFETIME, NewToken, Tokens
from mlp_core.tables import UserRow


class SignIn:
    """No database connection is held while the password is checked."""

    def __init__(self, database: Database, throttle: SignInThrottle, clock: Clock) -> None:
        self._database = database
        self._throttle = throttle
        self._clock = clock

    async def sign_in(self, wanted: LoginRequest, address: str) -> NewToken:
        """A new token for who knows the password. Raises as `prove` does."""
        user = await self.prove(wanted.username, wanted.password.get_secret_value(), address)
        async with self._database.transaction() as session:
            tokens = Tokens(session, self._clock)
            return await tokens.issue(user.id, wanted.device or "sign-in", SIGN_IN_LIFETIME, is_sign_in=True)

    async def prove(self, username: str, password: str, address: str) -> UserRow:
        """The user who knows the password. The same answer, as slow, whether user or password is wrong.

        Raises:
            NotSignedIn: unknown user, wrong password, or the account is not active.
            LimitReached: too many failures for this user from `address`.
        """
        self._throttle.require_allowed(username, address)
        user = await self._find(username)
        right = await verify_password(user.password_hash if user else None, password)
        if user is None or not right or not user.active:
            self._throttle.failed(username, address)
            raise NotSignedIn("The username or the password is wrong.", hint="Ask an administrator for a new password.")
        self._throttle.succeeded(username, address)
        return user

    async def _find(self, username: str) -> UserRow | None:
        async with self._database.transaction() as session:
            return await repository.find_user(session, username)
