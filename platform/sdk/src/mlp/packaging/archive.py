"""The archive itself: a zip in a temporary file, its sha256 taken while it is written."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self, cast

from mlp import errors
from mlp.packaging.tree import File, Listing, Skipped, scan, too_large
from mlp.schemas.packages import MAX_PACKAGE_BYTES

_COPY_BYTES = 1 << 20
_SAMPLE_BYTES = 64 * 1024
_WORTH_PACKING = 0.9
_EPOCH = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_REPORT_EVERY = 500


@dataclass(frozen=True, slots=True)
class Progress:
    """How far packing is. While files are counted, the totals are not known and zero."""

    files: int
    size: int
    total_files: int = 0
    total_size: int = 0


@dataclass(frozen=True, slots=True)
class Packed:
    """An archive on this machine. A context manager: the file goes when it closes."""

    path: Path
    digest: str
    size: int
    files: int
    uncompressed_size: int
    skipped: tuple[Skipped, ...]
    outside: tuple[str, ...]
    name: str

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self.path.unlink(missing_ok=True)


def pack(
    folder: Path | str,
    *,
    follow_outside_links: bool = False,
    limit_bytes: int = MAX_PACKAGE_BYTES,
    progress: Callable[[Progress], None] | None = None,
) -> Packed:
    """Pack `folder`. What is over the limit is refused before anything is written.

    Raises:
        PackagingError: and its kinds, as `scan`; or a file vanished or cannot be read.
    """
    folder = Path(folder)
    tell = progress or _silent
    found = scan(
        folder,
        follow_outside_links=follow_outside_links,
        limit_bytes=limit_bytes,
        progress=lambda files, size: tell(Progress(files, size)),
    )
    if not found.files:
        raise errors.NothingToPack(
            f"'{folder}' holds no files to send.", hint="Name the folder with the code, or use --no-package."
        )
    descriptor, temporary = tempfile.mkstemp(prefix="mlp-package-", suffix=".zip")
    path = Path(temporary)
    try:
        with os.fdopen(descriptor, "wb") as file:
            target = _Hashing(file)
            _write(found, target, tell)
        if target.size > MAX_PACKAGE_BYTES:
            raise too_large(found, limit_bytes)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return Packed(
        path=path,
        digest=f"sha256:{target.sha256.hexdigest()}",
        size=target.size,
        files=len(found.files),
        uncompressed_size=found.size,
        skipped=tuple(found.skipped),
        outside=tuple(found.outside),
        name=folder.resolve().name or "root",
    )


def _silent(_: Progress) -> None:
    return


class _Hashing:
    """A file that can only be appended to, so that every byte is hashed once and in order."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.sha256 = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> int:
        self.sha256.update(data)
        self.size += len(data)
        return self._file.write(data)

    def flush(self) -> None:
        self._file.flush()


def _write(found: Listing, target: _Hashing, tell: Callable[[Progress], None]) -> None:
    total = len(found.files)
    done = 0
    with zipfile.ZipFile(cast("BinaryIO", target), "w", allowZip64=True) as archive:
        for count, file in enumerate(found.files, start=1):
            _add(archive, file)
            done += file.size
            if count % _REPORT_EVERY == 0 or file.size > _COPY_BYTES or count == total:
                tell(Progress(count, done, total, found.size))


def _add(archive: zipfile.ZipFile, file: File) -> None:
    info = zipfile.ZipInfo(file.name, _EPOCH)
    info.create_system = _UNIX
    info.external_attr = (0o100755 if file.executable else 0o100644) << 16
    info.file_size = file.size
    try:
        with file.source.open("rb") as source:
            start = source.read(_SAMPLE_BYTES)
            info.compress_type = zipfile.ZIP_DEFLATED if _packs_well(start) else zipfile.ZIP_STORED
            # The standard library has no public way to set the level of one entry before 3.13.
            info._compresslevel = 1  # pyright: ignore[reportAttributeAccessIssue]
            with archive.open(info, "w") as entry:
                entry.write(start)
                shutil.copyfileobj(source, entry, _COPY_BYTES)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise errors.PackagingError(
                f"No space left in '{tempfile.gettempdir()}' for the package.", hint="Set TMPDIR to a larger place."
            ) from None
        raise errors.PackagingError(
            f"'{file.name}' cannot be read: {error.strerror}.", hint="Mend its rights, or add it to .mlpignore."
        ) from None


def _packs_well(start: bytes) -> bool:
    """Whether deflating is worth its time, judged by the first 64 KiB: images and archives are stored as they are."""
    return len(start) > 0 and len(zlib.compress(start, 1)) < _WORTH_PACKING * len(start)
