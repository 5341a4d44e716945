"""Which requests pass to MLflow, and which only read."""

from __future__ import annotations

import pytest

from mlp_api.mlflow_rules import is_foreign, is_open, only_reads, require_plain
from mlp_core.domain.errors import NotFound


@pytest.mark.parametrize(
    "path",
    [
        "",
        "static-files/static/js/main.js",
        "api/2.0/mlflow/runs/get",
        "ajax-api/2.0/mlflow/users/current",
        "api/2.0/mlflow-artifacts/artifacts/1/2/artifacts/users/create",
        "get-artifact",
        "graphql",
        "ajax-api/3.0/mlflow/server-info",
    ],
)
def test_what_members_use_is_open(path: str) -> None:
    assert is_open(path)


@pytest.mark.parametrize(
    "path",
    [
        "api/2.0/mlflow/users/create",
        "ajax-api/2.0/mlflow/users/update-password",
        "api/2.0/preview/mlflow/users/list",
        "api/3.0/mlflow/roles/assign",
        "api/3.0/mlflow/workspaces",
        "api/3.0/mlflow/workspaces/other",
        "api/2.0/mlflow/gateway-proxy",
        "gateway/chat/invocations",
        "signup",
    ],
)
def test_what_concerns_all_tenants_is_closed(path: str) -> None:
    assert not is_open(path)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "api/2.0/mlflow/runs/get"),
        ("HEAD", ""),
        ("POST", "api/2.0/mlflow/runs/search"),
        ("POST", "ajax-api/2.0/mlflow/experiments/search"),
        ("POST", "api/2.0/mlflow/logged-models/search"),
        ("POST", "api/2.0/mlflow/registered-models/get-latest-versions"),
        ("POST", "graphql"),
    ],
)
def test_reading(method: str, path: str) -> None:
    assert only_reads(method, path)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "api/2.0/mlflow/runs/create"),
        ("POST", "api/2.0/mlflow/runs/log-batch"),
        ("POST", "api/2.0/mlflow/experiments/delete"),
        ("PATCH", "api/2.0/mlflow/registered-models/update"),
        ("DELETE", "api/2.0/mlflow/registered-models/alias"),
        ("PUT", "api/2.0/mlflow-artifacts/artifacts/1/search"),
        ("POST", "api/2.0/mlflow-artifacts/mpu/create/search"),
    ],
)
def test_writing(method: str, path: str) -> None:
    assert not only_reads(method, path)


@pytest.mark.parametrize("path", ["../x", "a/./b", "a/%2e%2e/b", "a/..\\b", "..%2f"])
def test_a_path_never_climbs(path: str) -> None:
    with pytest.raises(NotFound):
        require_plain(path)


def test_dots_within_a_name_are_fine() -> None:
    require_plain("a/..b/c.txt/...")


def test_a_page_of_another_site_is_foreign() -> None:
    assert is_foreign("https://evil.example", "mlp.example")
    assert is_foreign("null", "mlp.example")
    assert not is_foreign("https://mlp.example:8080", "mlp.example:8080")
    assert not is_foreign(None, "mlp.example")
