"""Artifacts coming in, in parts and in order.

The server is the authority on which parts it has, so each may be sent again after any failure. While bytes move no
database connection is held. Parts are never joined: an artifact may be as large as the limits allow, in flat memory.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass

from mlp.schemas.artifacts import PART_BYTES, ArtifactStart
from mlp_core.artifacts.content import part_count
from mlp_core.artifacts.keys import artifacts_prefix, part_key
from mlp_core.artifacts.repository import ArtifactRepository
from mlp_core.domain.errors import DigestMismatch, Invalid, NotFound, TooLarge
from mlp_core.gateways.objects import ObjectStore
from mlp_core.kit.database import Database
from mlp_core.kit.fence import hold_live_attempt
from mlp_core.kit.ids import new_id
from mlp_core.tables import ArtifactRow


@dataclass(frozen=True, slots=True)
class ArtifactLimits:
    """Of one attempt."""

    files: int
    bytes: int


class Artifacts:
    def __init__(self, database: Database, objects: ObjectStore, limits: ArtifactLimits) -> None:
        self._database = database
        self._objects = objects
        self._limits = limits

    async def start(self, project_id: str, attempt_id: str, wanted: ArtifactStart) -> ArtifactRow:
        """Ask for an upload; one that was begun is gone on with.

        Raises:
            AttemptOver: the attempt has ended.
            TooLarge: it would be over the limits of an attempt.
            Invalid: the file is stored whole, and had another size then.
        """
        id_ = new_id("artifact")
        values = {"id": id_, "attempt_id": attempt_id, "path": wanted.path, "size": wanted.size}
        key = f"{artifacts_prefix(project_id, attempt_id)}{id_}"
        async with self._database.transaction() as session:
            artifacts = ArtifactRepository(session)
            await hold_live_attempt(session, attempt_id, alone=True)
            row = await artifacts.add_if_absent({**values, "object_key": key})
            if row.size != wanted.size:
                if row.completed_at is not None:
                    raise Invalid(f"'{row.path}' is stored already, with {row.size:,} bytes.")
                row.size, row.parts = wanted.size, 0
                await session.flush()
            files, size = await artifacts.totals(attempt_id)
            if files > self._limits.files:
                raise TooLarge(f"An attempt can leave at most {self._limits.files:,} files.")
            if size > self._limits.bytes:
                raise TooLarge(f"An attempt can leave at most {self._limits.bytes:,} bytes in all its files.")
        return row

    async def put_part(self, attempt_id: str, artifact_id: str, number: int, body: AsyncIterator[bytes]) -> ArtifactRow:
        """Store part `number` if it is the next one; the row says where to go on in any case.

        Raises:
            AttemptOver, NotFound: there is no such upload of a live attempt.
            Invalid: the part has another length than it must have.
        """
        row = await self._get(attempt_id, artifact_id)
        if number != row.parts or row.completed_at is not None or number >= part_count(row.size):
            return row
        length = min(PART_BYTES, row.size - number * PART_BYTES)
        await self._objects.put_stream(part_key(row.object_key, number), _exactly(body, length))
        async with self._database.transaction() as session:
            artifacts = ArtifactRepository(session)
            await hold_live_attempt(session, attempt_id)
            await artifacts.advance(artifact_id, number)
        return await self._get(attempt_id, artifact_id)

    async def complete(self, attempt_id: str, artifact_id: str, sha256: str) -> ArtifactRow:
        """Read all parts back and compare their digest. Where parts are missing the row says which is next.

        Raises:
            AttemptOver, NotFound: there is no such upload of a live attempt.
            DigestMismatch: the bytes are not those that the agent read; the upload begins again.
        """
        row = await self._get(attempt_id, artifact_id)
        if row.parts < part_count(row.size) or row.sha256 == sha256:
            return row
        found = await self._digest(row)
        async with self._database.transaction() as session:
            artifacts = ArtifactRepository(session)
            await hold_live_attempt(session, attempt_id)
            if found == sha256:
                await artifacts.complete(artifact_id, row.parts, sha256)
            else:
                await artifacts.begin_again(artifact_id)
        if found != sha256:
            raise DigestMismatch(f"What is stored of '{row.path}' has the digest {found}.", hint="Send it again.")
        return await self._get(attempt_id, artifact_id)

    async def _get(self, attempt_id: str, artifact_id: str) -> ArtifactRow:
        async with self._database.transaction() as session:
            row = await ArtifactRepository(session).find(attempt_id, artifact_id)
        if row is None:
            raise NotFound.of("artifact", artifact_id, "Ask for its upload first.")
        return row

    async def _digest(self, row: ArtifactRow) -> str:
        digest = hashlib.sha256()
        for number in range(part_count(row.size)):
            async for piece in self._objects.stream(part_key(row.object_key, number)):
                await asyncio.to_thread(digest.update, piece)
        return digest.hexdigest()


async def _exactly(body: AsyncIterator[bytes], length: int) -> AsyncGenerator[bytes]:
    """Passes the body on; raises where it is longer or shorter than the part has to be."""
    seen = 0
    async for piece in body:
        seen += len(piece)
        if seen > length:
            break
        if piece:
            yield piece
    if seen != length:
        raise Invalid(f"The part has not the {length:,} bytes that belong to it.")
