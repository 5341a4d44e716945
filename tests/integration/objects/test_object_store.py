"""The object store's contract, on a local folder and on a real S3-compatible store."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Generator
from pathlib import Path

import pytest

from mlp_core.domain.errors import Invalid, NotFound, Unavailable
from mlp_core.gateways import objects
from mlp_core.gateways.objects import RANGE_BYTES, ObjectStore
from support.s3 import S3Server, s3_server

LOG_KEY = "logs/prj_1/att_2/head%2F123%2Ferr/0.gz"


@pytest.fixture(scope="module")
def s3() -> Generator[S3Server]:
    with s3_server() as server:
        yield server


@pytest.fixture(params=["local", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ObjectStore:
    if request.param == "local":
        return ObjectStore.from_url(f"file://{tmp_path}/a folder with spaces/objects")
    server: S3Server = request.getfixturevalue("s3")
    for name, value in server.environment().items():
        monkeypatch.setenv(name, value)
    bucket = "bucket-" + hashlib.sha256(str(tmp_path).encode()).hexdigest()[:12]
    server.make_bucket(bucket)
    return ObjectStore.from_url(f"s3://{bucket}/some/prefix")


async def megabytes(count: int, *, error: Exception | None = None) -> AsyncIterator[bytes]:
    for number in range(count):
        yield bytes([number % 256]) * 1_000_000
    if error is not None:
        raise error


async def test_an_object_is_read_back_as_it_was_put(store: ObjectStore) -> None:
    await store.put(LOG_KEY, b"\x00\xffbytes")
    assert await store.get(LOG_KEY) == b"\x00\xffbytes"
    assert await store.size(LOG_KEY) == 7


async def test_an_empty_object_is_an_object(store: ObjectStore) -> None:
    await store.put("results/empty", b"")
    assert await store.size("results/empty") == 0
    assert [piece async for piece in store.stream("results/empty")] == []


async def test_a_put_replaces_what_was_there(store: ObjectStore) -> None:
    await store.put("results/a", b"a long first value")
    await store.put("results/a", b"second")
    assert await store.get("results/a") == b"second"


async def test_a_stream_is_stored_whole_and_read_in_bounded_pieces(store: ObjectStore) -> None:
    assert await store.put_stream("packages/p/big", megabytes(30)) == 30_000_000
    digest, sizes = hashlib.sha256(), list[int]()
    async for piece in store.stream("packages/p/big"):
        digest.update(piece)
        sizes.append(len(piece))
    assert digest.hexdigest() == hashlib.sha256(b"".join([p async for p in megabytes(30)])).hexdigest()
    assert max(sizes) <= RANGE_BYTES


async def test_an_empty_stream_is_an_empty_object(store: ObjectStore) -> None:
    assert await store.put_stream("packages/p/none", megabytes(0)) == 0
    assert await store.get("packages/p/none") == b""


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [(0, 3, b"012"), (7, None, b"789"), (8, 99, b"89"), (4, 4, b""), (10, None, b""), (99, None, b"")],
)
async def test_a_range_ends_where_the_object_ends(
    store: ObjectStore, start: int, end: int | None, expected: bytes
) -> None:
    await store.put("results/digits", b"0123456789")
    assert b"".join([piece async for piece in store.stream("results/digits", start, end)]) == expected


@pytest.mark.parametrize("error", [ValueError("boom"), FileNotFoundError("boom"), Unavailable("boom")])
async def test_a_source_that_breaks_leaves_nothing_and_its_error_comes_through(
    store: ObjectStore, error: Exception
) -> None:
    with pytest.raises(type(error), match="boom"):
        await store.put_stream("packages/p/broken", megabytes(20, error=error))
    assert await store.size("packages/p/broken") is None
    assert [key async for key in store.list("packages")] == []


async def test_a_source_that_breaks_leaves_the_older_object(store: ObjectStore) -> None:
    await store.put("packages/p/kept", b"old")
    with pytest.raises(RuntimeError):
        await store.put_stream("packages/p/kept", megabytes(20, error=RuntimeError("boom")))
    assert await store.get("packages/p/kept") == b"old"


async def test_a_cancelled_upload_leaves_nothing(store: ObjectStore) -> None:
    started = asyncio.Event()

    async def endless() -> AsyncIterator[bytes]:
        yield b"x" * 20_000_000
        started.set()
        await asyncio.Event().wait()

    upload = asyncio.create_task(store.put_stream("packages/p/cancelled", endless()))
    await asyncio.wait_for(started.wait(), 20)
    upload.cancel()
    with pytest.raises(asyncio.CancelledError):
        await upload
    assert await store.size("packages/p/cancelled") is None


async def test_readers_of_a_replaced_object_see_one_whole_version(store: ObjectStore) -> None:
    versions = [bytes([n]) * 100_000 for n in range(10)]
    await store.put("results/v", versions[0])

    async def write() -> None:
        for version in versions:
            await store.put("results/v", version)

    writer = asyncio.create_task(write())
    while not writer.done():
        assert await store.get("results/v") in versions
    await writer


async def test_what_is_absent_is_said_so(store: ObjectStore) -> None:
    assert await store.size("nothing") is None
    with pytest.raises(NotFound, match="nothing"):
        await store.get("nothing")
    with pytest.raises(NotFound):
        await anext(aiter(store.stream("nothing")))
    await store.delete("nothing", "nothing/else")
    await store.delete_prefix("nothing")


async def test_a_prefix_ends_at_a_slash(store: ObjectStore) -> None:
    keys = ["packages/p/ab", "packages/p/ab.parts/1", "packages/p/ab.parts/2", LOG_KEY]
    for key in keys:
        await store.put(key, b"1")
    assert sorted([key async for key in store.list("packages/p/")]) == keys[:3]
    await store.delete_prefix("packages/p/ab.parts")
    assert sorted([key async for key in store.list("")]) == [LOG_KEY, "packages/p/ab"]
    await store.delete("packages/p/ab", LOG_KEY)
    assert [key async for key in store.list("")] == []


@pytest.mark.parametrize("key", ["../outside", "a/../b", "a//b", "a\x00b"])
async def test_a_key_that_no_store_can_hold_is_refused(store: ObjectStore, key: str) -> None:
    with pytest.raises(Invalid):
        await store.put(key, b"1")


async def test_a_store_that_answers_passes_its_check(store: ObjectStore) -> None:
    await store.check()


async def test_a_store_that_does_not_answer_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "DEADLINE_SECONDS", 0.5)
    for name, value in {
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        "AWS_ACCESS_KEY_ID": "a",
        "AWS_SECRET_ACCESS_KEY": "b",
        "AWS_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    store = ObjectStore.from_url("s3://bucket")
    with pytest.raises(Unavailable):
        await store.check()


@pytest.mark.parametrize("url", ["", "file://", "file:///", "file://host/folder", "s3://", "http://x/y", "/folder"])
def test_a_url_that_names_no_store_is_refused(url: str) -> None:
    with pytest.raises(Invalid, match="names no object store"):
        ObjectStore.from_url(url)
