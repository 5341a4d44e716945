"""Users: accounts that platform admins keep."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.projects import UserCreate, UserPatch
from mlp_core.domain.errors import NameTaken, NotFound, StillInUse
from mlp_core.kit.clock import Clock
from mlp_core.kit.ids import new_id
from mlp_core.kit.pages import PageRequest, Slice, keyset_page, newest_first
from mlp_core.people import repository
from mlp_core.people.passwords import hash_password
from mlp_core.tables import UserRow


class Users:
    """What admins can do with accounts."""

    def __init__(self, session: AsyncSession, clock: Clock) -> None:
        self._session = session
        self._clock = clock

    async def create(self, wanted: UserCreate) -> UserRow:
        """Make a local user.

        Raises:
            NameTaken: somebody has this username, in whatever case.
        """
        id_ = new_id("user")
        row = UserRow(
            id=id_,
            username=wanted.username,
            issuer="local",
            subject=id_,
            display_name=wanted.display_name,
            password_hash=await hash_password(wanted.password.get_secret_value()),
            is_admin=wanted.is_admin,
            active=True,
            created_at=self._clock.now(),
        )
        try:
            async with self._session.begin_nested():
                self._session.add(row)
        except IntegrityError as error:
            raise NameTaken(f"There is a user '{wanted.username}' already.", fields={"username": "is taken"}) from error
        return row

    async def get(self, user: str) -> UserRow:
        row = await repository.find_user(self._session, user)
        if row is None:
            raise NotFound.of("user", user)
        return row

    async def page(self, page: PageRequest) -> Slice[UserRow]:
        return await keyset_page(self._session, select(UserRow), newest_first(UserRow.created_at, UserRow.id), page)

    async def change(self, user: str, patch: UserPatch) -> UserRow:
        """Change an account.

        Raises:
            StillInUse: it would leave the platform without an active admin.
        """
        row = await self.get(user)
        if patch.is_admin is False or patch.active is False:
            await self._require_another_admin(row)
        if patch.display_name is not None:
            row.display_name = patch.display_name
        if patch.password is not None:
            row.password_hash = await hash_password(patch.password.get_secret_value())
        if patch.is_admin is not None:
            row.is_admin = patch.is_admin
        if patch.active is not None:
            row.active = patch.active
        await self._session.flush()
        return row

    async def _require_another_admin(self, row: UserRow) -> None:
        admins = await repository.lock_active_admins(self._session)
        if row.id in admins and len(admins) == 1:
            raise StillInUse(
                f"'{row.username}' is the last active platform admin.", hint="Make somebody else an admin first."
            )
