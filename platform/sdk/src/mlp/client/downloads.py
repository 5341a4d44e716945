"""A file on its way here: it goes on where it broke off, and has its name only once it is proven whole."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from mlp import errors
from mlp.client.call import Call
from mlp.client.calls import jobs

_PIECE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Artifact:
    """What to get, as the platform lists it."""

    project: str
    job: str
    attempt: int
    path: str
    size: int
    sha256: str | None
    """None while it is not stored whole."""

    @classmethod
    def of(cls, project: str, job: str, row: Mapping[str, Any]) -> Artifact:
        return cls(project, job, row["attempt"], row["path"], row["size"], row["sha256"])


class Download:
    """The local half of one download: a file beside the target, and the digest of what is in it."""

    def __init__(self, artifact: Artifact, target: Path, tell: Callable[[int], None] | None = None) -> None:
        """`tell` is called with the bytes that are here.

        Raises:
            DownloadFailed: the artifact is not stored whole.
        """
        if artifact.sha256 is None:
            raise errors.DownloadFailed(
                f"'{artifact.path}' is not stored whole.", hint="See `mlp job artifacts` for how far it is."
            )
        self.artifact = artifact
        self.target = target
        self.received = 0
        self._tell = tell
        self._tries = 0
        self._received_before = 0
        self._partial = target.with_name(f".mlp-{artifact.sha256[:16]}.part")
        self._digest = hashlib.sha256()
        self._file: IO[bytes] | None = None

    @property
    def is_here(self) -> bool:
        """Whether the target holds these very bytes already."""
        with contextlib.suppress(FileNotFoundError, IsADirectoryError):
            return self.target.stat().st_size == self.artifact.size and _sha256(self.target) == self.artifact.sha256
        return False

    @property
    def is_whole(self) -> bool:
        return self.received >= self.artifact.size

    def __enter__(self) -> Self:
        self.target.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._partial.open("a+b")
        self._file.seek(0)
        while piece := self._file.read(_PIECE_BYTES):
            self._take(piece)
        self._received_before = self.received
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def call(self) -> Call[bytes]:
        """Asks for the bytes that are not here."""
        artifact = self.artifact
        call = jobs.artifact_content(artifact.project, artifact.job, artifact.path, attempt=artifact.attempt)
        return call.with_headers(Range=f"bytes={self.received}-") if self.received else call

    def write(self, piece: bytes) -> None:
        if self._file is not None:
            self._file.write(piece)
            self._take(piece)

    def broke(self, error: errors.Error | None, most: int) -> int:
        """The number of tries in a row, at least 1, that got nowhere; at `most` of them it is given up."""
        self._tries = 1 if self.received > self._received_before else self._tries + 1
        self._received_before = self.received
        if self._tries >= most or isinstance(error, errors.UntrustedCertificate):
            raise error or errors.PlatformUnreachable(f"'{self.artifact.path}' breaks off again and again.")
        return self._tries

    def finish(self) -> Path:
        """Give the file its name.

        Raises:
            DownloadFailed: the bytes are not those of the artifact; what came is thrown away.
        """
        if self._file is not None:
            self._file.close()
        if self.received != self.artifact.size or self._digest.hexdigest() != self.artifact.sha256:
            self._partial.unlink(missing_ok=True)
            raise errors.DownloadFailed(f"'{self.artifact.path}' arrived damaged.", hint="Download it again.")
        self._partial.replace(self.target)
        return self.target

    def _take(self, piece: bytes) -> None:
        self._digest.update(piece)
        self.received += len(piece)
        if self._tell is not None:
            self._tell(self.received)


def target_of(folder: Path, path: str) -> Path:
    """Where an artifact goes below `folder`.

    Raises:
        DownloadFailed: its path would leave the folder here.
    """
    parts = path.split("/")
    foreign = {os.sep, os.altsep or os.sep, ":"} - {"/"} if os.name == "nt" else set[str]()
    if any(part in ("", ".", "..") or any(mark in part for mark in foreign) for part in parts):
        raise errors.DownloadFailed(f"'{path}' cannot be a file in {folder}.", hint="Name another place for it.")
    return folder.joinpath(*parts)


def one_target(path: str, to: Path | str | None) -> Path:
    """Where a single artifact goes: under its own name here, or in the folder `to`, or as the file `to`."""
    name = path.rpartition("/")[2]
    if to is None:
        return target_of(Path(), name)
    return target_of(Path(to), name) if Path(to).is_dir() else Path(to)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
