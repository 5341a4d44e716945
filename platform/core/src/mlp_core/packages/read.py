"""Rows of packages as wire types."""

from __future__ import annotations

from collections.abc import Sequence

from mlp.schemas.packages import PackageEntry, PackageFile, PackageFiles, PackageRead, PackageShow, PackageUpload
from mlp_core.packages.archive import Entry
from mlp_core.packages.service import part_count
from mlp_core.tables import PackageRow

_PERMISSIONS = 0o7777


def read_package(row: PackageRow, jobs: int = 0) -> PackageRead:
    return PackageRead(
        digest=row.digest,
        size=row.size,
        name=row.name,
        complete=row.completed_at is not None,
        files=row.files,
        uncompressed_size=row.uncompressed_size,
        created_by=row.created_by,
        created_at=row.created_at,
        used_by_jobs=jobs,
    )


def read_upload(row: PackageRow) -> PackageUpload:
    count = part_count(row.size)
    received = list(range(count)) if row.completed_at is not None else sorted(row.received)
    return PackageUpload(package=read_package(row), parts=count, received=received)


def show_package(row: PackageRow, jobs: int, entries: Sequence[Entry], truncated: bool) -> PackageShow:
    contents = [PackageFile(path=entry.path, size=entry.size, mode=_mode(entry)) for entry in entries]
    return PackageShow(**read_package(row, jobs).model_dump(), contents=contents, truncated=truncated)


def read_files(row: PackageRow, entries: Sequence[Entry], next_start: int | None) -> PackageFiles:
    files = [
        PackageEntry(path=entry.path, size=entry.size, mode=_mode(entry), checksum=f"crc32:{entry.crc32:08x}")
        for entry in entries
    ]
    return PackageFiles(files=files, total=row.files or 0, next=next_start)


def _mode(entry: Entry) -> int:
    return (entry.mode & _PERMISSIONS) or 0o644
