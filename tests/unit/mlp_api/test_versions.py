"""Clients of another generation are told the line to type; everybody else is let through."""

from __future__ import annotations

import pytest

from mlp_api import versions
from mlp_core.domain.errors import ClientTooNew, ClientTooOld

URL = "https://mlp.example/"


@pytest.fixture(autouse=True)
def _ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "CLIENT_VERSION", "1.4.2")


@pytest.mark.parametrize("theirs", ["1.4.2", "1.4.0", "1.4.99", "1.4", "1.4.3.dev1", "curl", "", "1", "x.y"])
def test_same_generation_and_strangers_are_served(theirs: str) -> None:
    assert versions.refuse_client(theirs, URL) is None


@pytest.mark.parametrize(
    ("theirs", "kind"), [("1.3.9", ClientTooOld), ("0.9", ClientTooOld), ("1.5.0", ClientTooNew), ("2.0", ClientTooNew)]
)
def test_other_generations_get_the_line_to_type(theirs: str, kind: type[Exception]) -> None:
    refusal = versions.refuse_client(theirs, URL)
    assert isinstance(refusal, kind)
    assert refusal.hint == "pip install https://mlp.example/client/mlplatform-1.4.2-py3-none-any.whl"
    assert theirs in refusal.detail
