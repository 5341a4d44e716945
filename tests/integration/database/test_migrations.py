"""The schema comes from its migrations, whoever runs them and however often; a binary knows what it can work with."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import NullPool, create_engine, inspect, text

from mlp_core import migrate
from mlp_core.tables import Base
from support.postgres import Postgres


def _tables(url: str) -> set[str]:
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        return set(inspect(connection).get_table_names()) - {"alembic_version"}


def _set_version(url: str, version: str) -> None:
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :version"), {"version": version})


def _dsn(url: str) -> str:
    return url.replace("+psycopg", "")


def test_migrations_give_exactly_the_metadata(fresh_database_url: str) -> None:
    engine = create_engine(fresh_database_url, poolclass=NullPool)
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True, "target_metadata": Base.metadata}
        )
        assert compare_metadata(context, Base.metadata) == []


def test_check_constraints_are_those_of_the_metadata(fresh_database_url: str) -> None:
    """Alembic compares no checks, so their names and what they hold are compared here."""
    engine = create_engine(fresh_database_url, poolclass=NullPool)
    with engine.connect() as migrated, engine.begin() as other:
        other.execute(text("CREATE SCHEMA made"))
        other.execute(text("SET LOCAL search_path = made"))
        Base.metadata.create_all(other)
        statement = text(
            "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE contype = 'c' AND connamespace = to_regnamespace(:schema)"
        )
        wanted = {
            (table.removeprefix("made."), name, rule)
            for table, name, rule in other.execute(statement, {"schema": "made"})
        }
        found = {tuple(row) for row in migrated.execute(statement, {"schema": "public"})}
        assert found == wanted
        other.rollback()


def test_down_and_up_again_from_every_step(postgres: Postgres) -> None:
    with postgres.database(migrated=False) as url:
        revisions = migrate.upgrade(url)
        full = _tables(url)
        for revision in reversed(["base", *revisions[:-1]]):
            migrate.downgrade(url, revision)
            migrate.upgrade(url)
            assert _tables(url) == full
        migrate.downgrade(url, "base")
        assert _tables(url) == set()


def test_plan_names_the_steps_and_their_statements(postgres: Postgres) -> None:
    with postgres.database(migrated=False) as url:
        planned = migrate.plan(url)
        assert [step.revision for step in planned] == migrate.upgrade(url)
        assert "CREATE TABLE users" in planned[0].sql
        assert migrate.plan(url) == []


def test_m1_of_three_replicas_exactly_one_applies_the_steps(postgres: Postgres) -> None:
    with postgres.database(migrated=False) as url, ThreadPoolExecutor(3) as replicas:
        applied = [found.result() for found in [replicas.submit(migrate.upgrade, url) for _ in range(3)]]
        assert sorted(len(steps) for steps in applied) == [0, 0, len(_revisions())]
        assert migrate.current(url) == migrate.head()


def test_m1_a_step_waits_for_no_lock_for_long_and_is_tried_again(postgres: Postgres) -> None:
    with postgres.database() as url:
        migrate.downgrade(url, "0001_0001")
        blocker = psycopg.connect(_dsn(url))
        blocker.execute("LOCK TABLE projects IN ACCESS EXCLUSIVE MODE")
        pauses: list[float] = []

        def pause(seconds: float) -> None:
            pauses.append(seconds)
            blocker.rollback()

        started = time.monotonic()
        applied = migrate.upgrade(url, pause=pause)
        blocker.close()
        assert applied == _revisions()[1:]
        assert len(pauses) == 1
        assert time.monotonic() - started < 15


def test_m1_killed_at_any_moment_the_next_one_finishes(postgres: Postgres) -> None:
    with postgres.database(migrated=False) as url:
        for milliseconds in (600, 800, 1000, 1200):
            command = [sys.executable, "-m", "mlp_core.migrate", "upgrade", "--database-url", url]
            runner = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            timer = threading.Timer(milliseconds / 1000, runner.kill)
            timer.start()
            runner.wait()
            timer.cancel()
        migrate.upgrade(url)
        assert migrate.current(url) == migrate.head()
        assert _tables(url) == set(Base.metadata.tables)


def test_m1_schema_ahead_is_said_rightly_and_never_touched(fresh_database_url: str) -> None:
    _set_version(fresh_database_url, "9005_9003")
    with pytest.raises(migrate.SchemaAhead, match=f"it is at 9005_9003, this binary is at {migrate.head()}"):
        migrate.upgrade(fresh_database_url)
    with pytest.raises(migrate.SchemaAhead):
        migrate.require_usable(fresh_database_url)
    command = [sys.executable, "-m", "mlp_core.migrate", "upgrade", "--database-url", fresh_database_url]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode == 3
    assert "The schema is ahead" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_m1_an_old_binary_serves_on_a_schema_that_only_grew(fresh_database_url: str) -> None:
    _set_version(fresh_database_url, "9005_0001")
    migrate.require_usable(fresh_database_url)


def test_schema_behind_is_said_with_what_to_run(postgres: Postgres) -> None:
    with (
        postgres.database(migrated=False) as url,
        pytest.raises(migrate.SchemaBehind, match="it is at nothing") as refused,
    ):
        migrate.require_usable(url)
    assert "mlp_core.migrate upgrade" in str(refused.value.hint)


def test_unreachable_database_is_a_sentence() -> None:
    url = "postgresql+psycopg://postgres@/x?host=/nowhere"
    command = [sys.executable, "-m", "mlp_core.migrate", "current", "--database-url", url]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode == 5
    assert refused.stderr.startswith("The database does not answer")
    assert "Traceback" not in refused.stderr


def _revisions() -> list[str]:
    return [script.revision for script in reversed(list(migrate._scripts().walk_revisions()))]  # pyright: ignore[reportPrivateUsage]


def test_waiting_ends_once_another_has_migrated(postgres: Postgres) -> None:
    with postgres.database(migrated=False) as url:
        pauses: list[float] = []

        def migrated_meanwhile(seconds: float) -> None:
            pauses.append(seconds)
            if len(pauses) == 2:
                migrate.upgrade(url)

        assert migrate.wait(url, pause=migrated_meanwhile) == migrate.head()
    assert len(pauses) == 2


def test_waiting_in_vain_says_what_is_missing(postgres: Postgres) -> None:
    with postgres.database(migrated=False) as url, pytest.raises(migrate.SchemaBehind):
        migrate.wait(url, tries=2, pause=lambda _seconds: None)


def test_waiting_for_a_schema_of_the_future_ends_at_once(fresh_database_url: str) -> None:
    _set_version(fresh_database_url, "9999_9999")
    with pytest.raises(migrate.SchemaAhead):
        migrate.wait(fresh_database_url, pause=lambda _seconds: pytest.fail("nothing to wait for"))
