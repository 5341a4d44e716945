"""Packages for the engine, streamed from the object store to a file."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from mlp_core.domain.errors import NotFound, Unavailable
from mlp_core.gateways.objects import ObjectStore
from mlp_core.kit.database import Database
from mlp_core.packages.keys import package_key
from mlp_core.tables import PackageRow
from mlp_operator.engines.local.settings import PackageMissingError
from mlp_operator.engines.port import EngineError


class StoredPackages:
    """Finds a package by its digest. Equal digests are equal bytes, whichever project's copy is read."""

    def __init__(self, database: Database, objects: ObjectStore) -> None:
        self._database = database
        self._objects = objects

    async def fetch(self, digest: str, into: Path) -> None:
        """Stream the archive of `digest` into a new file at `into`.

        Raises:
            PackageMissingError: there is no such package.
            EngineError: the database or the object store does not answer now.
        """
        try:
            key = await self._key(digest)
            with into.open("wb") as file:
                async for chunk in self._objects.stream(key):
                    file.write(chunk)
        except NotFound as error:
            raise PackageMissingError(digest) from error
        except (Unavailable, SQLAlchemyError, OSError) as error:
            raise EngineError(f"The package {digest[:19]} could not be read: {error}") from error

    async def _key(self, digest: str) -> str:
        async with self._database.transaction() as session:
            project_id = await session.scalar(
                select(PackageRow.project_id)
                .where(PackageRow.digest == digest, PackageRow.completed_at.is_not(None))
                .limit(1)
            )
        if project_id is None:
            raise NotFound.of("package", digest)
        return package_key(project_id, digest)
