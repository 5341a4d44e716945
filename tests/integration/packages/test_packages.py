"""Code travels once, whole and proven, in parts that may come in any order, again, and broken off."""

from __future__ import annotations

import asyncio
import os
import stat
import zipfile

import pytest

from mlp.schemas.packages import PART_BYTES
from mlp_core.kit.ids import new_id
from mlp_core.packages.keys import parts_prefix
from mlp_core.tables import JobRow
from support.platform import Api, Person
from support.uploads import Uploader, digest_of, zipped


@pytest.fixture(scope="module")
async def editor(api: Api) -> Person:
    return await api.person()


@pytest.fixture(scope="module")
async def uploader(api: Api, editor: Person) -> Uploader:
    owner = await api.person()
    scope = await api.project(owner, editor=editor)
    return Uploader(editor.http, scope.slug)


async def test_small_package_comes_back_byte_for_byte(uploader: Uploader) -> None:
    data = zipped({"main.py": b"print(1)\n", "lib/données.txt": b"x" * 1000})
    first = await uploader.begin(data)
    assert first.status_code == 201
    assert first.json()["received"] == []
    assert (await uploader.part(data, 0)).json()["received"] == [0]
    completed = await uploader.complete(data)
    assert completed.status_code == 200
    assert completed.json()["complete"] is True
    assert completed.json()["files"] == 2
    content = await uploader.http.get(f"{uploader.base}/{digest_of(data)}/content")
    assert content.content == data
    assert content.headers["content-length"] == str(len(data))
    shown = (await uploader.http.get(f"{uploader.base}/{digest_of(data)}")).json()
    assert {entry["path"] for entry in shown["contents"]} == {"main.py", "lib/données.txt"}


async def test_whole_package_needs_no_second_upload(uploader: Uploader) -> None:
    data = zipped({"again.py": b"2"})
    await uploader.all(data)
    again = await uploader.begin(data)
    assert again.status_code == 200
    assert again.json()["package"]["complete"] is True
    assert again.json()["received"] == [0]
    assert (await uploader.complete(data)).status_code == 200


async def test_broken_off_upload_goes_on_with_the_parts_that_are_missing(api: Api, uploader: Uploader) -> None:
    data = zipped({"big.bin": os.urandom(2 * PART_BYTES + 12345)})
    begun = (await uploader.begin(data)).json()
    assert begun["parts"] == 3
    await uploader.part(data, 2)
    early = await uploader.complete(data)
    assert early.status_code == 409
    assert early.json()["data"]["missing"] == [0, 1]
    assert (await uploader.begin(data)).json()["received"] == [2]
    sent = await asyncio.gather(*(uploader.part(data, number) for number in (0, 1, 1)))
    assert {answer.status_code for answer in sent} == {200}
    assert (await uploader.complete(data)).status_code == 200
    content = await uploader.http.get(f"{uploader.base}/{digest_of(data)}/content")
    assert digest_of(content.content) == digest_of(data)
    project_id = (await uploader.http.get(uploader.base.removesuffix("/packages"))).json()["id"]
    left = [key async for key in api.platform.objects.list(parts_prefix(project_id, digest_of(data)))]
    assert left == []


async def test_completing_ten_times_at_once_is_completing_once(uploader: Uploader) -> None:
    data = zipped({"ten.py": b"10"})
    await uploader.begin(data)
    await uploader.part(data, 0)
    answers = await asyncio.gather(*(uploader.complete(data) for _ in range(10)))
    assert {answer.status_code for answer in answers} == {200}


async def test_broken_download_goes_on_with_a_range(uploader: Uploader) -> None:
    data = zipped({"r.bin": os.urandom(100_000)})
    await uploader.all(data)
    url = f"{uploader.base}/{digest_of(data)}/content"
    rest = await uploader.http.get(url, headers={"Range": "bytes=50000-"})
    assert rest.status_code == 206
    assert rest.content == data[50000:]
    assert rest.headers["content-range"] == f"bytes 50000-{len(data) - 1}/{len(data)}"
    piece = await uploader.http.get(url, headers={"Range": "bytes=10-19"})
    assert piece.content == data[10:20]
    assert (await uploader.http.get(url, headers={"Range": f"bytes={len(data)}-"})).status_code == 416


async def test_bytes_that_are_not_what_the_digest_names_are_refused_and_forgotten(uploader: Uploader) -> None:
    data = zipped({"a.py": b"1"})
    await uploader.begin(data)
    wrong = bytes(byte ^ 1 for byte in data)
    await uploader.http.put(f"{uploader.base}/{digest_of(data)}/parts/0", content=wrong)
    refused = await uploader.complete(data)
    assert refused.status_code == 422
    assert refused.json()["code"] == "digest_mismatch"
    assert (await uploader.begin(data)).json()["received"] == []
    assert (await uploader.all(data)).status_code == 200


@pytest.mark.parametrize("length", [0, 1, -1], ids=["empty", "longer", "shorter"])
async def test_part_of_another_length_is_refused(uploader: Uploader, length: int) -> None:
    data = zipped({"length.py": os.urandom(50)})
    await uploader.begin(data)
    body = b"" if length == 0 else (data + b"x" if length > 0 else data[:-1])
    answer = await uploader.http.put(f"{uploader.base}/{digest_of(data)}/parts/0", content=body)
    assert answer.status_code == 422
    assert f"{len(data):,} bytes" in answer.json()["detail"]
    assert (await uploader.begin(data)).json()["received"] == []


async def test_part_above_the_limit_is_413(uploader: Uploader) -> None:
    data = zipped({"limit.py": b"1"})
    await uploader.begin(data)
    url = f"{uploader.base}/{digest_of(data)}/parts/0"
    answer = await uploader.http.put(url, content=bytes(PART_BYTES + 1))
    assert answer.status_code == 413


async def test_part_that_no_such_archive_has_is_422(uploader: Uploader) -> None:
    data = zipped({"number.py": b"1"})
    await uploader.begin(data)
    answer = await uploader.http.put(f"{uploader.base}/{digest_of(data)}/parts/1", content=b"x")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "number"


async def test_part_without_an_upload_is_404(uploader: Uploader) -> None:
    answer = await uploader.http.put(f"{uploader.base}/sha256:{'1' * 64}/parts/0", content=b"x")
    assert answer.status_code == 404


async def test_more_than_two_gibibytes_are_refused_before_a_byte_is_sent(uploader: Uploader) -> None:
    answer = await uploader.begin(b"x", size=2 * 2**30 + 1)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "size"


def _link(info: zipfile.ZipInfo) -> None:
    info.external_attr = (stat.S_IFLNK | 0o777) << 16


def _device(info: zipfile.ZipInfo) -> None:
    info.external_attr = (stat.S_IFCHR | 0o666) << 16


def _lzma(info: zipfile.ZipInfo) -> None:
    info.compress_type = zipfile.ZIP_LZMA


def _overlapping() -> bytes:
    """Two entries of the list that share one entry's bytes."""
    data = bytearray(zipped({"a": b"0" * 100, "b": b"1" * 100}))
    second = data.rfind(b"PK\x01\x02")
    data[second + 42 : second + 46] = bytes(4)
    return bytes(data)


def _bomb() -> bytes:
    """An entry that says it unpacks to 4 GiB from a kilobyte."""
    data = bytearray(zipped({"zeros": bytes(2**20)}))
    listed = data.rfind(b"PK\x01\x02")
    data[listed + 24 : listed + 28] = (2**32 - 2).to_bytes(4, "little")
    return bytes(data)


UNSAFE = {
    "no zip": b"not a zip archive at all",
    "parent": zipped({"../x": b"1"}),
    "parent inside": zipped({"a/../../x": b"1"}),
    "absolute": zipped({"/etc/passwd": b"1"}),
    "drive": zipped({"C:/x": b"1"}),
    "backslash": zipped({"..\\x": b"1"}),
    "dot": zipped({"./x": b"1"}),
    "link": zipped({"lib": b"../outside"}, _link),
    "device": zipped({"null": b""}, _device),
    "twice": zipped({"a": b"1", "a/": b""}),
    "file and folder": zipped({"a": b"1", "a/b": b"2"}),
    "method": zipped({"a": b"1" * 100}, _lzma),
    "bomb": _bomb(),
    "overlap": _overlapping(),
    "prefix": b"#!/bin/sh\n" + zipped({"a": b"1"}),
    "suffix": zipped({"a": b"1"}) + b"more",
    "cut": zipped({"a": b"1"})[:-10],
}


@pytest.mark.parametrize("name", UNSAFE)
async def test_a5_unsafe_archive_is_refused_with_422(uploader: Uploader, name: str) -> None:
    data = UNSAFE[name]
    answer = await uploader.all(data)
    assert answer.status_code == 422, answer.text
    assert answer.json()["code"] == "unsafe_package"
    content = await uploader.http.get(f"{uploader.base}/{digest_of(data)}/content")
    assert content.status_code == 409


async def test_package_of_a_job_stays(api: Api, uploader: Uploader) -> None:
    data = zipped({"kept.py": b"1"})
    await uploader.all(data)
    project_id = (await uploader.http.get(uploader.base.removesuffix("/packages"))).json()["id"]
    job = JobRow(
        id=new_id("job"),
        project_id=project_id,
        name="j",
        kind="script",
        spec={},
        package_digest=digest_of(data),
        created_by="x",
        created_by_id="x",
    )
    async with api.platform.database.transaction() as session:
        session.add(job)
    url = f"{uploader.base}/{digest_of(data)}"
    refused = await uploader.http.delete(url)
    assert refused.status_code == 409
    assert refused.json()["code"] == "still_in_use"
    assert (await uploader.http.get(url)).json()["used_by_jobs"] == 1


async def test_deleted_package_is_gone(uploader: Uploader) -> None:
    data = zipped({"gone.py": b"1"})
    await uploader.all(data)
    url = f"{uploader.base}/{digest_of(data)}"
    assert (await uploader.http.delete(url)).status_code == 204
    assert (await uploader.http.get(url)).status_code == 404
    assert (await uploader.http.get(f"{url}/content")).status_code == 404


async def test_equal_content_of_two_projects_is_two_packages(api: Api, uploader: Uploader) -> None:
    data = zipped({"same.py": b"1"})
    await uploader.all(data)
    stranger = await api.person()
    theirs = Uploader(stranger.http, (await api.project(stranger)).slug)
    assert (await theirs.begin(data)).status_code == 201
    assert (await stranger.http.get(f"{uploader.base}/{digest_of(data)}")).status_code == 404
