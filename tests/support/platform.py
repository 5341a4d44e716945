"""A platform for tests: real Postgres and object store, a clock that stands, neighbours that may be away."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import httpx
from fastapi import FastAPI

from mlp.schemas.phases import Role
from mlp.schemas.projects import ProjectCreate
from mlp_api.app import create_app
from mlp_api.platform import Platform, make_platform
from mlp_core.kit.ids import new_id
from mlp_core.people.tokens import Tokens
from mlp_core.projects.service import Projects
from mlp_core.scope import ProjectScope, Subject, enter_project
from mlp_core.settings import Settings
from mlp_core.tables import UserRow

SECRET = "a secret of at least thirty-two characters"
NOBODY_LISTENS = "127.0.0.1:9"
"""The discard port: what is not started for a test refuses connections at once."""


def settings_for_tests(database_url: str, folder: Path, **more: object) -> Settings:
    """Settings of a platform whose Redis and MLflow are away, unless `more` names them."""
    values: dict[str, object] = {
        "database_url": database_url,
        "object_store_url": f"file://{folder / 'objects'}",
        "secret_key": SECRET,
        "redis_url": f"redis://{NOBODY_LISTENS}/0",
        "mlflow_url": f"http://{NOBODY_LISTENS}",
        "public_url": "http://mlp.test",
        "data_dir": folder,
        "log_format": "console",
        "database_pool": 10,
    }
    return Settings(**(values | more))  # pyright: ignore[reportArgumentType]


@asynccontextmanager
async def running_platform(settings: Settings) -> AsyncGenerator[Platform]:
    platform = make_platform(settings)
    try:
        yield platform
    finally:
        await platform.close()


@dataclass
class Person:
    """A user with a token of theirs, and HTTP as that user."""

    id: str
    username: str
    token: str
    http: httpx.AsyncClient
    is_admin: bool = False

    @property
    def subject(self) -> Subject:
        return Subject(kind="user", id=self.id, name=self.username, is_admin=self.is_admin)


@dataclass
class Api:
    """The api in this process, through ASGI, and a way to have people call it."""

    platform: Platform
    app: FastAPI
    _clients: list[httpx.AsyncClient] = field(default_factory=list[httpx.AsyncClient])

    def client(self, token: str | None = None, **headers: str) -> httpx.AsyncClient:
        """HTTP as the holder of `token`, or as nobody."""
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False, client=("192.0.2.1", 4711))
        client = httpx.AsyncClient(transport=transport, base_url="http://mlp.test", headers=headers, timeout=30)
        self._clients.append(client)
        return client

    async def person(self, name: str | None = None, *, is_admin: bool = False) -> Person:
        """A new user, without a password, and a token that lives for a day."""
        id_ = new_id("user")
        username = name or f"user-{id_[-8:].lower()}"
        async with self.platform.database.transaction() as session:
            session.add(UserRow(id=id_, username=username, subject=id_, is_admin=is_admin))
            await session.flush()
            made = await Tokens(session, self.platform.clock).issue(id_, "tests", timedelta(days=1))
        return Person(id_, username, made.plain, self.client(made.plain), is_admin)

    async def project(self, owner: Person, /, name: str | None = None, **members: Person) -> ProjectScope:
        """A project of `owner`'s; `viewer=` and `editor=` are made members with that role."""
        maker = Subject(kind="user", id=owner.id, name=owner.username, is_admin=True)
        async with self.platform.database.transaction() as session:
            projects = Projects(session, self.platform.clock)
            row = await projects.create(maker, ProjectCreate(name=name or f"p-{new_id('project')[-10:].lower()}"))
            scope = await enter_project(session, maker, row.id, Role.OWNER)
            for role, person in members.items():
                await projects.put_member(scope, person.id, Role(role))
        return scope

    async def close(self) -> None:
        for client in self._clients:
            await client.aclose()


@asynccontextmanager
async def api_on(platform: Platform) -> AsyncGenerator[Api]:
    api = Api(platform, create_app(platform))
    try:
        yield api
    finally:
        await api.close()
