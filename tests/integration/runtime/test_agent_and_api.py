"""The agent as a process, the api on a socket, real Postgres and object store: the whole way of a log byte."""

from __future__ import annotations

import asyncio
import random
import subprocess
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import uvicorn

from mlp.runtime.agent_config import NodeConfig
from mlp_api.platform import Platform
from support.agent_api import AgentApi
from support.attempts import running_job
from support.platform import Api, api_on
from support.processes import Agents
from support.waiting import eventually


@pytest.fixture(scope="module")
async def real_api(platform: Platform) -> AsyncGenerator[Api]:
    async with api_on(platform) as made:
        yield made


@pytest.fixture
async def url(real_api: Api) -> AsyncGenerator[str]:
    """Where the api listens."""
    config = uvicorn.Config(real_api.app, host="127.0.0.1", port=0, log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())

    async def port() -> int | None:
        return server.servers[0].sockets[0].getsockname()[1] if server.started else None

    yield f"http://127.0.0.1:{await eventually(port)}"
    server.should_exit = True
    await serving


async def ended(process: subprocess.Popen[bytes]) -> int:
    return await asyncio.to_thread(process.wait, 60)


async def test_every_byte_is_read_back_after_the_agent_was_killed_and_the_attempt_is_closed_behind_it(
    real_api: Api, url: str, tmp_path: Path
) -> None:
    owner = await real_api.person()
    scope = await real_api.project(owner)
    job = await running_job(real_api.platform, scope)
    attempt = await job.attempt()
    log, worker = tmp_path / "driver.log", tmp_path / "worker-ab-01000000-77.err"
    content = random.Random(3).randbytes(2_500_000) + b"\r\xff\n" * 10
    log.write_bytes(content[:1_500_000])
    worker.write_bytes(b":job_id:01000000\nwarning\n")
    agents = Agents(tmp_path, AgentApi())
    settings = {
        "api_url": url,
        "token": attempt.token,
        "attempt_id": attempt.id,
        "driver_log": str(log),
        "nodes": (NodeConfig("cpu-0", (f"{tmp_path}/worker-*",)),),
    }

    async def raw(source: str) -> bytes | None:
        answer = await owner.http.get(
            f"/api/v1/projects/{scope.slug}/jobs/{job.id}/logs/raw", params={"source": source, "attempt": 1}
        )
        return answer.content if answer.status_code == 200 else None

    async def has_begun() -> bool:
        return bool(await raw("driver"))

    try:
        agents.start(**settings)
        await eventually(has_begun, within=60)
        agents.started[-1].kill()
        await ended(agents.started[-1])
        with log.open("ab") as stream:
            stream.write(content[1_500_000:])
        agent = agents.start(**settings)
        agent.terminate()
        assert await ended(agent) == 0
        assert await raw("driver") == content
        assert await raw("cpu-0/77/err") == b":job_id:01000000\nwarning\n"
        await attempt.end()
        with log.open("ab") as stream:
            stream.write(b"too late\n")
        assert await ended(agents.start(**settings)) == 3
        assert await raw("driver") == content
    finally:
        agents.end()


async def test_the_output_folder_is_read_back_byte_for_byte(real_api: Api, url: str, tmp_path: Path) -> None:
    owner = await real_api.person()
    scope = await real_api.project(owner)
    job = await running_job(real_api.platform, scope)
    attempt = await job.attempt()
    output = tmp_path / "output"
    (output / "model").mkdir(parents=True)
    wanted = {"model/ü 1.bin": random.Random(4).randbytes(9_000_000), "empty": b"", "last.txt": b"saving\n"}
    for name, content in wanted.items():
        (output / name).write_bytes(content)
    agents = Agents(tmp_path, AgentApi())
    try:
        agent = agents.start(api_url=url, token=attempt.token, attempt_id=attempt.id, output_dir=str(output))
        agent.terminate()
        assert await ended(agent) == 0
    finally:
        agents.end()
    base = f"/api/v1/projects/{scope.slug}/jobs/{job.id}/artifacts"
    listed = (await owner.http.get(base)).json()["items"]
    assert [(row["path"], row["complete"]) for row in listed] == [(name, True) for name in sorted(wanted)]
    for name, content in wanted.items():
        assert (await owner.http.get(f"{base}/content", params={"path": name})).content == content
