"""Changing one's own password: slow checks outside of any transaction, then one short change."""

from __future__ import annotations

from mlp.schemas.projects import PasswordChange
from mlp_core.domain.errors import NotAllowed
from mlp_core.kit.database import Database
from mlp_core.people import repository
from mlp_core.people.passwords import hash_password, verify_password
from mlp_core.people.throttle import SignInThrottle
from mlp_core.scope import Subject


class OwnPassword:
    """No database connection is held while passwords are checked and hashed."""

    def __init__(self, database: Database, throttle: SignInThrottle) -> None:
        self._database = database
        self._throttle = throttle

    async def change(self, person: Subject, wanted: PasswordChange, address: str) -> None:
        """Give `person` the new password and end their other sign-ins. Doing it again changes nothing.

        Raises:
            NotAllowed: the old password is wrong, or the account has none here.
            LimitReached: too many failures for this person from `address`, at signing in included.
        """
        self._throttle.require_allowed(person.name, address)
        known = await self._known(person)
        new = wanted.new_password.get_secret_value()
        right = await verify_password(known, wanted.old_password.get_secret_value())
        if known is None or not right:
            # An answer that was lost is asked for again: then the new password is the one that is known.
            if not await verify_password(known, new):
                self._throttle.failed(person.name, address)
                raise _refused()
            return
        hashed = await hash_password(new)
        async with self._database.transaction() as session:
            if not await repository.replace_password(session, person.id, known, hashed):
                raise _refused()
            await repository.end_sign_ins(session, person.id, person.token_id)
        self._throttle.succeeded(person.name, address)

    async def _known(self, person: Subject) -> str | None:
        async with self._database.transaction() as session:
            user = await repository.find_user(session, person.id)
        return user.password_hash if user else None


def _refused() -> NotAllowed:
    return NotAllowed("The old password is wrong.", hint="An administrator can set a new one.")
