"""Looking into a package: its tree with checksums, and one file as text, whatever strangers have packed."""

from __future__ import annotations

import io
import stat
import zipfile
from dataclasses import dataclass

import pytest

from mlp.schemas.packages import MAX_TEXT_BYTES
from support.platform import Api, Person
from support.uploads import Uploader, digest_of, zipped

FILES = {
    "train.py": "print('größe')\n".encode(),
    "src/page.html": b"<script>alert(1)</script>",
    "data/huge.txt": b"a" * (MAX_TEXT_BYTES + 1),
    "data/exact.txt": b"b" * MAX_TEXT_BYTES,
    "data/picture.png": b"\x89PNG\x0d\x0a\x1a\x0a\xff",
    "data/nul.txt": b"a\x00b",
    "empty.txt": b"",
    "a & b/#1?.py": b"odd = True",
}


@dataclass
class Packed:
    owner: Person
    stranger: Person
    base: str


@pytest.fixture(scope="module")
async def packed(api: Api) -> Packed:
    owner, stranger = await api.person(), await api.person()
    scope = await api.project(owner)
    data = zipped(FILES)
    uploader = Uploader(owner.http, scope.slug)
    assert (await uploader.all(data)).status_code == 200
    return Packed(owner, stranger, f"{uploader.base}/{digest_of(data)}/files")


async def test_the_tree_has_sizes_and_checksums_in_parts(packed: Packed) -> None:
    whole = (await packed.owner.http.get(packed.base)).json()
    assert {file["path"]: file["size"] for file in whole["files"]} == {name: len(data) for name, data in FILES.items()}
    assert (whole["total"], whole["next"]) == (len(FILES), None)
    checksums = {file["path"]: file["checksum"] for file in whole["files"]}
    assert checksums["empty.txt"] == "crc32:00000000"
    assert len(set(checksums.values())) == len(FILES)
    parts: list[str] = []
    start: int | None = 0
    while start is not None:
        part = (await packed.owner.http.get(packed.base, params={"start": start, "limit": 3})).json()
        parts += [file["path"] for file in part["files"]]
        start = part["next"]
    assert parts == list(FILES)


@pytest.mark.parametrize("name", ["train.py", "src/page.html", "data/exact.txt", "empty.txt"])
async def test_a_file_is_plain_text_whatever_its_name_says(packed: Packed, name: str) -> None:
    answer = await packed.owner.http.get(f"{packed.base}/{name}")
    assert (answer.status_code, answer.content) == (200, FILES[name])
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")


async def test_odd_names_are_names(packed: Packed) -> None:
    answer = await packed.owner.http.get(f"{packed.base}/a%20%26%20b/%231%3F.py")
    assert answer.text == "odd = True"


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        ("data/huge.txt", 413, "too_large"),
        ("data/picture.png", 422, "invalid"),
        ("data/nul.txt", 422, "invalid"),
        ("gone.py", 404, "not_found"),
        ("data", 404, "not_found"),
        ("%2e%2e/etc/passwd", 404, "not_found"),
    ],
)
async def test_what_cannot_be_shown_is_said(packed: Packed, name: str, status: int, code: str) -> None:
    answer = await packed.owner.http.get(f"{packed.base}/{name}")
    assert (answer.status_code, answer.json()["code"]) == (status, code)


async def test_a_stranger_sees_neither_tree_nor_file(packed: Packed) -> None:
    for path in ("", "/train.py"):
        assert (await packed.stranger.http.get(packed.base + path)).status_code == 404


async def test_an_unfinished_upload_has_no_files_yet(packed: Packed, api: Api) -> None:
    scope = await api.project(packed.owner)
    data = zipped({"a.py": b"1"})
    uploader = Uploader(packed.owner.http, scope.slug)
    await uploader.begin(data)
    answer = await packed.owner.http.get(f"{uploader.base}/{digest_of(data)}/files")
    assert (answer.status_code, answer.json()["code"]) == (409, "wrong_phase")


async def test_a_file_that_unpacks_to_more_than_its_list_says_is_damaged(packed: Packed, api: Api) -> None:
    scope = await api.project(packed.owner)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        info = zipfile.ZipInfo("bomb.txt")
        info.external_attr = (stat.S_IFREG | 0o644) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(info, b"x" * 10_000_000)
    data = bytearray(buffer.getvalue())
    at = data.rindex(b"PK\x01\x02")
    data[at + 24 : at + 28] = (10).to_bytes(4, "little")
    uploader = Uploader(packed.owner.http, scope.slug)
    assert (await uploader.all(bytes(data))).status_code == 200
    answer = await packed.owner.http.get(f"{uploader.base}/{digest_of(bytes(data))}/files/bomb.txt")
    assert (answer.status_code, answer.json()["code"]) == (422, "unsafe_package")
