"""The MLflow server as the platform runs it: `python -m mlp_core.gateways.mlflow_main`.

It takes the few variables below and turns them into MLflow's own, some of them private: one place knows which, and
MLflow is pinned to one exact version for it. `mlp_core.gateways.mlflow_server` says why not `mlflow server`.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

import uvicorn
from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

ADMIN = "platform"
APP = "mlp_core.gateways.mlflow_server:create_app"
AUTHORIZATION = "mlp_core.gateways.mlflow_auth:authorize"
DRAIN_SECONDS = 10
HALF_UPLOADED = ".artifact.uploading.*"
"""How MLflow's local store names a file until it is whole."""


class MlflowSettings(BaseSettings):
    """Variables start with `MLP_MLFLOW_`. `MLP_SECRET_KEY` must be set too: it verifies the platform's tokens."""

    model_config = SettingsConfigDict(env_prefix="MLP_MLFLOW_", frozen=True, extra="ignore")

    database_url: SecretStr = Field(description="SQLAlchemy URL of MLflow's own database.")
    artifacts: str = Field(description="Where artifacts are kept: a folder, or `s3://bucket/prefix`.")
    admin_password: SecretStr = Field(min_length=12, description="Of MLflow's own admin, whom nobody signs in as.")
    session_key: SecretStr = Field(min_length=16, description="Signs the sessions of MLflow's pages.")
    host: str = "127.0.0.1"
    port: int = 5000
    allowed_hosts: str = Field(default="", description='Host headers it answers, with commas; "" = MLflow\'s rule.')


def environment(settings: MlflowSettings, configuration: Path) -> dict[str, str]:
    """MLflow's own variables. `configuration` is the file of its auth app."""
    store = settings.database_url.get_secret_value()
    chosen = {
        "MLFLOW_AUTH_CONFIG_PATH": str(configuration),
        "MLFLOW_AUTH_ADMIN_PASSWORD": settings.admin_password.get_secret_value(),
        "MLFLOW_FLASK_SERVER_SECRET_KEY": settings.session_key.get_secret_value(),
        "MLFLOW_ENABLE_WORKSPACES": "true",
        "MLFLOW_RBAC_SEED_DEFAULT_ROLES": "false",
        "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "_MLFLOW_SGI_NAME": "uvicorn",
        "_MLFLOW_IN_JOB_EXECUTOR": "false",
        "_MLFLOW_SERVER_FILE_STORE": store,
        "_MLFLOW_SERVER_REGISTRY_STORE": store,
        "_MLFLOW_SERVER_ARTIFACT_ROOT": "mlflow-artifacts:/",
        "_MLFLOW_SERVER_ARTIFACT_DESTINATION": settings.artifacts,
        "_MLFLOW_SERVER_SERVE_ARTIFACTS": "true",
    }
    return chosen | ({"MLFLOW_SERVER_ALLOWED_HOSTS": settings.allowed_hosts} if settings.allowed_hosts else {})


def configuration(settings: MlflowSettings) -> str:
    """The file of MLflow's auth app."""
    lines = {
        "default_permission": "NO_PERMISSIONS",
        "database_uri": settings.database_url.get_secret_value(),
        "admin_username": ADMIN,
        "authorization_function": AUTHORIZATION,
        "grant_default_workspace_access": "false",
    }
    # Percent signs are the file format's own escapes.
    body = "\n".join(f"{name} = {value.replace('%', '%%')}" for name, value in lines.items())
    return f"[mlflow]\n{body}\n"


def remove_half_uploaded(artifacts: str) -> None:
    """What a server that was killed left in a local folder, gigabytes perhaps. One server writes there: this one."""
    if urlsplit(artifacts).scheme in ("", "file"):
        for path in Path(unquote(urlsplit(artifacts).path)).rglob(HALF_UPLOADED):
            path.unlink(missing_ok=True)


def main() -> None:
    settings = MlflowSettings()  # pyright: ignore[reportCallIssue] (filled from the environment)
    with tempfile.TemporaryDirectory(prefix="mlp-mlflow-") as folder:
        # The folder is readable by this user alone: the file holds the database's password.
        path = Path(folder) / "auth.ini"
        path.write_text(configuration(settings), encoding="utf-8")
        # Before MLflow is imported: it reads some of them then.
        os.environ.update(environment(settings, path))
        remove_half_uploaded(settings.artifacts)
        uvicorn.run(
            APP,
            factory=True,
            host=settings.host,
            port=settings.port,
            access_log=False,
            timeout_graceful_shutdown=DRAIN_SECONDS,
        )


if __name__ == "__main__":
    main()
