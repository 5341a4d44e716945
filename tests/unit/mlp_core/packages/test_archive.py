"""Reading the list of a zip in pieces: large ones, unusual ones, broken ones."""

from __future__ import annotations

import contextlib
import io
import random
import zipfile

import pytest

from mlp_core.domain.errors import UnsafePackage
from mlp_core.packages import archive
from mlp_core.packages.archive import Entry, check, entries


class Stored:
    """Bytes behind a reader that counts what it hands out."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.read_bytes = 0

    async def read(self, start: int, end: int) -> bytes:
        piece = self.data[start:end]
        self.read_bytes += len(piece)
        return piece


def zipped(names: dict[str, bytes], comment: bytes = b"") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in names.items():
            file.writestr(name, data)
        file.comment = comment
    return buffer.getvalue()


async def _entries(data: bytes) -> list[Entry]:
    return [entry async for entry in entries(Stored(data).read, len(data))]


async def test_entries_are_those_that_zipfile_sees() -> None:
    data = zipped({"a.py": b"1", "folder/": b"", "folder/ü 训练.txt": b"x" * 5000}, comment=b"a comment")
    seen = zipfile.ZipFile(io.BytesIO(data)).infolist()
    assert [(entry.path, entry.size, entry.offset) for entry in await _entries(data)] == [
        (info.filename, info.file_size, info.header_offset) for info in seen
    ]


async def test_more_entries_than_sixteen_bits_count() -> None:
    data = zipped({f"d{n % 100}/{n}.txt": b"" for n in range(70_000)})
    stored = Stored(data)
    contents = await check(stored.read, len(data))
    assert contents.files == 70_000
    assert stored.read_bytes < len(data) + 200_000


async def test_large_sizes_come_from_the_wide_field() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file, file.open("wide", "w", force_zip64=True) as entry:
        entry.write(b"123")
    assert [entry.size for entry in await _entries(buffer.getvalue())] == [3]


async def test_empty_archive_is_safe() -> None:
    data = zipped({})
    assert (await check(Stored(data).read, len(data))).files == 0


async def test_too_many_entries_are_refused_before_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_PACKAGE_FILES", 10)
    data = zipped({str(n): b"" for n in range(11)})
    stored = Stored(data)
    with pytest.raises(UnsafePackage, match="11 entries"):
        await check(stored.read, len(data))
    assert stored.read_bytes <= 70_000


@pytest.mark.parametrize("seed", range(300))
async def test_damaged_bytes_never_escape_as_another_error(seed: int) -> None:
    chance = random.Random(seed)
    data = bytearray(zipped({"a.py": b"1" * 50, "b/c.py": b"2" * 50}))
    for _ in range(chance.randint(1, 4)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    cut = bytes(data[: chance.randint(1, len(data))] if chance.random() < 0.3 else data)
    with contextlib.suppress(UnsafePackage):
        await check(Stored(cut).read, len(cut))
