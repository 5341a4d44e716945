"""The schema's steps: `python -m mlp_core.migrate upgrade|plan|current|wait`.

Any number of replicas may upgrade at once: one takes an advisory lock on its own direct connection and does the
steps, the others wait for it and find nothing left. Each step is a transaction of its own and gives up quickly when it
cannot get a table lock, so that it never queues user requests behind itself; it is then tried again. `wait` changes
nothing: it ends once this binary can work on the schema.

A revision is named `NNNN_OOOO`: its number, and the oldest number whose code still works on it. So a binary that
meets a newer schema knows without asking anybody whether it may go on serving.

Exit codes: 0 done; 3 this binary cannot work on the schema; 4 a step did not get its locks; 5 no database answers.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import structlog
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import Script, ScriptDirectory
from sqlalchemy import Connection, NullPool, create_engine, text
from sqlalchemy.exc import OperationalError

from mlp_core.domain.errors import DomainError, Kind

log = structlog.get_logger(__name__)

ADVISORY_KEY = 0x6D6C70
"""`mlp`: who holds this lock is migrating."""
WAIT_FOR_OTHERS = "15min"
STEP_LOCK_TIMEOUT = "3s"
WAIT_TRIES = 120
"""Looks of `wait`, one every `LONGEST_PAUSE_SECONDS`: ten minutes."""
STEP_TRIES = 40
"""With pauses of up to 5 s: about five minutes against a table that long transactions keep busy."""
LONGEST_PAUSE_SECONDS = 5.0


class SchemaAhead(DomainError):
    """A newer release has changed the schema in a way that this binary's code cannot work with."""

    code = "schema_ahead"
    kind = Kind.UNAVAILABLE


class SchemaBehind(DomainError):
    """The schema lacks steps that this binary needs."""

    code = "schema_behind"
    kind = Kind.UNAVAILABLE


class LocksBusy(DomainError):
    """A step could not get its table locks; nothing of it was done, and it can be run again."""

    code = "locks_busy"
    kind = Kind.UNAVAILABLE


@dataclass(frozen=True, slots=True)
class Step:
    """One revision that is not applied yet."""

    revision: str
    summary: str
    sql: str


def upgrade(url: str, *, target: str = "head", pause: Callable[[float], None] = time.sleep) -> list[str]:
    """Apply every step that is missing, one migrator at a time.

    Returns:
        The revisions that this call applied; empty where another migrator was first.

    Raises:
        SchemaAhead: the database knows a revision that this binary does not.
        LocksBusy: a step did not get its locks in `STEP_TRIES` tries.
    """
    with _direct(url) as connection, _only_one(connection):
        before = _read_current(connection)
        _refuse_unknown(before)
        _apply(connection, lambda config: command.upgrade(config, target), pause)
        after = _read_current(connection)
        applied = [script.revision for script in _between(before, after)]
    log.info("schema_upgraded", before=before, after=after, applied=applied)
    return applied


def downgrade(url: str, target: str) -> None:
    """Undo steps down to `target` (`base` = all). For tests and for a release that is taken back at once."""
    with _direct(url) as connection, _only_one(connection):
        _refuse_unknown(_read_current(connection))
        _apply(connection, lambda config: command.downgrade(config, target), time.sleep)


def current(url: str) -> str | None:
    """The revision that the database is at; None for an empty one."""
    with _direct(url) as connection:
        return _read_current(connection)


def plan(url: str) -> list[Step]:
    """The steps that `upgrade` would do now, with their statements."""
    with _direct(url) as connection:
        before = _read_current(connection)
    _refuse_unknown(before)
    return [_step(script) for script in _between(before, head())]


def require_usable(url: str) -> None:
    """Let a service start only on a schema that its code can work with.

    Raises:
        SchemaBehind: run `upgrade` first.
        SchemaAhead: a newer release has taken away something that this binary needs.
    """
    found = current(url)
    if found == head():
        return
    if found is None or found in _known():
        raise SchemaBehind(
            f"The schema is behind: it is at {found or 'nothing'}, this binary needs {head()}.",
            hint="Run `python -m mlp_core.migrate upgrade` with the same MLP_DATABASE_URL.",
        )
    if _oldest_code(found) > _number(head()):
        raise _ahead(found)
    log.warning("schema_newer", schema=found, binary=head())


def wait(url: str, *, tries: int = WAIT_TRIES, pause: Callable[[float], None] = time.sleep) -> str:
    """Look until the database answers and this binary can work on its schema.

    Returns:
        The revision that was found.

    Raises:
        SchemaAhead: waiting cannot help.
        SchemaBehind, OperationalError: still so at the last look.
    """
    for left in reversed(range(tries)):
        try:
            require_usable(url)
        except (SchemaBehind, OperationalError) as error:
            if not left:
                raise
            reason = error.detail if isinstance(error, SchemaBehind) else str(error.orig)
            log.info("waits_for_schema", reason=reason.strip())
            pause(LONGEST_PAUSE_SECONDS)
        else:
            break
    return str(current(url))


@cache
def head() -> str:
    """The newest revision that this binary knows."""
    newest = _scripts().get_current_head()
    if newest is None:
        raise FileNotFoundError(f"No migrations in {folder()}.")
    return newest


@cache
def folder() -> Path:
    """Where the scripts lie: inside the installed package, or at the root of the workspace."""
    here = Path(__file__).resolve()
    candidates = [here.parent / "_migrations", *(parent / "migrations" for parent in here.parents)]
    for candidate in candidates:
        if (candidate / "env.py").is_file():
            return candidate
    raise FileNotFoundError(f"No migrations folder beside {here.parent} or above it.")


def alembic_config(connection: Connection | None = None) -> Config:
    """Alembic's configuration, made here: there is no ini file to drift from it."""
    config = Config(stdout=io.StringIO())
    config.set_main_option("script_location", str(folder()).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


@contextmanager
def _direct(url: str) -> Generator[Connection]:
    """One connection of our own, never from a pool: the session-level lock lives and dies with it."""
    engine = create_engine(
        url, poolclass=NullPool, connect_args={"application_name": "mlp-migrate", "connect_timeout": 10}
    )
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


@contextmanager
def _only_one(connection: Connection) -> Generator[None]:
    connection.execute(text(f"SET lock_timeout = '{WAIT_FOR_OTHERS}'"))
    connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": ADVISORY_KEY})
    connection.execute(text(f"SET lock_timeout = '{STEP_LOCK_TIMEOUT}'"))
    connection.commit()
    try:
        yield
    finally:
        connection.rollback()
        connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": ADVISORY_KEY})
        connection.commit()


def _apply(connection: Connection, steps: Callable[[Config], None], pause: Callable[[float], None]) -> None:
    """Run `steps`; when a lock is busy, what was committed stays and the rest is tried again."""
    config = alembic_config(connection)
    for attempt in range(1, STEP_TRIES + 1):
        try:
            steps(config)
        except OperationalError as error:
            connection.rollback()
            if getattr(error.orig, "sqlstate", None) not in _RETRIED_STATES:
                raise
            log.warning("migration_waits_for_locks", attempt=attempt, at=_read_current(connection))
            pause(min(0.2 * 2**attempt, LONGEST_PAUSE_SECONDS))
        else:
            connection.commit()
            return
    raise LocksBusy(
        f"A step after {_read_current(connection)} did not get its table locks in {STEP_TRIES} tries.",
        hint="Look for long transactions in pg_stat_activity, then run it again.",
    )


_RETRIED_STATES = frozenset({"55P03", "40P01"})
"""lock_not_available, deadlock_detected."""


def _read_current(connection: Connection) -> str | None:
    found = MigrationContext.configure(connection).get_current_revision()
    connection.rollback()
    return found


@cache
def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(alembic_config())


@cache
def _known() -> frozenset[str]:
    return frozenset(script.revision for script in _scripts().walk_revisions())


def _between(before: str | None, after: str | None) -> list[Script]:
    """Revisions after `before` up to `after`, oldest first."""
    if after is None or before == after:
        return []
    newest_first = list(_scripts().walk_revisions(before or "base", after))
    return [script for script in reversed(newest_first) if script.revision != before]


def _step(script: Script) -> Step:
    buffer = io.StringIO()
    config = alembic_config()
    config.output_buffer = buffer
    command.upgrade(config, f"{script.down_revision or 'base'}:{script.revision}", sql=True)
    return Step(script.revision, (script.doc or "").splitlines()[0], buffer.getvalue())


def _refuse_unknown(found: str | None) -> None:
    if found is not None and found not in _known():
        raise _ahead(found)


def _ahead(found: str) -> SchemaAhead:
    return SchemaAhead(
        f"The schema is ahead: it is at {found}, this binary is at {head()}.",
        hint="Run the newer release; an older one never changes a newer schema.",
    )


def _number(revision: str) -> int:
    return int(revision.partition("_")[0])


def _oldest_code(revision: str) -> int:
    """The oldest number whose code works on `revision`. A name of a stranger's making is never safe."""
    number, _, oldest = revision.partition("_")
    return int(oldest) if number.isdecimal() and oldest.isdecimal() else sys.maxsize


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m mlp_core.migrate", description=__doc__)
    parser.add_argument("action", choices=sorted(_ACTIONS))
    parser.add_argument("--database-url", help="default: MLP_DATABASE_URL")
    options = parser.parse_args(arguments)
    url = options.database_url or _url_of_environment()
    try:
        lines = _ACTIONS[options.action](url)
    except (SchemaAhead, SchemaBehind) as error:
        return _complain(error, 3)
    except LocksBusy as error:
        return _complain(error, 4)
    except OperationalError as error:
        sys.stderr.write(f"The database does not answer: {error.orig}\n")
        return 5
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 0


def _show_upgrade(url: str) -> list[str]:
    applied = upgrade(url)
    return [f"applied {revision}" for revision in applied] or [f"nothing to do, the schema is at {head()}"]


def _show_plan(url: str) -> list[str]:
    steps = plan(url)
    return [f"-- {step.revision}: {step.summary}\n{step.sql}" for step in steps] or ["nothing to do"]


def _show_current(url: str) -> list[str]:
    return [current(url) or "empty"]


def _show_wait(url: str) -> list[str]:
    return [f"the schema is at {wait(url)}"]


_ACTIONS: dict[str, Callable[[str], list[str]]] = {
    "upgrade": _show_upgrade,
    "plan": _show_plan,
    "current": _show_current,
    "wait": _show_wait,
}


def _complain(error: DomainError, code: int) -> int:
    sys.stderr.write(f"{error.detail} {error.hint or ''}\n")
    return code


def _url_of_environment() -> str:
    return os.environ["MLP_DATABASE_URL"]


if __name__ == "__main__":
    sys.exit(main())
