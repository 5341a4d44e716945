"""Packages: what people can do with them. Bytes go from the request to the store in pieces, never through memory whole.

While bytes move, no database connection is held: each step is a short transaction before or after them. So a step may
find the world changed, and every one can be repeated.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from weakref import WeakValueDictionary

from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.packages import MAX_TEXT_BYTES, PART_BYTES, PackageCreate
from mlp_core.domain.errors import DigestMismatch, Invalid, NotFound, StillInUse, TooLarge, WrongPhase
from mlp_core.events import service as events
from mlp_core.gateways.objects import ObjectStore
from mlp_core.kit.clock import Clock
from mlp_core.kit.database import Database
from mlp_core.kit.pages import PageRequest, Slice
from mlp_core.packages import archive, extract, repository
from mlp_core.packages.keys import package_key, part_key, parts_prefix
from mlp_core.scope import ProjectScope
from mlp_core.tables import PackageRow

MOST_LISTED = 1000


@dataclass(frozen=True, slots=True)
class Upload:
    """Where an upload stands after asking for it."""

    row: PackageRow
    is_new: bool


class Packages:
    """One per process: completing the same package twice at once is done once."""

    def __init__(self, database: Database, objects: ObjectStore, clock: Clock) -> None:
        self._database = database
        self._objects = objects
        self._clock = clock
        self._completing: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def begin(self, scope: ProjectScope, wanted: PackageCreate) -> Upload:
        """Ask for an upload; one that is there, whole or in parts, is gone on with."""
        now = self._clock.now()
        values = {"digest": wanted.digest, "size": wanted.size, "name": wanted.name, "created_by": scope.subject.name}
        async with self._database.transaction() as session:
            is_new = await repository.add_if_absent(session, scope, values | {"created_at": now, "last_used_at": now})
            row = await repository.find_package(session, scope, wanted.digest, lock=True)
            if row is None:
                raise _absent(wanted.digest)
            row.last_used_at = now
            if row.completed_at is None and row.size != wanted.size:
                # One of the two sizes was wrong, and with it what was sent so far.
                row.size, row.received = wanted.size, []
        return Upload(row, is_new)

    async def put_part(self, scope: ProjectScope, digest: str, number: int, body: AsyncIterator[bytes]) -> PackageRow:
        """Store part `number`, counted from 0, of an upload. A part sent twice is the same part.

        Raises:
            NotFound: no such upload was asked for.
            Invalid: there is no such part, or it has another length.
        """
        row = await self.get(scope, digest)
        expected = part_length(row.size, number)
        if row.completed_at is not None:
            return row
        await self._objects.put_stream(part_key(row.project_id, digest, number), _exactly(body, expected, number))
        async with self._database.transaction() as session:
            # Parts may come in any order and at the same time.
            kept = await repository.find_package(session, scope, digest, lock=True)
            if kept is None:
                raise _absent(digest)
            if kept.completed_at is None and number not in kept.received:
                kept.received = [*kept.received, number]
        return kept

    async def complete(self, scope: ProjectScope, digest: str) -> PackageRow:
        """Join the parts, prove the digest, and judge the archive.

        Raises:
            WrongPhase: parts are missing; `data.missing` has their numbers.
            DigestMismatch: the bytes are not those that the digest names; the upload starts again.
            UnsafePackage: the archive could do harm where it is unpacked.
        """
        lock = self._completing.setdefault(f"{scope.project_id}/{digest}", asyncio.Lock())
        async with lock:
            row = await self.get(scope, digest)
            if row.completed_at is not None:
                return row
            missing = [number for number in range(part_count(row.size)) if number not in set(row.received)]
            if missing:
                raise WrongPhase(
                    f"{len(missing)} of {part_count(row.size)} parts are missing.",
                    hint="Send them and complete the upload again.",
                    data={"missing": missing[:1000]},
                )
            return await self._publish(scope, row)

    async def get(self, scope: ProjectScope, digest: str) -> PackageRow:
        async with self._database.transaction() as session:
            row = await repository.find_package(session, scope, digest)
        if row is None:
            raise _absent(digest)
        return row

    async def page(self, scope: ProjectScope, page: PageRequest) -> tuple[Slice[PackageRow], dict[str, int]]:
        """Packages, newest first, and how many jobs name each."""
        async with self._database.transaction() as session:
            found = await repository.page_of_packages(session, scope, page)
            return found, await repository.jobs_by_package(session, scope, [row.digest for row in found.rows])

    async def uses(self, scope: ProjectScope, digest: str) -> int:
        async with self._database.transaction() as session:
            return (await repository.jobs_by_package(session, scope, [digest])).get(digest, 0)

    async def listing(self, row: PackageRow) -> tuple[list[archive.Entry], bool]:
        """The first files of a whole package, and whether there are more."""
        found: list[archive.Entry] = []
        if row.completed_at is None:
            return found, False
        async for entry in archive.entries(self._reader(package_key(row.project_id, row.digest)), row.size):
            if entry.is_folder:
                continue
            if len(found) == MOST_LISTED:
                return found, True
            found.append(entry)
        return found, False

    async def files(self, row: PackageRow, start: int, limit: int) -> tuple[list[archive.Entry], int | None]:
        """Files of a whole package from the `start`-th on, counted from 0, and where the next part starts.

        Raises:
            WrongPhase: its upload is not complete.
        """
        _require_complete(row)
        found: list[archive.Entry] = []
        number = -1
        async for entry in archive.entries(self._reader(package_key(row.project_id, row.digest)), row.size):
            if entry.is_folder:
                continue
            number += 1
            if number >= start + limit:
                return found, number
            if number >= start:
                found.append(entry)
        return found, None

    async def text(self, row: PackageRow, path: str) -> str:
        """One text file of a whole package.

        Raises:
            WrongPhase: its upload is not complete.
            NotFound: it holds no such file.
            TooLarge: it is no small one; `data.size` tells.
            Invalid: it is no text.
        """
        _require_complete(row)
        read = self._reader(package_key(row.project_id, row.digest))
        async for entry in archive.entries(read, row.size):
            if entry.path == path and not entry.is_folder:
                return await _text_of(read, entry)
        raise NotFound.of("file", path, "See the package's list of files.")

    def content(self, row: PackageRow, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        """Bytes `[start, end)` of a whole package.

        Raises:
            WrongPhase: its upload is not complete.
        """
        _require_complete(row)
        return self._objects.stream(package_key(row.project_id, row.digest), start, end)

    async def delete(self, scope: ProjectScope, digest: str) -> None:
        """
        Raises:
            StillInUse: jobs name it, also ended ones: they are reproduced from it.
        """
        async with self._database.transaction() as session:
            row = await repository.find_package(session, scope, digest, lock=True)
            if row is None:
                raise _absent(digest)
            jobs = (await repository.jobs_by_package(session, scope, [digest])).get(digest, 0)
            if jobs:
                raise StillInUse(f"{jobs} jobs were made from this package.", data={"jobs": jobs})
            await session.delete(row)
            await self._note(session, row, "Deleted", f"{scope.subject.name} deleted the package.", scope)
        await self._objects.delete(package_key(row.project_id, digest))
        await self._objects.delete_prefix(parts_prefix(row.project_id, digest))

    async def _publish(self, scope: ProjectScope, row: PackageRow) -> PackageRow:
        key = package_key(row.project_id, row.digest)
        try:
            await self._objects.put_stream(key, self._joined(row))
            contents = await archive.check(self._reader(key), row.size)
        except (DigestMismatch, archive.UnsafePackage):
            await self._start_again(scope, row)
            raise
        async with self._database.transaction() as session:
            kept = await repository.find_package(session, scope, row.digest, lock=True)
            if kept is None:
                raise _absent(row.digest)
            kept.completed_at = kept.last_used_at = self._clock.now()
            kept.files, kept.uncompressed_size = contents.files, contents.unpacked_bytes
            kept.received = []
            message = f"{scope.subject.name} uploaded {contents.files:,} files in {row.size:,} bytes."
            await self._note(session, kept, "Uploaded", message, scope)
        await self._objects.delete_prefix(parts_prefix(row.project_id, row.digest))
        return kept

    async def _joined(self, row: PackageRow) -> AsyncGenerator[bytes]:
        """All parts in order; raises at the end if they are not what the digest names, so that nothing is stored."""
        digest = hashlib.sha256()
        for number in range(part_count(row.size)):
            async for piece in self._objects.stream(part_key(row.project_id, row.digest, number)):
                await asyncio.to_thread(digest.update, piece)
                yield piece
        if f"sha256:{digest.hexdigest()}" != row.digest:
            raise DigestMismatch(
                f"The bytes sent have the digest sha256:{digest.hexdigest()}.", hint="Pack and upload the folder again."
            )

    async def _start_again(self, scope: ProjectScope, row: PackageRow) -> None:
        """What was sent is of no use: forget it, so that the next upload does not build on it."""
        async with self._database.transaction() as session:
            kept = await repository.find_package(session, scope, row.digest, lock=True)
            if kept is not None and kept.completed_at is None:
                kept.received = []
        await self._objects.delete(package_key(row.project_id, row.digest))
        await self._objects.delete_prefix(parts_prefix(row.project_id, row.digest))

    def _reader(self, key: str) -> archive.ReadRange:
        async def read(start: int, end: int) -> bytes:
            return b"".join([piece async for piece in self._objects.stream(key, start, end)])

        return read

    async def _note(
        self, session: AsyncSession, row: PackageRow, reason: str, message: str, scope: ProjectScope
    ) -> None:
        await events.record(
            session,
            project_id=row.project_id,
            resource="package",
            resource_id=row.digest,
            resource_name=row.name or row.digest[:19],
            reason=reason,
            message=message,
            actor=scope.subject.name,
        )


def _require_complete(row: PackageRow) -> None:
    if row.completed_at is None:
        raise WrongPhase("The upload of this package is not complete.", hint="Send its parts and complete it.")


async def _text_of(read: archive.ReadRange, entry: archive.Entry) -> str:
    if entry.size > MAX_TEXT_BYTES:
        raise TooLarge(
            f"The file has {entry.size:,} bytes; up to {MAX_TEXT_BYTES:,} are shown.",
            hint="Download the package.",
            data={"size": entry.size, "limit_bytes": MAX_TEXT_BYTES},
        )
    content = await extract.content(read, entry)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _no_text(entry) from error
    if "\0" in text:
        raise _no_text(entry)
    return text


def _no_text(entry: archive.Entry) -> Invalid:
    return Invalid("The file is no text.", hint="Download the package.", data={"size": entry.size})


def part_count(size: int) -> int:
    return -(-size // PART_BYTES)


def part_length(size: int, number: int) -> int:
    """Bytes of part `number`: all but the last one are equal.

    Raises:
        Invalid: an archive of `size` bytes has no such part.
    """
    count = part_count(size)
    if not 0 <= number < count:
        raise Invalid(
            f"The archive has {count} parts, counted from 0; there is no part {number}.",
            fields={"number": f"must be below {count}"},
        )
    return PART_BYTES if number < count - 1 else size - PART_BYTES * (count - 1)


async def _exactly(body: AsyncIterator[bytes], expected: int, number: int) -> AsyncGenerator[bytes]:
    """Passes the body on; raises where it is longer or shorter than the part has to be."""
    seen = 0
    async for piece in body:
        seen += len(piece)
        if seen > expected:
            break
        if piece:
            yield piece
    if seen != expected:
        more = "more than " if seen > expected else f"{seen:,} of "
        raise Invalid(f"Part {number} has {more}the {expected:,} bytes that belong to it.")


def _absent(digest: str) -> NotFound:
    return NotFound.of("package", digest, "See `mlp package list`.")
