"""A real MLflow, and the api in front of it on a real port: what users' own MLflow clients meet."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from mlp_api.platform import Platform
from mlp_core.settings import Settings
from support.mlflow_server import MlflowServer, client_environment, running_mlflow
from support.platform import Api, api_on, running_platform, settings_for_tests
from support.ports import free_port
from support.postgres import Postgres
from support.waiting import eventually

SCRIPT_SECONDS = 280


@pytest.fixture(scope="session")
def mlflow_server(postgres: Postgres) -> Generator[MlflowServer]:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with running_mlflow(postgres) as server:
        yield server


@pytest.fixture(scope="module")
def settings(database_url: str, tmp_path_factory: pytest.TempPathFactory, mlflow_server: MlflowServer) -> Settings:
    return settings_for_tests(
        database_url,
        tmp_path_factory.mktemp("platform"),
        mlflow_url=mlflow_server.base_url,
        public_url=f"http://127.0.0.1:{free_port()}",
    )


@pytest.fixture(scope="module")
async def platform(settings: Settings) -> AsyncGenerator[Platform]:
    async with running_platform(settings) as made:
        yield made


@pytest.fixture(scope="module")
async def api(platform: Platform) -> AsyncGenerator[Api]:
    """The api, in this process and also on the port of its public URL."""
    async with api_on(platform) as made:
        port = int(platform.settings.public_url.rpartition(":")[2])
        server = uvicorn.Server(
            uvicorn.Config(made.app, host="127.0.0.1", port=port, log_config=None, lifespan="off", access_log=False)
        )
        serving = asyncio.create_task(server.serve())

        async def is_up() -> bool:
            return server.started

        await eventually(is_up)
        yield made
        server.should_exit = True
        await serving


@dataclass(frozen=True)
class Ran:
    """How a script of a user ended."""

    code: int
    out: str
    err: str


Script = Callable[..., Coroutine[Any, Any, Ran]]


@pytest.fixture
def script(api: Api, tmp_path: Path) -> Script:
    """Run plain MLflow code in a process of its own, knowing nothing but a tracking URI and a token."""

    async def run(slug: str, token: str, code: str, **variables: str) -> Ran:
        environment = client_environment(api.platform.settings.public_url, slug, token) | variables
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            code,
            env=environment,
            cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        async with asyncio.timeout(SCRIPT_SECONDS):
            out, err = await process.communicate()
        return Ran(process.returncode or 0, out.decode(), err.decode())

    return run
