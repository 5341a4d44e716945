"""The platform's variables become MLflow's own."""

from __future__ import annotations

import configparser
from pathlib import Path

from pydantic import SecretStr

from mlp_core.gateways.mlflow_main import MlflowSettings, configuration, environment

URL = "postgresql+psycopg://mlflow:p%40ss@db/mlflow"


def settings(**more: str) -> MlflowSettings:
    return MlflowSettings(
        database_url=SecretStr(URL),
        artifacts="s3://bucket/mlflow",
        admin_password=SecretStr("a-long-password"),
        session_key=SecretStr("s" * 32),
        **more,  # pyright: ignore[reportArgumentType]
    )


def test_a_password_with_percent_signs_survives_the_file() -> None:
    parsed = configparser.ConfigParser()
    parsed.read_string(configuration(settings()))
    assert parsed["mlflow"]["database_uri"] == URL


def test_tenants_have_no_rights_unless_they_are_given_some() -> None:
    parsed = configparser.ConfigParser()
    parsed.read_string(configuration(settings()))
    assert parsed["mlflow"]["default_permission"] == "NO_PERMISSIONS"
    assert parsed["mlflow"]["grant_default_workspace_access"] == "false"


def test_both_stores_are_the_database_and_artifacts_go_through_the_server() -> None:
    made = environment(settings(), Path("/run/auth.ini"))
    assert made["_MLFLOW_SERVER_FILE_STORE"] == made["_MLFLOW_SERVER_REGISTRY_STORE"] == URL
    assert made["_MLFLOW_SERVER_ARTIFACT_DESTINATION"] == "s3://bucket/mlflow"
    assert made["_MLFLOW_SERVER_SERVE_ARTIFACTS"] == "true"


def test_mlflow_keeps_its_own_rule_of_hosts_unless_told() -> None:
    assert "MLFLOW_SERVER_ALLOWED_HOSTS" not in environment(settings(), Path("/run/auth.ini"))
    told = environment(settings(allowed_hosts="mlp-mlflow:5000"), Path("/run/auth.ini"))
    assert told["MLFLOW_SERVER_ALLOWED_HOSTS"] == "mlp-mlflow:5000"
