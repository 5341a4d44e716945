"""The commands as a person types them, on the whole platform. Every process is killed once and comes back."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from mlp_standalone.layout import Layout
from mlp_standalone.processes import marked
from support.standalone import eventually, free_port, is_gone

MLP = Path(sys.executable).with_name("mlp")
SERVICES = ("postgres", "valkey", "mlflow", "api", "operator", "worker")
START_SECONDS = 240

pytestmark = pytest.mark.timeout(600)


class Machine:
    """A user's machine: a data folder, a configuration, and the `mlp` command."""

    def __init__(self, folder: Path) -> None:
        self.layout = Layout.at(folder / "data")
        self.config = folder / "config.toml"
        # Another platform on this machine may be about to take the usual port.
        self.layout.root.mkdir()
        ports = {"schema": 1, "ports": {"api": free_port()}}
        self.layout.config.write_text(json.dumps(ports), encoding="utf-8")
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("MLP_", "MLFLOW_"))},
            "MLP_DATA": str(self.layout.root),
            "MLP_CONFIG": str(self.config),
        }

    def run(self, *arguments: str, seconds: float = START_SECONDS) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(MLP), *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    def up(self) -> dict[str, Any]:
        done = self.run("up", "--detach", "--json")
        assert done.returncode == 0, done.stderr + "".join(self._last_words())
        return json.loads(done.stdout)

    def status(self) -> dict[str, Any]:
        return json.loads(self.run("status", "--json").stdout)

    def process(self, name: str) -> dict[str, Any]:
        return next(process for process in self.status()["processes"] if process["name"] == name)

    def wait_until_ready(self) -> dict[str, Any]:
        def ready() -> dict[str, Any] | None:
            status = self.status()
            return status if status["phase"] == "ready" else None

        return eventually(ready, "ready", START_SECONDS)

    def token(self) -> str:
        document = tomllib.loads(self.config.read_text(encoding="utf-8"))
        return document["profiles"][document["current"]]["token"]

    def me(self, url: str) -> httpx.Response:
        return httpx.get(f"{url}/api/v1/me", headers={"Authorization": f"Bearer {self.token()}"}, timeout=30)

    def _last_words(self) -> list[str]:
        return [f"\n== {log.name}\n{log.read_text(errors='replace')[-1500:]}" for log in self.layout.logs.glob("*.log")]


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    machine = Machine(tmp_path_factory.mktemp("machine"))
    yield machine
    machine.run("down", "--purge", "--yes")


@pytest.fixture(scope="module")
def up(machine: Machine) -> dict[str, Any]:
    return machine.up()


def test_the_first_start_leaves_a_platform_that_this_machine_may_use(machine: Machine, up: dict[str, Any]) -> None:
    assert up["phase"] == "ready"
    assert up["url"].startswith("http://127.0.0.1:")
    me = machine.me(up["url"])
    assert me.status_code == 200, me.text
    password = Path(up["password_file"]).read_text(encoding="utf-8").strip()
    login = httpx.post(f"{up['url']}/api/v1/login", json={"username": up["username"], "password": password}, timeout=30)
    assert login.status_code in (200, 201), login.text
    headers = {"Authorization": f"Bearer {machine.token()}"}
    pools = httpx.get(f"{up['url']}/api/v1/pools", headers=headers, timeout=30).json()["items"]
    assert {pool["name"] for pool in pools} >= {"cpu", "gpu"}
    projects = httpx.get(f"{up['url']}/api/v1/projects", headers=headers, timeout=30).json()["items"]
    assert "default" in {project["name"] for project in projects}


def test_the_link_signs_a_browser_in_once(machine: Machine, up: dict[str, Any]) -> None:
    address, _, code = up["sign_in_url"].partition("#link=")
    assert address == f"{up['url']}/sign-in"
    again = json.loads(machine.run("up", "--json").stdout)["sign_in_url"].partition("#link=")[2]
    for link, wanted in ((code, [201, 401]), (again, [201, 401])):
        with httpx.Client(base_url=up["url"], timeout=30, trust_env=False) as browser:
            tries = [browser.post("/api/v1/session", json={"link": link}).status_code for _ in range(2)]
            assert tries == wanted
            assert browser.get("/api/v1/me").json()["username"] == up["username"]


def test_everything_listens_on_loopback_only(machine: Machine, up: dict[str, Any]) -> None:
    names = {process["pid"]: process["name"] for process in machine.status()["processes"] if process["pid"]}
    open_to_others = {
        (names[connection.pid], connection.laddr)
        for connection in psutil.net_connections("tcp")
        if connection.pid in names
        and connection.status == psutil.CONN_LISTEN
        and (not connection.laddr or connection.laddr[0] != "127.0.0.1")
    }
    assert open_to_others == set()


def test_status_lists_every_process_and_is_zero(machine: Machine, up: dict[str, Any]) -> None:
    eventually(lambda: machine.run("status").returncode == 0, "healthy")
    shown = machine.run("status").stdout
    for name in ("supervisor", *SERVICES):
        assert name in shown
    status = machine.status()
    for name in SERVICES:
        process = next(process for process in status["processes"] if process["name"] == name)
        assert process["health"] == "healthy"
        assert process["rss_bytes"] >= process["pss_bytes"] > 0


def test_a_second_up_says_that_it_runs_and_where(machine: Machine, up: dict[str, Any]) -> None:
    done = machine.run("up")
    assert done.returncode == 0
    assert f"already running at {up['url']}" in done.stdout
    assert json.loads(machine.run("up", "--json").stdout)["already_running"] is True


@pytest.mark.parametrize("name", SERVICES)
def test_a_killed_process_comes_back(machine: Machine, up: dict[str, Any], name: str) -> None:
    before = machine.wait_until_ready()
    victim = machine.process(name)
    os.kill(victim["pid"], signal.SIGKILL)

    def back() -> bool:
        process = machine.process(name)
        return process["restarts"] > victim["restarts"] and process["health"] == "healthy"

    eventually(back, f"restart of {name}", START_SECONDS)
    machine.wait_until_ready()
    others = {process["name"]: process["pid"] for process in before["processes"] if process["name"] != name}
    now = {process["name"]: process["pid"] for process in machine.status()["processes"]}
    assert {other: now[other] for other in others} == others
    eventually(lambda: machine.me(up["url"]).status_code == 200, "an answer of the api")


def test_killed_whole_it_leaves_no_orphan_and_starts_with_its_state(machine: Machine, up: dict[str, Any]) -> None:
    before = machine.wait_until_ready()
    token, ports = machine.token(), machine.layout.config.read_text(encoding="utf-8")
    os.kill(before["supervisor"]["pid"], signal.SIGKILL)
    pids = [process["pid"] for process in before["processes"] if process["pid"]]
    eventually(lambda: all(is_gone(pid) for pid in pids) and not marked(machine.layout.root), "end of all", 60)
    assert machine.run("status").returncode == 6
    again = machine.up()
    assert again["url"] == up["url"]
    assert machine.layout.config.read_text(encoding="utf-8") == ports
    assert machine.token() == token
    assert machine.me(up["url"]).status_code == 200


def test_down_drains_and_nothing_is_left(machine: Machine, up: dict[str, Any]) -> None:
    machine.wait_until_ready()
    done = machine.run("down")
    assert (done.returncode, done.stderr) == (0, f"Stopped. Data stay in {machine.layout.root}.\n")
    assert marked(machine.layout.root) == []
    assert machine.run("status").returncode == 6
    again = machine.run("down")
    assert (again.returncode, again.stderr.split(".")[0]) == (0, "It was not running")


def test_in_the_foreground_it_stays_until_ctrl_c(machine: Machine, up: dict[str, Any]) -> None:
    machine.run("down")
    primary, secondary = pty.openpty()
    process = subprocess.Popen(
        [str(MLP), "up"], env=machine.environment, stdin=secondary, stdout=subprocess.PIPE, stderr=secondary, text=True
    )
    os.close(secondary)
    # What is shown on a terminal has to be read, or the command waits for it.
    shown: list[bytes] = []
    reader = threading.Thread(target=_read_all, args=(primary, shown))
    reader.start()
    assert process.stdout is not None
    assert process.stdout.readline() == f"mlp is ready at {up['url']}\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(120) == 0
    reader.join()
    os.close(primary)
    assert b"postgres" in b"".join(shown)
    assert marked(machine.layout.root) == []


def _read_all(terminal: int, shown: list[bytes]) -> None:
    """Until nobody has the other end any more, which a terminal tells by an error."""
    with suppress(OSError):
        while data := os.read(terminal, 4096):
            shown.append(data)


def test_a_port_that_somebody_took_is_named(machine: Machine, up: dict[str, Any]) -> None:
    machine.run("down")
    port = json.loads(machine.layout.config.read_text(encoding="utf-8"))["ports"]["valkey"]
    serve = f"import socket,time; s=socket.create_server(('127.0.0.1',{port})); print(flush=True); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", serve], stdout=subprocess.PIPE) as squatter:
        assert squatter.stdout is not None
        squatter.stdout.readline()
        done = machine.run("up", "--detach")
        squatter.kill()
    assert done.returncode == 1
    assert f"Port {port} of valkey is used by process {squatter.pid}" in done.stderr


def test_purge_asks_and_then_deletes_everything(machine: Machine, up: dict[str, Any]) -> None:
    machine.run("down")
    refused = machine.run("down", "--purge")
    assert refused.returncode == 2
    assert "--yes" in refused.stderr
    assert machine.layout.config.exists()
    done = machine.run("down", "--purge", "--yes")
    assert done.returncode == 0, done.stderr
    assert not machine.layout.root.exists()
    assert "local" not in tomllib.loads(machine.config.read_text(encoding="utf-8")).get("profiles", {})
    stranger = machine.layout.root.parent / "thesis"
    stranger.mkdir()
    (stranger / "chapter").touch()
    refused = machine.run("down", "--purge", "--yes", "--data", str(stranger))
    assert (refused.returncode, (stranger / "chapter").exists()) == (1, True)
    assert "is not a data folder of mlp" in refused.stderr
