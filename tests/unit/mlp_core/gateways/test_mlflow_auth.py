from __future__ import annotations

import pytest

from mlp_core.gateways.mlflow_auth import is_open_to_projects


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/static-files/static/js/main.js",
        "/version",
        "/graphql",
        "/get-artifact",
        "/v1/traces",
        "/api/2.0/mlflow/runs/create",
        "/ajax-api/2.0/mlflow/runs/search",
        "/api/2.0/preview/mlflow/experiments/list",
        "/api/2.0/mlflow-artifacts/artifacts/workspaces/p/1/run/artifacts/model/x",
        "/api/3.0/mlflow/traces",
        "/api/2.0/mlflow/logged-models/m-1/tags",
        "/ajax-api/2.0/mlflow/users/current",
        "/ajax-api/3.0/mlflow/users/current/permissions",
        "/api/3.0/mlflow/workspaces",
    ],
)
def test_tracking_and_registry_are_open(path: str) -> None:
    assert is_open_to_projects(path)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/signup",
        "/gateway/proxy/a/b",
        "//api/2.0/mlflow/runs/create",
        "/api/2.0/mlflow/users/list",
        "/api/2.0/mlflow/users/current-and-more",
        "/api/2.0/mlflow/runs-of-others/list",
        "/api/3.0/mlflow/roles/list",
        "/ajax-api/3.0/mlflow/assistant/message",
        "/ajax-api/3.0/jobs/search",
        "/ajax-api/2.0/mlflow/gateway-proxy",
        "/ajax-api/3.0/mlflow/gateway/secrets/list",
        "/ajax-api/3.0/mlflow/scorer/invoke",
        "/api/2.0/mlflow/webhooks",
        "/ajax-api/2.0/mlflow/runs/create-promptlab-run",
        "/api/20/mlflow/runs/create",
    ],
)
def test_everything_else_is_closed(path: str) -> None:
    assert not is_open_to_projects(path)
