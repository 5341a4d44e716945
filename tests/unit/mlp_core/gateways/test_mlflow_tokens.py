"""Tokens for MLflow: what the server's authorization function demands, under names that are a project's for ever."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask, Response

from mlp_core.gateways import mlflow_auth
from mlp_core.gateways.mlflow.tokens import WORKSPACE_HEADER, Minter, reader_of, workspace_of, writer_of
from mlp_core.kit.clock import FixedClock

SECRET = "a secret of at least thirty-two characters"
PROJECT = "prj_01J8Z6Q5T9W7V3K2M4N6P8R0S1"


@pytest.fixture(autouse=True)
def server_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(mlflow_auth.SECRET_VARIABLE, SECRET)
    mlflow_auth._key.cache_clear()  # pyright: ignore[reportPrivateUsage]


def status_of(headers: dict[str, str], path: str = "/api/2.0/mlflow/runs/get") -> int:
    """What the server's function says to a request with these headers; 200 = it names a user."""
    with Flask(__name__).test_request_context(path, headers=headers):
        answer = mlflow_auth.authorize()
    return answer.status_code if isinstance(answer, Response) else 200


def test_names_are_made_of_the_projects_id() -> None:
    assert workspace_of(PROJECT) == "project-01j8z6q5t9w7v3k2m4n6p8r0s1"
    assert writer_of(PROJECT) == workspace_of(PROJECT)
    assert reader_of(PROJECT) == "viewer-01j8z6q5t9w7v3k2m4n6p8r0s1"


def test_the_server_takes_what_is_minted() -> None:
    minter = Minter(SECRET, FixedClock(datetime.now(UTC)))
    headers = minter.headers(writer_of(PROJECT), workspace_of(PROJECT))
    assert headers[WORKSPACE_HEADER] == workspace_of(PROJECT)
    assert status_of(headers) == 200


def test_a_token_is_of_no_use_in_another_workspace() -> None:
    minter = Minter(SECRET, FixedClock(datetime.now(UTC)))
    headers = minter.headers(writer_of(PROJECT), workspace_of(PROJECT))
    assert status_of({**headers, WORKSPACE_HEADER: "project-other"}) == 403


def test_a_token_is_used_again_while_it_is_fresh_and_never_when_it_is_stale() -> None:
    clock = FixedClock(datetime.now(UTC) - timedelta(minutes=10))
    minter = Minter(SECRET, clock)
    first = minter.headers("platform", "default", any_workspace=True)
    clock.at += timedelta(minutes=2)
    assert minter.headers("platform", "default", any_workspace=True) == first
    clock.at += timedelta(minutes=8)
    renewed = minter.headers("platform", "default", any_workspace=True)
    assert renewed != first
    assert (status_of(first), status_of(renewed)) == (401, 200)


def test_a_token_of_another_platform_is_refused() -> None:
    stranger = Minter("another secret of thirty-two characters", FixedClock(datetime.now(UTC)))
    assert status_of(stranger.headers("platform", "default", any_workspace=True)) == 401
