"""The first user, token, project and pools: `python -m mlp_core.bootstrap [document.json]`. Safe to repeat.

The document: `{"admin": {"username", "password"}, "token", "project", "pools": [PoolCreate, …]}`; all but `admin` may
be absent. It is read from standard input where no file is named. Password and token may come as the variables
`MLP_BOOTSTRAP_PASSWORD` and `MLP_BOOTSTRAP_TOKEN` instead, so that the document holds no secret. What exists is kept as
people have changed it since, but for two things that whoever runs this must be able to rely on: the admin can sign in
with this password, and the token lives for another year.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, SecretStr, ValidationError
from sqlalchemy import select
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.base import Intent, Slug
from mlp.schemas.pools import PoolCreate
from mlp.schemas.projects import ProjectCreate, UserCreate, Username
from mlp_core.kit.clock import Clock, SystemClock
from mlp_core.kit.database import Database
from mlp_core.people import repository as people
from mlp_core.people.passwords import hash_password, verify_password
from mlp_core.people.tokens import LONGEST_LIFETIME, Tokens, hash_of
from mlp_core.people.users import Users
from mlp_core.pools import repository as pools
from mlp_core.pools.service import Pools
from mlp_core.projects import repository as projects
from mlp_core.projects.service import Projects
from mlp_core.scope import Subject
from mlp_core.settings import Settings
from mlp_core.tables import TokenRow, UserRow

TOKEN_NAME = "this machine"  # noqa: S105 (what the list of tokens shows)
PASSWORD_VARIABLE = "MLP_BOOTSTRAP_PASSWORD"  # noqa: S105 (a variable's name)
TOKEN_VARIABLE = "MLP_BOOTSTRAP_TOKEN"  # noqa: S105
ADVISORY_KEY = 0x6D6C7002
"""Two bootstraps at once are done one after the other."""


class Admin(Intent):
    username: Username
    password: SecretStr = Field(min_length=12, max_length=1000)


class Bootstrap(Intent):
    """What the platform has to have after this."""

    admin: Admin
    token: SecretStr | None = Field(default=None, min_length=20, max_length=200)
    project: Slug | None = None
    pools: list[PoolCreate] = Field(default_factory=list[PoolCreate], max_length=1000)


async def bootstrap(database: Database, wanted: Bootstrap, clock: Clock) -> list[str]:
    """Make what is missing, in one transaction.

    Returns:
        What was made, in words.
    """
    made: list[str] = []
    async with database.transaction() as session:
        await people.lock_for_setup(session, ADVISORY_KEY)
        admin = await _admin(session, wanted.admin, clock, made)
        await _token(session, admin, wanted.token, clock, made)
        await _project(session, admin, wanted.project, clock, made)
        for pool in wanted.pools:
            if await pools.find_pool(session, pool.name) is None:
                await Pools(session, clock).create(pool)
                made.append(f"pool {pool.name}")
    return made


async def _admin(session: AsyncSession, wanted: Admin, clock: Clock, made: list[str]) -> UserRow:
    password = wanted.password.get_secret_value()
    row = await people.find_user(session, wanted.username)
    if row is None:
        made.append(f"user {wanted.username}")
        new = UserCreate(username=wanted.username, password=wanted.password, is_admin=True)
        return await Users(session, clock).create(new)
    if not await verify_password(row.password_hash, password):
        row.password_hash = await hash_password(password)
        made.append(f"password of {wanted.username}")
    row.is_admin = row.active = True
    await session.flush()
    return row


async def _token(
    session: AsyncSession, admin: UserRow, wanted: SecretStr | None, clock: Clock, made: list[str]
) -> None:
    if wanted is None:
        return
    plain = wanted.get_secret_value()
    row = await session.scalar(select(TokenRow).where(TokenRow.sha256 == hash_of(plain)))
    if row is None:
        await Tokens(session, clock).issue(admin.id, TOKEN_NAME, LONGEST_LIFETIME, plain=plain)
        made.append("token")
    else:
        row.expires_at = clock.now() + LONGEST_LIFETIME
        await session.flush()


async def _project(session: AsyncSession, admin: UserRow, name: str | None, clock: Clock, made: list[str]) -> None:
    if name is None or await projects.exists(session, name):
        return
    subject = Subject(kind="user", id=admin.id, name=admin.username, is_admin=True)
    await Projects(session, clock).create(subject, ProjectCreate(name=name))
    made.append(f"project {name}")


async def _run(settings: Settings, wanted: Bootstrap) -> list[str]:
    database = Database(settings.database_url, pool_size=1, application_name="mlp-bootstrap")
    try:
        return await bootstrap(database, wanted, SystemClock())
    finally:
        await database.close()


def with_secrets(document: dict[str, Any], variables: Mapping[str, str]) -> dict[str, Any]:
    """The document with the secrets of the environment in it, which win."""
    filled = dict(document)
    if password := variables.get(PASSWORD_VARIABLE):
        filled["admin"] = {**filled.get("admin", {}), "password": password}
    if token := variables.get(TOKEN_VARIABLE):
        filled["token"] = token
    return filled


def main(arguments: list[str] | None = None) -> int:
    named = sys.argv[1:] if arguments is None else arguments
    try:
        text = Path(named[0]).read_text(encoding="utf-8") if named else sys.stdin.read()
        wanted = Bootstrap.model_validate(with_secrets(json.loads(text), os.environ))
    except ValidationError as error:
        # Without the values: they are secrets.
        for item in error.errors(include_input=False, include_url=False, include_context=False):
            sys.stderr.write(f"{'.'.join(str(part) for part in item['loc'])}: {item['msg']}\n")
        return 2
    except json.JSONDecodeError as error:
        sys.stderr.write(f"The document is not JSON: {error}\n")
        return 2
    settings = Settings()  # pyright: ignore[reportCallIssue] (filled from the environment)
    try:
        made = asyncio.run(_run(settings, wanted))
    except OperationalError as error:
        sys.stderr.write(f"The database does not answer: {error.orig}\n")
        return 5
    sys.stdout.write("".join(f"made {what}\n" for what in made) or "nothing to do\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
