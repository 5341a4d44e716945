"""The api as a process of its own, alone and in twos."""

from __future__ import annotations

import asyncio
import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import httpx
import pytest

from mlp.schemas.packages import PART_BYTES
from mlp_core.settings import Settings
from support.live_api import ApiProcess, running_api
from support.platform import Api, Person
from support.ports import free_port
from support.postgres import Postgres

MEBIBYTE = 2**20


@pytest.fixture(scope="module")
def twins(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Generator[tuple[ApiProcess, ApiProcess]]:
    """Two replicas on one database."""
    folder = tmp_path_factory.mktemp("twins")
    with running_api(settings, folder / "one.log") as one, running_api(settings, folder / "two.log") as two:
        yield one, two


@pytest.fixture(scope="module")
async def admin(api: Api) -> Person:
    return await api.person(is_admin=True)


@pytest.fixture
async def clients(twins: tuple[ApiProcess, ApiProcess], admin: Person) -> AsyncGenerator[list[httpx.AsyncClient]]:
    headers = {"Authorization": f"Bearer {admin.token}"}
    made = [httpx.AsyncClient(base_url=process.url, headers=headers, timeout=60) for process in twins]
    yield made
    for client in made:
        await client.aclose()


async def test_one_key_on_two_replicas_makes_one(clients: list[httpx.AsyncClient]) -> None:
    keyed = {"Idempotency-Key": "over-two-replicas"}
    answers = await asyncio.gather(
        *(clients[n % 2].post("/api/v1/projects", json={"name": "replicas"}, headers=keyed) for n in range(10))
    )
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1


async def test_cursor_of_one_replica_is_good_on_the_other(clients: list[httpx.AsyncClient]) -> None:
    for n in range(3):
        await clients[0].post("/api/v1/tokens", json={"name": f"t{n}"})
    first = (await clients[0].get("/api/v1/tokens", params={"limit": 2})).json()
    second = await clients[1].get("/api/v1/tokens", params={"limit": 2, "cursor": first["next"]})
    assert second.status_code == 200
    assert not {token["id"] for token in second.json()["items"]} & {token["id"] for token in first["items"]}


async def test_a_large_package_goes_through_without_filling_memory(
    clients: list[httpx.AsyncClient], twins: tuple[ApiProcess, ApiProcess], tmp_path: Path
) -> None:
    package = tmp_path / "large.zip"
    noise = os.urandom(MEBIBYTE)
    with zipfile.ZipFile(package, "w", zipfile.ZIP_STORED) as archive, archive.open("data.bin", "w") as file:
        for n in range(300):
            file.write(n.to_bytes(4, "big") + noise[4:])
    digest = f"sha256:{hashlib.file_digest(package.open('rb'), 'sha256').hexdigest()}"
    http = clients[0]
    await http.post("/api/v1/projects", json={"name": "large"})
    base = "/api/v1/projects/large/packages"
    before = _peak_bytes(twins[0].pid)
    begun = await http.post(base, json={"digest": digest, "size": package.stat().st_size})
    with package.open("rb") as file:
        for number in range(begun.json()["parts"]):
            sent = await http.put(f"{base}/{digest}/parts/{number}", content=file.read(PART_BYTES))
            assert sent.status_code == 200
    completed = await http.post(f"{base}/{digest}:complete", timeout=120)
    assert completed.status_code == 200
    back = hashlib.sha256()
    async with http.stream("GET", f"{base}/{digest}/content") as content:
        async for piece in content.aiter_bytes():
            back.update(piece)
    assert f"sha256:{back.hexdigest()}" == digest
    assert _peak_bytes(twins[0].pid) - before < 150 * MEBIBYTE


def _peak_bytes(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def test_metrics_are_on_a_port_of_their_own(settings: Settings, tmp_path: Path) -> None:
    port = free_port()
    with running_api(settings, tmp_path / "api.log", MLP_METRICS_PORT=str(port)) as process:
        assert httpx.get(f"{process.url}/metrics").status_code == 404
        httpx.get(f"{process.url}/api/v1/projects/some-name")
        figures = httpx.get(f"http://127.0.0.1:{port}/metrics").text
    assert 'mlp_api_requests_total{method="GET",route="/projects/{project}",status="401"} 1.0' in figures


def test_requests_are_logged_as_json_with_their_id_and_without_secrets(settings: Settings, tmp_path: Path) -> None:
    log = tmp_path / "api.log"
    with running_api(settings, log) as process:
        headers = {"X-Request-Id": "find-me-0001", "Authorization": "Bearer mlp_do-not-log-me"}
        httpx.get(f"{process.url}/api/v1/me?token=x", headers=headers)
    text = log.read_text()
    line = next(line for line in text.splitlines() if "find-me-0001" in line and '"request"' in line)
    assert '"status": 401' in line
    assert '"process": "api"' in line
    assert "do-not-log-me" not in text


def test_api_does_not_start_on_a_schema_that_it_cannot_use(settings: Settings, postgres: Postgres) -> None:
    with postgres.database(migrated=False) as url:
        environment = os.environ | {
            "MLP_DATABASE_URL": url,
            "MLP_OBJECT_STORE_URL": settings.object_store_url,
            "MLP_SECRET_KEY": "0" * 32,
        }
        refused = subprocess.run(
            [sys.executable, "-m", "mlp_api.main"], env=environment, capture_output=True, text=True, check=False
        )
    assert refused.returncode == 3
    assert "The schema is behind" in refused.stderr
    assert "Traceback" not in refused.stderr
