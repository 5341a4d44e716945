"""What users import: a change here is a change for them, so it is written down twice."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import mlp
from mlp import default

PUBLIC = {
    "AsyncClient",
    "Client",
    "Environment",
    "Group",
    "Head",
    "Job",
    "Resources",
    "__version__",
    "checkpoint",
    "errors",
    "jobs",
    "remote",
    "runtime",
    "submit",
}
ERRORS = {
    "Error",
    "JobCancelled",
    "JobEnded",
    "JobFailed",
    "NotAllowed",
    "NotFound",
    "NotSignedIn",
    "PlatformUnreachable",
    "WaitTimedOut",
}
"""The ones that users are told to catch; more may exist."""
NOT_BY_IMPORT_MLP = {"pydantic", "httpx", "typer", "rich", "yaml", "asyncio", "mlp.client", "mlp.schemas", "mlp.cli"}


def test_the_public_names_are_exactly_these() -> None:
    assert set(mlp.__all__) == PUBLIC
    assert list(mlp.__all__) == sorted(mlp.__all__)


@pytest.fixture
def some_platform(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`mlp.jobs` belongs to the default client, which wants to know of a platform (and asks it nothing yet)."""
    monkeypatch.setenv("MLP_URL", "http://127.0.0.1:9")
    default.client.cache_clear()
    yield
    default.client.cache_clear()


@pytest.mark.usefixtures("some_platform")
@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_a_public_name_resolves_and_shows_in_dir(name: str) -> None:
    assert getattr(mlp, name) is not None
    assert name in dir(mlp)


def test_a_wrong_name_is_refused_as_usual() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Clinet'"):
        _ = mlp.Clinet  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize("name", sorted(ERRORS))
def test_the_errors_to_catch_are_one_family(name: str) -> None:
    assert issubclass(getattr(mlp.errors, name), mlp.errors.Error)


def test_import_mlp_loads_nothing_heavy() -> None:
    question = "import sys, mlp; print(*sys.modules)"
    answer = subprocess.run([sys.executable, "-c", question], capture_output=True, text=True, check=True)
    assert NOT_BY_IMPORT_MLP.isdisjoint(answer.stdout.split())


def test_the_package_is_typed() -> None:
    assert mlp.__file__
    assert (Path(mlp.__file__).parent / "py.typed").exists()
