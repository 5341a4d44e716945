"""The web application by its own tools: types and lint, component tests, build with its budget, and a real browser.

Run alone: `pytest tests/web`. The browser tests start a platform of their own; see `web/e2e`.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "web"
NPM = shutil.which("npm")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = pytest.mark.skipif(NPM is None, reason="npm is not here")


def run(*command: str, seconds: float) -> str:
    """What `npm COMMAND...` says; it must succeed. All that it started ends with it."""
    assert NPM is not None
    process = subprocess.Popen(
        [NPM, *command],
        cwd=WEB,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        env=os.environ | {"CI": "true", "NO_COLOR": "1"},
    )
    try:
        said, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)
        said, _ = process.communicate()
        pytest.fail(f"npm {' '.join(command)} took more than {seconds:g} s:\n{said[-8000:]}")
    assert process.returncode == 0, f"npm {' '.join(command)} ended with {process.returncode}:\n{said[-8000:]}"
    return said


@pytest.fixture(scope="module")
def installed() -> None:
    """The packages of the lock, unless they are there already."""
    mark = WEB / "node_modules" / ".package-lock.json"
    lock = WEB / "package-lock.json"
    if not mark.exists() or mark.stat().st_mtime < lock.stat().st_mtime:
        run("ci", "--no-audit", "--no-fund", seconds=280)


@pytest.fixture(scope="module")
def built(installed: None) -> Path:
    run("run", "build", seconds=180)
    return WEB / "dist"


@pytest.mark.usefixtures("installed")
def test_types_lint_and_the_generated_schema_are_right() -> None:
    run("run", "check", seconds=180)


@pytest.mark.usefixtures("installed")
def test_components_and_decisions() -> None:
    run("run", "test", seconds=240)


def test_the_build_keeps_its_budget_and_is_compressed(built: Path) -> None:
    scripts = [file for file in (built / "assets").glob("*.js") if file.stat().st_size >= 1024]
    assert scripts
    assert [file.name for file in scripts if not file.with_name(f"{file.name}.br").exists()] == []
    assert [file.name for file in scripts if not file.with_name(f"{file.name}.gz").exists()] == []


def test_the_lock_names_no_registry() -> None:
    assert '"resolved"' not in (WEB / "package-lock.json").read_text(encoding="utf-8")


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not here")
@pytest.mark.timeout(900)
@pytest.mark.usefixtures("built")
def test_a_browser_on_the_real_platform() -> None:
    run("run", "e2e", seconds=840)
