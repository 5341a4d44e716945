"""Packages: content-addressed archives of people's code. A zip whose sha256 is its name."""

from __future__ import annotations

from pydantic import Field

from mlp.schemas.base import Digest, Instant, Intent, Wire

PART_BYTES = 8 * 2**20
MAX_PACKAGE_BYTES = 2 * 2**30
MAX_PACKAGE_FILES = 200_000


class PackageCreate(Intent):
    digest: Digest
    size: int = Field(ge=1, le=MAX_PACKAGE_BYTES, description="Bytes of the whole archive.")
    name: str | None = Field(default=None, max_length=200, description="Folder it came from, for people.")


class PackageRead(Wire):
    digest: str
    size: int
    name: str | None
    complete: bool
    files: int | None = None
    uncompressed_size: int | None = None
    created_by: str
    created_at: Instant
    used_by_jobs: int = 0


class PackageUpload(Wire):
    """Where an upload stands. Send the parts not yet received, then complete it."""

    package: PackageRead
    part_size: int = PART_BYTES
    parts: int = Field(description="How many parts the archive has.")
    received: list[int] = Field(description="Numbers of the parts the platform has, from 0.")


class PackageFile(Wire):
    path: str
    size: int
    mode: int


class PackageShow(PackageRead):
    contents: list[PackageFile]
    truncated: bool = Field(default=False, description="True where only the first files are listed.")


MAX_TEXT_BYTES = 2**20
"""Largest file that is shown as text."""


class PackageEntry(PackageFile):
    checksum: str = Field(description="`crc32:…` of the content: with the size it tells whether two files differ.")


class PackageFiles(Wire):
    """Files of a package, in the order in which they were packed."""

    files: list[PackageEntry]
    total: int
    next: int | None = Field(default=None, description="`start` of the next part; null at the end.")
