"""Unpacking: what is inside comes out as it was, what leads outside is refused."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import zipfile
from pathlib import Path

import pytest

from mlp.runtime.unpacking import BadPackageError, unpack
from mlp_operator.engines.local import packages


def an_archive(folder: Path, *entries: tuple[str, bytes, int]) -> Path:
    """A zip of (name, content, Unix mode with type)."""
    path = folder / "package.zip"
    with zipfile.ZipFile(path, "w") as package:
        for name, content, mode in entries:
            info = zipfile.ZipInfo(name)
            info.create_system = 3
            info.external_attr = mode << 16
            package.writestr(info, content)
    return path


def a_link(name: str, target: str) -> tuple[str, bytes, int]:
    return name, target.encode(), stat.S_IFLNK | 0o777


def a_file(name: str, content: bytes = b"x", mode: int = 0o644) -> tuple[str, bytes, int]:
    return name, content, stat.S_IFREG | mode


@pytest.fixture
def code(tmp_path: Path) -> Path:
    folder = tmp_path / "code"
    folder.mkdir()
    return folder


def test_files_come_out_with_content_and_mode(tmp_path: Path, code: Path) -> None:
    archive = an_archive(
        tmp_path, a_file("a/run.sh", b"#!/bin/sh\n", 0o755), a_file("b.txt", b"hi", 0o640), a_file("ro", mode=0o444)
    )
    unpack(archive, code)
    assert (code / "a/run.sh").read_bytes() == b"#!/bin/sh\n"
    assert stat.S_IMODE((code / "a/run.sh").stat().st_mode) == 0o755
    assert stat.S_IMODE((code / "b.txt").stat().st_mode) == 0o640
    assert stat.S_IMODE((code / "ro").stat().st_mode) == 0o644


def test_setuid_does_not_come_out(tmp_path: Path, code: Path) -> None:
    unpack(an_archive(tmp_path, a_file("tool", mode=0o4755)), code)
    assert stat.S_IMODE((code / "tool").stat().st_mode) == 0o755


def test_a_file_without_unix_mode_can_be_read(tmp_path: Path, code: Path) -> None:
    with zipfile.ZipFile(tmp_path / "package.zip", "w") as package:
        info = zipfile.ZipInfo("plain.txt")
        info.create_system, info.external_attr = 0, 0x20  # made on Windows
        package.writestr(info, "hi")
    unpack(tmp_path / "package.zip", code)
    assert stat.S_IMODE((code / "plain.txt").stat().st_mode) == 0o644


def test_links_inside_work(tmp_path: Path, code: Path) -> None:
    archive = an_archive(tmp_path, a_link("lib", "src/lib"), a_file("src/lib/m.py", b"1"), a_link("src/up", "../b"))
    unpack(archive, code)
    assert (code / "lib/m.py").read_bytes() == b"1"
    assert os.readlink(code / "src/up") == "../b"


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/etc/x", "..", "a\\..\\..\\x"])
def test_names_that_lead_outside_are_refused(tmp_path: Path, code: Path, name: str) -> None:
    with pytest.raises(BadPackageError, match="outside"):
        unpack(an_archive(tmp_path, a_file(name)), code)
    assert list(tmp_path.rglob("x")) == []


@pytest.mark.parametrize("target", ["/etc/passwd", "../outside", "a/../../outside", "../../../../etc"])
def test_links_that_lead_outside_are_refused(tmp_path: Path, code: Path, target: str) -> None:
    with pytest.raises(BadPackageError, match="leads outside"):
        unpack(an_archive(tmp_path, a_link("link", target)), code)


def test_nothing_is_written_through_a_link(tmp_path: Path, code: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    archive = an_archive(tmp_path, a_link("door", "room"), a_link("door/deeper", "x"), a_file("room/y"))
    with pytest.raises(BadPackageError, match="below another"):
        unpack(archive, code)
    archive = an_archive(tmp_path, a_link("door", "."), a_file("door/file"))
    with pytest.raises(BadPackageError, match="twice"):
        unpack(archive, code.parent / "second")
    assert list(outside.iterdir()) == []


def test_devices_and_doubled_names_are_refused(tmp_path: Path, code: Path) -> None:
    with pytest.raises(BadPackageError, match="neither"):
        unpack(an_archive(tmp_path, ("pipe", b"", stat.S_IFIFO | 0o644)), code)
    with (
        pytest.warns(UserWarning, match="Duplicate"),
        pytest.raises(BadPackageError, match="twice"),
    ):
        unpack(an_archive(tmp_path, a_file("a"), a_file("a")), code)


def test_what_is_no_zip_is_refused(tmp_path: Path, code: Path) -> None:
    (tmp_path / "package.zip").write_bytes(b"not a zip")
    with pytest.raises(BadPackageError, match="not a zip file"):
        unpack(tmp_path / "package.zip", code)


class Store:
    def __init__(self, content: bytes) -> None:
        self.content = content
        self.fetches = 0

    async def fetch(self, digest: str, into: Path) -> None:
        del digest
        self.fetches += 1
        into.write_bytes(self.content)  # noqa: ASYNC240 - a few bytes


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def a_zip() -> tuple[bytes, str]:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as package:
        package.writestr("main.py", "1")
    content = buffer.getvalue()
    return content, f"sha256:{hashlib.sha256(content).hexdigest()}"


async def test_a_package_is_placed_once_and_nothing_else_is_left(tmp_path: Path) -> None:
    content, digest = a_zip()
    store = Store(content)
    await packages.place(store, digest, tmp_path / "code")
    await packages.place(store, digest, tmp_path / "code")
    assert store.fetches == 1
    assert names(tmp_path) == ["code"]


async def test_damaged_content_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    content, digest = a_zip()
    with pytest.raises(BadPackageError, match="damaged"):
        await packages.place(Store(content[:-1] + b"!"), digest, tmp_path / "code")
    assert names(tmp_path) == []
