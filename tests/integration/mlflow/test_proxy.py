"""The proxy: who gets in, what passes, and what MLflow never sees."""

# Only the gateway's own client shows what reaches MLflow.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from mlp_api.platform import Platform
from mlp_core.scope import ProjectScope
from mlp_core.tracking import closing
from support.attempts import running_job
from support.mlflow_server import MlflowServer
from support.platform import Api, Person
from support.waiting import eventually

API = "api/2.0/mlflow"
ARTIFACTS = "api/2.0/mlflow-artifacts/artifacts"
MEBIBYTE = 2**20


@pytest.fixture(scope="module")
async def owner(api: Api) -> Person:
    return await api.person()


@pytest.fixture(scope="module")
async def viewer(api: Api) -> Person:
    return await api.person()


@pytest.fixture(scope="module")
async def scope(api: Api, owner: Person, viewer: Person, platform: Platform) -> ProjectScope:
    made = await api.project(owner, viewer=viewer)
    await closing.ensure_workspace(platform.database, platform.mlflow, made.project_id)
    return made


@pytest.fixture(scope="module")
async def run(platform: Platform, scope: ProjectScope) -> dict[str, str]:
    """A run of the project, with where its artifacts go below `mlflow-artifacts/artifacts/`."""
    experiment = await platform.mlflow.experiments.ensure(scope.project_id, "proxied")
    made = await platform.mlflow.runs.create(scope.project_id, experiment, "r", {}, platform.clock.now())
    return {"id": made.id, "experiment": experiment, "artifacts": f"{experiment}/{made.id}/artifacts"}


def http(api: Api, token: str | None = None, auth: tuple[str, str] | None = None, **headers: str) -> httpx.AsyncClient:
    """HTTP on the api's port; of `headers` an underscore stands for a dash."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    if token is not None:
        sent["Authorization"] = f"Bearer {token}"
    return httpx.AsyncClient(base_url=api.platform.settings.public_url, headers=sent, auth=auth, timeout=120)


# -- who gets in ---------------------------------------------------------------------------------------------------


async def test_nobody_gets_in_without_a_credential(api: Api, scope: ProjectScope) -> None:
    async with http(api) as client:
        page = await client.get(f"/mlflow/{scope.slug}/", headers={"accept": "text/html"})
        call = await client.get(f"/mlflow/{scope.slug}/{API}/experiments/get?experiment_id=1")
    assert (page.status_code, call.status_code) == (401, 401)
    assert page.headers["www-authenticate"].startswith("Basic ")
    assert call.json()["error_code"] == "UNAUTHENTICATED"
    assert call.json()["code"] == "not_signed_in"


async def test_another_projects_member_finds_nothing_anywhere(
    api: Api, scope: ProjectScope, run: dict[str, str]
) -> None:
    stranger = await api.person()
    paths = ["", f"{API}/runs/get?run_id={run['id']}", f"{ARTIFACTS}/{run['artifacts']}/x"]
    async with http(api, stranger.token) as client:
        for path in paths:
            for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
                answer = await client.request(method, f"/mlflow/{scope.slug}/{path}")
                assert answer.status_code == 404, (method, path, answer.text)


async def test_a_member_of_another_project_cannot_reach_in_by_header_or_id(
    api: Api, platform: Platform, scope: ProjectScope, run: dict[str, str]
) -> None:
    stranger = await api.person()
    theirs = await api.project(stranger)
    await closing.ensure_workspace(platform.database, platform.mlflow, theirs.project_id)
    workspace = f"project-{scope.project_id.removeprefix('prj_').lower()}"
    async with http(api, stranger.token) as client:
        client.headers["X-MLFLOW-WORKSPACE"] = workspace
        root = f"/mlflow/{theirs.slug}"
        seen = await client.get(f"{root}/{API}/runs/get", params={"run_id": run["id"]})
        never = await client.get(f"{root}/{API}/runs/get", params={"run_id": "0" * 32})
        listed = await client.get(f"{root}/{API}/artifacts/list", params={"run_id": run["id"]})
        climbed = await client.get(f"{root}/{ARTIFACTS}/..%2f..%2f{workspace}/{run['artifacts']}")
        found = await client.post(f"{root}/{API}/runs/search", json={"experiment_ids": [run["experiment"]]})
    assert seen.status_code in (403, 404)
    assert seen.status_code == never.status_code, "whether a run exists elsewhere must not show"
    assert (listed.status_code in (403, 404), climbed.status_code) == (True, 404)
    assert found.json().get("runs", []) == []


async def test_basic_with_the_token_as_password_is_a_way_in(api: Api, owner: Person, scope: ProjectScope) -> None:
    async with http(api, auth=("anybody", owner.token)) as client:
        assert (await client.get(f"/mlflow/{scope.slug}/")).status_code == 200


async def test_a_job_token_opens_its_own_project_while_its_attempt_lives(
    api: Api, platform: Platform, owner: Person, scope: ProjectScope, run: dict[str, str]
) -> None:
    other = await api.project(owner)
    attempt = await (await running_job(platform, scope)).attempt()
    path = f"{API}/runs/get?run_id={run['id']}"
    async with http(api, attempt.token) as client:
        assert (await client.get(f"/mlflow/{scope.slug}/{path}")).status_code == 200
        assert (await client.get(f"/mlflow/{other.slug}/{path}")).status_code == 404
        await attempt.end()
        assert (await client.get(f"/mlflow/{scope.slug}/{path}")).status_code == 410


async def test_the_default_experiment_may_have_a_number_of_any_length(
    api: Api, platform: Platform, owner: Person
) -> None:
    """The client's `0` becomes the real number, and the request one of another length."""
    project = await api.project(owner)
    await closing.ensure_workspace(platform.database, platform.mlflow, project.project_id)
    last = 0
    while last < 10:
        last = int(await platform.mlflow.experiments.ensure(project.project_id, f"filler-{last}"))
    async with http(api, owner.token) as client:
        made = await client.post(f"/mlflow/{project.slug}/{API}/runs/create", json={"experiment_id": "0"})
        assert made.status_code == 200, made.text
    experiment = await platform.mlflow.experiments.ensure(project.project_id, "Default")
    assert len(experiment) > 1
    assert made.json()["run"]["info"]["experiment_id"] == experiment


async def test_a_viewer_reads_and_searches_but_changes_nothing(
    api: Api, viewer: Person, scope: ProjectScope, run: dict[str, str]
) -> None:
    root = f"/mlflow/{scope.slug}"
    async with http(api, viewer.token) as client:
        assert (await client.get(f"{root}/{API}/runs/get?run_id={run['id']}")).status_code == 200
        searched = await client.post(f"{root}/{API}/runs/search", json={"experiment_ids": [run["experiment"]]})
        assert [found["info"]["run_id"] for found in searched.json()["runs"]] == [run["id"]]
        for path, body in [
            (f"{API}/runs/set-tag", {"run_id": run["id"], "key": "a", "value": "b"}),
            (f"{API}/runs/delete", {"run_id": run["id"]}),
            (f"{API}/experiments/create", {"name": "mine"}),
            (f"{API}/registered-models/create", {"name": "mine"}),
        ]:
            refused = await client.post(f"{root}/{path}", json=body)
            assert (refused.status_code, refused.json()["error_code"]) == (403, "PERMISSION_DENIED")
        put = await client.put(f"{root}/{ARTIFACTS}/{run['artifacts']}/x", content=b"1")
        assert put.status_code == 403


async def test_what_passes_for_a_viewers_reading_cannot_write_either(
    platform: Platform, scope: ProjectScope, run: dict[str, str]
) -> None:
    """Should a writing call ever look like a reading one: the reader's token is refused by MLflow itself."""
    from mlp_core.gateways.mlflow.passage import Request

    body = f'{{"run_id": "{run["id"]}", "key": "a", "value": "b"}}'.encode()
    headers = {"content-type": "application/json"}
    request = Request(scope.project_id, False, "POST", f"/{API}/runs/set-tag", headers, body)
    async with platform.mlflow.passage.send(request) as answer:
        assert answer.status_code == 403


@pytest.mark.parametrize(
    "path",
    [
        f"{API}/users/list",
        f"{API}/users/create",
        "api/3.0/mlflow/roles/list",
        "api/3.0/mlflow/workspaces",
        "ajax-api/3.0/mlflow/workspaces",
        "api/3.0/mlflow/gateway/endpoints",
        "gateway/x/invocations",
        f"{API}/webhooks",
        "signup",
    ],
)
async def test_the_servers_own_administration_is_closed_to_owners_too(
    api: Api, owner: Person, scope: ProjectScope, path: str
) -> None:
    async with http(api, owner.token) as client:
        assert (await client.get(f"/mlflow/{scope.slug}/{path}")).status_code == 403


async def test_a_page_of_another_site_cannot_write(api: Api, owner: Person, scope: ProjectScope) -> None:
    async with http(api, auth=("x", owner.token), origin="https://evil.example") as client:
        path = f"/mlflow/{scope.slug}/ajax-api/2.0/mlflow/experiments/create"
        assert (await client.post(path, json={"name": "evil"})).status_code == 403
        client.headers["Origin"] = api.platform.settings.public_url
        assert (await client.post(path, json={"name": "good"})).status_code == 200


# -- the UI --------------------------------------------------------------------------------------------------------


async def test_the_ui_starts_below_the_project(api: Api, owner: Person, scope: ProjectScope) -> None:
    async with http(api, owner.token) as client:
        moved = await client.get(f"/mlflow/{scope.slug}")
        page = await client.get(f"/mlflow/{scope.slug}/")
        source = page.text.split('src="')[1].split('"')[0]
        code = await client.get(f"/mlflow/{scope.slug}/{source}")
        info = await client.get(f"/mlflow/{scope.slug}/ajax-api/3.0/mlflow/server-info")
    assert (moved.status_code, moved.headers["location"]) == (308, f"{scope.slug}/")
    assert page.status_code == code.status_code == 200
    assert not source.startswith(("/", "http"))
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert info.json()["workspaces_enabled"] is False


async def test_an_artifact_is_shown_but_never_run(
    api: Api, owner: Person, scope: ProjectScope, run: dict[str, str]
) -> None:
    path = f"/mlflow/{scope.slug}/{ARTIFACTS}/{run['artifacts']}/page.html"
    async with http(api, owner.token) as client:
        assert (await client.put(path, content=b"<script>alert(1)</script>")).status_code == 200
        answer = await client.get(path)
    assert answer.headers["content-security-policy"].startswith("sandbox")
    assert answer.headers["x-content-type-options"] == "nosniff"


# -- bytes ---------------------------------------------------------------------------------------------------------


async def blocks(count: int, digest: Any = None) -> AsyncIterator[bytes]:
    for _ in range(count):
        block = os.urandom(MEBIBYTE)
        if digest is not None:
            digest.update(block)
        yield block


def resident_mebibytes() -> int:
    with open(f"/proc/{os.getpid()}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // MEBIBYTE


async def test_a_large_artifact_passes_in_both_directions_in_little_memory(
    api: Api, owner: Person, scope: ProjectScope, run: dict[str, str], mlflow_server: MlflowServer
) -> None:
    path = f"/mlflow/{scope.slug}/{ARTIFACTS}/{run['artifacts']}/large.bin"
    sent, got = hashlib.sha256(), hashlib.sha256()
    ours, theirs = resident_mebibytes(), mlflow_server.resident_bytes() // MEBIBYTE
    most = 0
    async with http(api, owner.token) as client:
        stored = await client.put(path, content=blocks(300, sent))
        assert stored.status_code == 200
        async with client.stream("GET", path) as answer:
            assert answer.headers["content-length"] == str(300 * MEBIBYTE)
            async for piece in answer.aiter_bytes(MEBIBYTE):
                got.update(piece)
                most = max(most, resident_mebibytes())
    assert got.hexdigest() == sent.hexdigest()
    assert most - ours < 100
    assert mlflow_server.resident_bytes() // MEBIBYTE - theirs < 100


async def test_a_run_shows_a_large_upload_while_it_is_under_way(
    api: Api, owner: Person, scope: ProjectScope, run: dict[str, str], platform: Platform
) -> None:
    path = f"/mlflow/{scope.slug}/{ARTIFACTS}/{run['artifacts']}/models/big%20one.bin"
    seen: list[str | None] = []

    async def uploading() -> str | None:
        return (await platform.mlflow.runs.get(scope.project_id, run["id"])).tags.get("mlp.uploading")

    async def watched() -> AsyncIterator[bytes]:
        async for block in blocks(3):
            yield block
        seen.append(await eventually(uploading))
        yield b"the end"

    async with http(api, owner.token) as client:
        assert (await client.put(path, content=watched())).status_code == 200
        assert await uploading() is None
        assert (await client.put(path, content=b"small")).status_code == 200
    assert seen == ["models/big one.bin"]


async def test_a_download_resumes_by_range(api: Api, owner: Person, scope: ProjectScope, run: dict[str, str]) -> None:
    path = f"/mlflow/{scope.slug}/{ARTIFACTS}/{run['artifacts']}/digits"
    async with http(api, owner.token) as client:
        await client.put(path, content=b"0123456789")
        answer = await client.get(path, headers={"Range": "bytes=4-6"})
    assert (answer.status_code, answer.content) == (206, b"456")
    assert answer.headers["content-range"] == "bytes 4-6/10"


async def test_an_upload_that_breaks_off_leaves_nothing(
    api: Api, owner: Person, scope: ProjectScope, run: dict[str, str], mlflow_server: MlflowServer
) -> None:
    path = f"/mlflow/{scope.slug}/{ARTIFACTS}/{run['artifacts']}/broken.bin"

    async def breaks() -> AsyncIterator[bytes]:
        async for block in blocks(20):
            yield block
        raise ConnectionError("the line is cut")

    async with http(api, owner.token) as client:
        with pytest.raises(ConnectionError):
            await client.put(path, content=breaks())

        async def is_absent() -> bool:
            return (await client.get(path)).status_code == 404

        await eventually(is_absent)
        assert not list(mlflow_server.artifacts.rglob("broken.bin"))


async def test_names_with_escapes_arrive_as_they_are(
    api: Api, owner: Person, scope: ProjectScope, run: dict[str, str]
) -> None:
    root = f"/mlflow/{scope.slug}/{ARTIFACTS}/{run['artifacts']}"
    async with http(api, owner.token) as client:
        assert (await client.put(f"{root}/a%20b%C3%A4%25.txt", content=b"1")).status_code == 200
        listed = await client.get(f"/mlflow/{scope.slug}/{API}/artifacts/list", params={"run_id": run["id"]})
    assert "a bä%.txt" in [file["path"] for file in listed.json()["files"]]


async def test_nothing_of_the_callers_credentials_reaches_mlflow(
    api: Api, owner: Person, scope: ProjectScope, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[httpx.Request] = []

    async def record(request: httpx.Request, **_more: object) -> httpx.Response:
        seen.append(request)
        headers = {"set-cookie": "a=b", "access-control-allow-origin": "*"}
        return httpx.Response(200, headers=headers, stream=httpx.ByteStream(b"{}"))

    monkeypatch.setattr(api.platform.mlflow.passage._client, "send", record)
    async with http(api, owner.token, cookie="session=secret", x_forwarded_host="evil") as client:
        answer = await client.get(f"/mlflow/{scope.slug}/{API}/experiments/get?experiment_id=1")
    headers = seen[0].headers
    assert owner.token not in str(headers)
    assert {"cookie", "x-forwarded-host", "origin"}.isdisjoint(headers)
    assert headers["x-mlflow-workspace"] == f"project-{scope.project_id.removeprefix('prj_').lower()}"
    assert "set-cookie" not in answer.headers
    assert "access-control-allow-origin" not in answer.headers


async def test_while_mlflow_is_away_callers_are_told_to_come_back(
    api: Api, owner: Person, scope: ProjectScope, mlflow_server: MlflowServer
) -> None:
    async with http(api, owner.token) as client:
        path = f"/mlflow/{scope.slug}/{API}/experiments/search?max_results=1"
        mlflow_server.kill()
        try:
            answer = await client.get(path)
        finally:
            mlflow_server.start()
        assert answer.status_code == 503
        assert answer.headers["retry-after"]
        assert answer.json()["error_code"] == "TEMPORARILY_UNAVAILABLE"
        await asyncio.to_thread(mlflow_server.wait)
        assert (await client.get(path)).status_code == 200
