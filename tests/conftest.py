"""Fixtures that every tier shares. Each module that asks for a platform gets a database of its own."""

from __future__ import annotations

import signal
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest
import structlog
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from mlp_api.platform import Platform
from mlp_core.kit.database import Database
from mlp_core.settings import Settings
from support.platform import Api, api_on, running_platform, settings_for_tests
from support.postgres import Postgres, running_postgres

_RENDERER = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
structlog.configure(processors=[*structlog.get_config()["processors"][:-1], _RENDERER])
"""The pretty tracebacks of the default take half a minute to lay out."""

hypothesis_settings.register_profile("mlp", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.load_profile("mlp")
"""Properties are about answers; how long an example takes depends on what else the machine does."""


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell that starts tests in the background has them ignore Ctrl-C, and so would every command they interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def postgres() -> Generator[Postgres]:
    """The real server of this session, with a migrated template."""
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="module")
def database_url(postgres: Postgres) -> Generator[str]:
    """A migrated database that only this module uses."""
    with postgres.database() as url:
        yield url


@pytest.fixture
def fresh_database_url(postgres: Postgres) -> Generator[str]:
    """A migrated database that only this test uses."""
    with postgres.database() as url:
        yield url


@pytest.fixture(scope="module")
def settings(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder: Path = tmp_path_factory.mktemp("platform")
    return settings_for_tests(database_url, folder)


@pytest.fixture(scope="module")
async def platform(settings: Settings) -> AsyncGenerator[Platform]:
    """Every neighbour of the api; Postgres and the object store are real, Redis and MLflow are away."""
    async with running_platform(settings) as made:
        yield made


@pytest.fixture(scope="module")
def database(platform: Platform) -> Database:
    return platform.database


@pytest.fixture(scope="module")
async def api(platform: Platform) -> AsyncGenerator[Api]:
    """The api in this process, on `platform`."""
    async with api_on(platform) as made:
        yield made
