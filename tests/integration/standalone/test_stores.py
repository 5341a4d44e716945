"""Postgres and Valkey under the supervisor: killed at any moment, they come back with what they acknowledged."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from mlp_standalone.config import load_ports
from mlp_standalone.errors import PostgresError
from mlp_standalone.layout import Layout
from mlp_standalone.postgres import LOCK_FILE, Postgres
from mlp_standalone.processes import working_in
from mlp_standalone.state import Phase
from support.standalone import SmallPlatform, eventually

STORES = Path(__file__).parents[2] / "support" / "stores_platform.py"


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[SmallPlatform]:
    platform = SmallPlatform(tmp_path / "my data ü 100%", STORES)
    yield platform
    platform.close()


def connect(platform: SmallPlatform) -> psycopg.Connection[tuple[object, ...]]:
    url = Postgres(platform.layout).url("mlp").replace("postgresql+psycopg", "postgresql")
    return psycopg.connect(url, autocommit=True)


def valkey(platform: SmallPlatform, *words: str) -> bytes:
    with socket.create_connection(("127.0.0.1", load_ports(platform.layout).valkey), timeout=5) as connection:
        connection.sendall((" ".join(words) + "\r\n").encode())
        return connection.recv(4096)


def test_acknowledged_rows_survive_kill_of_postgres_and_of_the_supervisor(stores: SmallPlatform) -> None:
    stores.up()
    with connect(stores) as session:
        session.execute("CREATE TABLE kept (n int)")
        session.execute("INSERT INTO kept VALUES (1)")
    stores.kill("postgres")
    stores.wait_for_restart("postgres")
    with connect(stores) as session:
        session.execute("INSERT INTO kept VALUES (2)")
    stores.kill_supervisor()
    eventually(lambda: not working_in(stores.layout.postgres), "end of Postgres")
    stores.up()
    with connect(stores) as session:
        assert session.execute("SELECT n FROM kept ORDER BY n").fetchall() == [(1,), (2,)]


def test_valkey_keeps_its_data_and_its_port(stores: SmallPlatform) -> None:
    stores.up()
    port = load_ports(stores.layout).valkey
    assert valkey(stores, "SET", "k", "v").startswith(b"+OK")
    # Written to disk within a second; wait for that rather than lose it on purpose.
    eventually(lambda: b"aof_pending_bio_fsync:0" in valkey(stores, "INFO", "persistence"), "fsync")
    stores.kill("valkey")
    stores.wait_for_restart("valkey")
    assert valkey(stores, "GET", "k") == b"$1\r\nv\r\n"
    assert load_ports(stores.layout).valkey == port


def test_killing_the_whole_tree_at_once_loses_nothing(stores: SmallPlatform) -> None:
    stores.up()
    with connect(stores) as session:
        session.execute("CREATE TABLE kept AS SELECT 1 AS n")
    pids = [stores.supervisors[-1].pid, stores.pid("postgres"), stores.pid("valkey")]
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    stores.supervisors[-1].wait()
    assert (stores.layout.postgres / LOCK_FILE).exists()
    stores.up()
    with connect(stores) as session:
        assert session.execute("SELECT n FROM kept").fetchall() == [(1,)]


def test_a_lock_file_with_the_pid_of_a_stranger_does_not_stop_the_start(stores: SmallPlatform) -> None:
    """After a restart of a container the old pid may belong to anybody."""
    stores.up()
    assert stores.stop() == 0
    stranger = subprocess.Popen(Postgres(stores.layout).as_owner(["sleep", "600"]), cwd="/")
    lines = [str(stranger.pid), str(stores.layout.postgres), str(int(time.time())), "5432", "", "", "", "ready"]
    (stores.layout.postgres / LOCK_FILE).write_text("\n".join(lines) + "\n", encoding="utf-8")
    try:
        assert stores.up().phase is Phase.READY
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_stop_ends_postgres_cleanly_though_sessions_are_open(stores: SmallPlatform) -> None:
    stores.up()
    with connect(stores) as session:
        assert stores.stop() == 0
        with pytest.raises(psycopg.OperationalError):
            session.execute("SELECT 1")
    assert "database system is shut down" in stores.layout.log("postgres").read_text(encoding="utf-8")


def test_nobody_else_reaches_the_database(stores: SmallPlatform) -> None:
    stores.up()
    socket_folder = stores.layout.postgres_socket
    assert socket_folder.stat().st_mode & 0o077 == 0
    assert stores.layout.postgres.stat().st_mode & 0o077 == 0
    listening = subprocess.run(["ss", "-ltnp"], capture_output=True, text=True, check=False).stdout
    assert "postgres" not in listening


def test_secrets_and_ports_are_chosen_once(stores: SmallPlatform) -> None:
    stores.up()
    secrets = {path.name: path.read_text(encoding="utf-8") for path in stores.layout.secrets.iterdir()}
    ports = json.loads(stores.layout.config.read_text(encoding="utf-8"))
    assert stores.stop() == 0
    stores.up()
    assert {path.name: path.read_text(encoding="utf-8") for path in stores.layout.secrets.iterdir()} == secrets
    assert json.loads(stores.layout.config.read_text(encoding="utf-8")) == ports
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in stores.layout.secrets.iterdir())


def test_a_folder_with_other_files_is_not_made_a_database(tmp_path: Path) -> None:
    layout = Layout.at(tmp_path / "data")
    layout.create()
    layout.postgres.mkdir()
    (layout.postgres / "thesis.tex").write_text("years of work", encoding="utf-8")
    with pytest.raises(PostgresError, match="holds files but no database"):
        Postgres(layout).prepare()
    assert (layout.postgres / "thesis.tex").read_text(encoding="utf-8") == "years of work"


def test_a_first_start_that_was_cut_short_is_done_again(tmp_path: Path) -> None:
    layout = Layout.at(tmp_path / "data")
    layout.create()
    (layout.postgres / "fresh" / "base").mkdir(parents=True)
    (layout.postgres / "global").mkdir()
    Postgres(layout).prepare()
    assert (layout.postgres / "PG_VERSION").read_text(encoding="ascii").strip() == "18"
    assert not (layout.postgres / "fresh").exists()


def test_a_path_that_is_too_long_for_a_socket_gets_a_short_one(tmp_path: Path) -> None:
    platform = SmallPlatform(tmp_path / ("deep" * 20) / "data", STORES)
    try:
        platform.up()
        assert len(str(platform.layout.postgres_socket)) < 60
        with connect(platform) as session:
            assert session.execute("SELECT 1").fetchone() == (1,)
    finally:
        platform.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="every other test here already runs as an ordinary user")
def test_an_ordinary_user_needs_nothing_of_root(tmp_path: Path) -> None:
    """Inside a user namespace this process is user 1000, so Postgres runs as it is, without a user of its own."""
    script = f"""
        from pathlib import Path
        from support.standalone import SmallPlatform
        platform = SmallPlatform(Path({str(tmp_path / "data")!r}), Path({str(STORES)!r}))
        print(platform.up().phase, platform.stop())
    """
    command = [
        "unshare",
        "--user",
        "--map-user=1000",
        "--map-group=1000",
        sys.executable,
        "-c",
        textwrap.dedent(script),
    ]
    environment = {**os.environ, "PYTHONPATH": str(STORES.parents[1])}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if "unshare" in done.stderr:
        pytest.skip(done.stderr)
    assert (done.stdout, done.returncode) == ("ready 0\n", 0), done.stderr
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "data" / "postgres").owner() == "root"
