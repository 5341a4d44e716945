"""Packages as archives: checked against their digest, and unpacked so that nothing lands outside."""

from __future__ import annotations

import hashlib
import os
import stat
import zipfile
from pathlib import Path, PurePosixPath
from typing import IO

CHUNK_BYTES = 2**20
LINK_LIMIT_BYTES = 4096
MEMBER_LIMIT = 1_000_000


class BadPackageError(Exception):
    """The package cannot be used as it is; trying again does not help."""


def unpack_checked(archive: Path, digest: str, into: Path) -> None:
    """Make the folder `into` of an archive whose digest is `digest`, such as `sha256:0f..`.

    Raises:
        BadPackageError: its bytes are not those of the digest, or it wants to write outside.
    """
    with archive.open("rb") as file:
        found = f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"
    if found != digest:
        raise BadPackageError(f"The stored package is damaged: its content is {found} and should be {digest}.")
    into.mkdir(parents=True)
    unpack(archive, into)


def unpack(archive: Path, into: Path) -> None:
    """Unpack into the empty folder `into`, with modes and links.

    Links are made last, so no file is ever written through one, and only where they stay inside.

    Raises:
        BadPackageError: not a zip file, or a name or link that leads outside `into`.
    """
    try:
        with zipfile.ZipFile(archive) as package:
            members = package.infolist()
            if len(members) > MEMBER_LIMIT:
                raise BadPackageError(f"The package has {len(members)} entries; the limit is {MEMBER_LIMIT}.")
            links = [member for member in members if _kind(member) == stat.S_IFLNK]
            for member in members:
                if _kind(member) != stat.S_IFLNK:
                    _place_plain(package, member, into)
            for member in links:
                _place_link(package, member, into)
    except (zipfile.BadZipFile, NotImplementedError, EOFError) as error:
        raise BadPackageError(f"The package is not a zip file that can be read: {error}.") from error


def _kind(member: zipfile.ZipInfo) -> int:
    return stat.S_IFMT(member.external_attr >> 16)


def _inside(name: str, into: Path) -> Path:
    path = PurePosixPath(name)
    if "\0" in name or "\\" in name or path.is_absolute() or ".." in path.parts or not path.parts:
        raise BadPackageError(f"The package names a path outside its folder: {name!r}.")
    return into.joinpath(*path.parts)


def _place_plain(package: zipfile.ZipFile, member: zipfile.ZipInfo, into: Path) -> None:
    target = _inside(member.filename, into)
    if member.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        return
    if _kind(member) not in (0, stat.S_IFREG):
        raise BadPackageError(
            f"The package holds something that is neither file, folder nor link: {member.filename!r}."
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        file = target.open("xb")
    except FileExistsError:
        raise BadPackageError(f"The package names a path twice: {member.filename!r}.") from None
    with file, package.open(member) as content:
        _copy(content, file)
    mode = (member.external_attr >> 16) & 0o777
    # The owner can always read and remove it; everything beyond rwx (setuid) is dropped.
    target.chmod((mode or 0o644) | 0o600)


def _copy(content: IO[bytes], file: IO[bytes]) -> None:
    while chunk := content.read(CHUNK_BYTES):
        file.write(chunk)


def _place_link(package: zipfile.ZipFile, member: zipfile.ZipInfo, into: Path) -> None:
    link = _inside(member.filename, into)
    if member.file_size > LINK_LIMIT_BYTES:
        raise BadPackageError(f"The package holds a link that is too long: {member.filename!r}.")
    text = package.read(member).decode("utf-8", "surrogateescape")
    target = os.path.normpath(os.path.join(link.parent, text))
    root = os.path.normpath(into)
    if os.path.isabs(text) or os.path.commonpath([root, target]) != root:
        raise BadPackageError(f"The package holds a link that leads outside: {member.filename!r} to {text!r}.")
    link.parent.mkdir(parents=True, exist_ok=True)
    if not _is_real_folder(link.parent, into):
        raise BadPackageError(f"The package places a link below another one: {member.filename!r}.")
    try:
        link.symlink_to(text)
    except FileExistsError:
        raise BadPackageError(f"The package names a path twice: {member.filename!r}.") from None


def _is_real_folder(folder: Path, into: Path) -> bool:
    return folder.resolve() == into.resolve() / folder.relative_to(into)
