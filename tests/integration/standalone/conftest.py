from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.standalone import SmallPlatform


@pytest.fixture(scope="session", autouse=True)
def stored_bytecode() -> None:
    """Children must not compile everything they import anew."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[SmallPlatform]:
    platform = SmallPlatform(tmp_path / "data")
    yield platform
    platform.close()
