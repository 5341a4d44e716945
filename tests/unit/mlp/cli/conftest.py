from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from mlp.cli.main import main
from support.fake_platform import FakePlatform, fake_platform


class Result(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def platform() -> Iterator[FakePlatform]:
    with fake_platform() as made:
        yield made


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing of the machine's own configuration counts, and the present folder is empty."""
    for name in ("MLP_URL", "MLP_TOKEN", "MLP_PROJECT", "MLP_CA_FILE", "MLP_PROFILE", "MLP_JOB_ID", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MLP_CONFIG", str(tmp_path / "config.toml"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Run one command line in this process."""

    def invoke(*arguments: str) -> Result:
        capfd.readouterr()
        code = main(arguments)
        out, err = capfd.readouterr()
        return Result(code, out, err)

    return invoke


@pytest.fixture
def signed_in(platform: FakePlatform, monkeypatch: pytest.MonkeyPatch) -> FakePlatform:
    monkeypatch.setenv("MLP_URL", platform.url)
    monkeypatch.setenv("MLP_TOKEN", "mlp_t")
    monkeypatch.setenv("MLP_PROJECT", "demo")
    return platform
