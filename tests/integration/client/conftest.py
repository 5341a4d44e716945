"""The client against the api on a real port, so that what one says is what the other understands."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn

import mlp
from mlp.schemas.pools import PoolCreate
from support.platform import Api, Person


class Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Signals belong to the test run."""
        yield


@pytest.fixture(scope="module")
async def url(api: Api) -> AsyncGenerator[str]:
    listening = socket.create_server(("127.0.0.1", 0))
    server = Server(uvicorn.Config(api.app, log_level="warning", lifespan="off", timeout_graceful_shutdown=2))
    task = asyncio.create_task(server.serve([listening]))
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    await task


@pytest.fixture(scope="module")
async def admin(api: Api) -> Person:
    return await api.person(is_admin=True)


@pytest.fixture(scope="module")
async def project(api: Api, admin: Person, url: str) -> str:
    """A project on a platform that has one machine without and one with a GPU."""
    scope = await api.project(admin)
    client = mlp.Client(url, admin.token)
    for pool in (
        PoolCreate(name="cpu", cpu=8, memory="32Gi", is_default=True),  # pyright: ignore[reportArgumentType]
        PoolCreate(name="gpu", cpu=8, memory="32Gi", gpu=2, is_default=True),  # pyright: ignore[reportArgumentType]
    ):
        await asyncio.to_thread(client.pools.create, pool)
    return scope.slug


@pytest.fixture
def client(url: str, admin: Person, project: str) -> mlp.Client:
    return mlp.Client(url, admin.token, project=project)


Command = Callable[..., "asyncio.Future[tuple[int, str, str]]"]


@pytest.fixture
def command(url: str, admin: Person, project: str, tmp_path: Path) -> Command:
    """`mlp ...` as a process of its own: exit code, standard output, standard error."""
    import os
    import sys

    own = {name: value for name, value in os.environ.items() if not name.startswith("MLP_")} | {
        "MLP_URL": url, "MLP_TOKEN": admin.token, "MLP_PROJECT": project, "MLP_CONFIG": str(tmp_path / "config.toml"),
    }  # fmt: skip

    async def run(*arguments: str, stdin: str = "", environ: dict[str, str] | None = None) -> tuple[int, str, str]:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", "import sys; from mlp.cli.main import main; sys.exit(main())", *arguments,
            env=own | (environ or {}), cwd=tmp_path, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        out, err = await process.communicate(stdin.encode())
        return process.returncode or 0, out.decode(), err.decode()

    return run  # pyright: ignore[reportReturnType]
