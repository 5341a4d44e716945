"""Artifacts come in part by part, each once, proven at the end; they are read by members of the project alone."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass

import httpx
import pytest

from mlp.schemas.artifacts import PART_BYTES
from mlp_api.platform import Platform
from mlp_core.artifacts.keys import artifacts_prefix
from support.attempts import TestAttempt, running_job
from support.platform import Api, Person

CONTENT = os.urandom(PART_BYTES) + os.urandom(PART_BYTES) + b"the end"


@dataclass
class Shop:
    """An attempt that hands in files, and the owner who reads them."""

    owner: Person
    attempt: TestAttempt
    agent: httpx.AsyncClient

    @property
    def url(self) -> str:
        return f"/api/v1/projects/{self.attempt.job.scope.slug}/jobs/{self.attempt.job.id}/artifacts"

    async def start(self, path: str, size: int) -> httpx.Response:
        return await self.agent.post("/api/v1/agent/artifacts", json={"path": path, "size": size})

    async def part(self, id_: str, number: int, content: bytes) -> httpx.Response:
        return await self.agent.put(f"/api/v1/agent/artifacts/{id_}/parts/{number}", content=content)

    async def complete(self, id_: str, sha256: str) -> httpx.Response:
        return await self.agent.post(f"/api/v1/agent/artifacts/{id_}:complete", json={"sha256": sha256})

    async def store(self, path: str, content: bytes) -> httpx.Response:
        begun = (await self.start(path, len(content))).json()
        for number in range(begun["next_part"], begun["parts"]):
            piece = content[number * PART_BYTES : (number + 1) * PART_BYTES]
            assert (await self.part(begun["id"], number, piece)).json()["next_part"] == number + 1
        return await self.complete(begun["id"], hashlib.sha256(content).hexdigest())

    async def read(self, path: str, **headers: str) -> httpx.Response:
        return await self.owner.http.get(f"{self.url}/content", params={"path": path}, headers=headers)


@pytest.fixture
async def shop(api: Api) -> Shop:
    owner = await api.person()
    job = await running_job(api.platform, await api.project(owner))
    attempt = await job.attempt()
    return Shop(owner, attempt, api.client(attempt.token))


async def test_a_file_is_stored_in_parts_and_read_whole_or_in_ranges(shop: Shop) -> None:
    assert (await shop.store("model/weights ü.bin", CONTENT)).json()["complete"] is True
    whole = await shop.read("model/weights ü.bin")
    assert whole.content == CONTENT
    assert whole.headers["content-length"] == str(len(CONTENT))
    assert whole.headers["content-disposition"] == "attachment; filename*=UTF-8''weights%20%C3%BC.bin"
    assert whole.headers["content-security-policy"].startswith("sandbox")
    assert whole.headers["x-content-type-options"] == "nosniff"
    over_the_seam = await shop.read("model/weights ü.bin", Range=f"bytes={PART_BYTES - 3}-{2 * PART_BYTES + 1}")
    assert over_the_seam.status_code == 206
    assert over_the_seam.content == CONTENT[PART_BYTES - 3 : 2 * PART_BYTES + 2]
    assert over_the_seam.headers["content-range"] == f"bytes {PART_BYTES - 3}-{2 * PART_BYTES + 1}/{len(CONTENT)}"
    rest = await shop.read("model/weights ü.bin", Range=f"bytes={2 * PART_BYTES}-")
    assert rest.content == b"the end"
    assert (await shop.read("model/weights ü.bin", Range=f"bytes={len(CONTENT)}-")).status_code == 416


async def test_an_empty_file_is_a_file(shop: Shop) -> None:
    assert (await shop.store("_SUCCESS", b"")).json()["complete"] is True
    read = await shop.read("_SUCCESS")
    assert (read.status_code, read.content) == (200, b"")


async def test_the_server_says_where_to_go_on(shop: Shop) -> None:
    begun = (await shop.start("a.bin", len(CONTENT))).json()
    assert (begun["parts"], begun["next_part"], begun["complete"]) == (3, 0, False)
    early = await shop.part(begun["id"], 1, CONTENT[PART_BYTES : 2 * PART_BYTES])
    assert (early.status_code, early.json()["next_part"]) == (200, 0)
    for _ in range(2):
        assert (await shop.part(begun["id"], 0, CONTENT[:PART_BYTES])).json()["next_part"] == 1
    assert (await shop.start("a.bin", len(CONTENT))).json() == {**begun, "next_part": 1}
    assert (await shop.complete(begun["id"], "0" * 64)).json()["complete"] is False
    assert (await shop.part(begun["id"], 1, b"short")).status_code == 422
    assert (await shop.part(begun["id"], 2, b"")).json()["next_part"] == 1


async def test_what_is_not_whole_is_listed_as_such_and_never_read(shop: Shop) -> None:
    begun = (await shop.start("half.bin", len(CONTENT))).json()
    await shop.part(begun["id"], 0, CONTENT[:PART_BYTES])
    (listed,) = (await shop.owner.http.get(shop.url)).json()["items"]
    assert (listed["stored"], listed["size"], listed["complete"]) == (PART_BYTES, len(CONTENT), False)
    refused = await shop.read("half.bin")
    assert (refused.status_code, refused.json()["code"]) == (409, "wrong_phase")


async def test_bytes_of_another_digest_begin_again(shop: Shop) -> None:
    begun = (await shop.start("a.txt", 5)).json()
    await shop.part(begun["id"], 0, b"hello")
    wrong = await shop.complete(begun["id"], "0" * 64)
    assert (wrong.status_code, wrong.json()["code"]) == (422, "digest_mismatch")
    assert (await shop.start("a.txt", 5)).json()["next_part"] == 0
    assert (await shop.store("a.txt", b"world")).json()["complete"] is True
    assert (await shop.read("a.txt")).content == b"world"


async def test_a_stored_file_does_not_change(shop: Shop) -> None:
    await shop.store("a.txt", b"hello")
    assert (await shop.start("a.txt", 4)).status_code == 422
    begun = (await shop.start("a.txt", 5)).json()
    assert begun["complete"] is True
    await shop.part(begun["id"], 0, b"world")
    assert (await shop.complete(begun["id"], hashlib.sha256(b"world").hexdigest())).status_code == 422
    assert (await shop.read("a.txt")).content == b"hello"


async def test_a_file_that_grew_before_it_was_stored_begins_again(shop: Shop) -> None:
    begun = (await shop.start("a.txt", 4)).json()
    await shop.part(begun["id"], 0, b"hell")
    assert (await shop.store("a.txt", b"hello")).json()["complete"] is True
    assert (await shop.read("a.txt")).content == b"hello"


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../b", "a//b", ".", "a/", "", "x" * 1025, "a\0b"])
async def test_a_path_that_leaves_the_folder_is_refused(shop: Shop, path: str) -> None:
    assert (await shop.start(path, 1)).status_code == 422


async def test_lists_have_pages_folders_and_attempts(shop: Shop) -> None:
    names = sorted([f"plots/{number:02}.png" for number in range(5)] + ["plots.txt", "ä.txt", "100%_x"], key=str.encode)
    for name in names:
        await shop.store(name, b"x")
    found: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = (await shop.owner.http.get(shop.url, params={"limit": "3", **cursor})).json()
        found += [item["path"] for item in page["items"]]
        if page["next"] is None:
            break
        cursor = {"cursor": page["next"]}
    assert found == names
    below = (await shop.owner.http.get(shop.url, params={"path": "plots/"})).json()["items"]
    assert [item["path"] for item in below] == [f"plots/{number:02}.png" for number in range(5)]
    await shop.attempt.end("failed")
    await shop.attempt.job.attempt()
    assert (await shop.owner.http.get(shop.url)).json()["items"] == []
    first = (await shop.owner.http.get(shop.url, params={"attempt": "1"})).json()["items"]
    assert [item["path"] for item in first] == names


async def test_nothing_is_taken_from_an_ended_attempt_or_given_to_strangers(api: Api, shop: Shop) -> None:
    await shop.store("a.txt", b"hello")
    begun = (await shop.start("b.txt", 5)).json()
    stranger = await api.person()
    other_job = await running_job(api.platform, await api.project(stranger))
    other = api.client((await other_job.attempt()).token)
    for http in (stranger.http, other):
        assert (await http.get(shop.url)).status_code == 404
        assert (await http.get(f"{shop.url}/content", params={"path": "a.txt"})).status_code == 404
    theirs = f"/api/v1/projects/{other_job.scope.slug}/jobs/{shop.attempt.job.id}/artifacts"
    assert (await stranger.http.get(theirs)).status_code == 404
    for path, body in ((f"{begun['id']}/parts/0", b"hello"), (f"{begun['id']}:complete", None)):
        call = other.put if body else other.post
        more = {"content": body} if body else {"json": {"sha256": "0" * 64}}
        assert (await call(f"/api/v1/agent/artifacts/{path}", **more)).status_code == 404  # pyright: ignore[reportArgumentType]
    await shop.attempt.end()
    assert (await shop.start("c.txt", 1)).status_code == 410
    assert (await shop.part(begun["id"], 0, b"hello")).status_code == 410


async def test_an_attempt_has_limits(api: Api, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    from mlp_core.artifacts.service import ArtifactLimits, Artifacts

    platform: Platform = api.platform
    monkeypatch.setitem(
        vars(platform), "artifacts", Artifacts(platform.database, platform.objects, ArtifactLimits(files=2, bytes=10))
    )
    assert (await shop.start("a", 8)).status_code == 200
    assert (await shop.start("b", 3)).status_code == 413
    assert (await shop.start("b", 2)).status_code == 200
    assert (await shop.start("c", 0)).status_code == 413
    assert (await shop.start("a", 8)).status_code == 200


async def test_artifacts_lie_below_their_attempt(api: Api, shop: Shop) -> None:
    await shop.store("a.txt", b"hello")
    prefix = artifacts_prefix(shop.attempt.job.scope.project_id, shop.attempt.id)
    assert len([key async for key in api.platform.objects.list(prefix)]) == 1
