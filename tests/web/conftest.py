"""The web application's packages and build, for the tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from web.npm import WEB, run


@pytest.fixture(scope="session")
def installed() -> None:
    """The packages of the lock, unless they are there already."""
    mark = WEB / "node_modules" / ".package-lock.json"
    lock = WEB / "package-lock.json"
    if not mark.exists() or mark.stat().st_mtime < lock.stat().st_mtime:
        run("ci", "--no-audit", "--no-fund", seconds=280)


@pytest.fixture(scope="session")
def built(installed: None) -> Path:
    run("run", "build", seconds=180)
    return WEB / "dist"
