"""Settings: one frozen group, read once by each `main` and passed down."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """What every service needs to find its neighbours. Variables start with `MLP_`."""

    model_config = SettingsConfigDict(env_prefix="MLP_", frozen=True, extra="ignore")

    database_url: str = Field(description="SQLAlchemy URL of Postgres, driver psycopg.")
    redis_url: str = "redis://127.0.0.1:6379/0"
    object_store_url: str = Field(description="`file:///folder` or `s3://bucket/prefix`.")
    secret_key: SecretStr = Field(min_length=32, description="Signs job and MLflow tokens (HS256).")
    public_url: str = "http://127.0.0.1:8080"
    """What people type; links start with it."""
    internal_url: str | None = None
    """How jobs reach the api, where that differs from `public_url`."""
    mlflow_url: str = "http://127.0.0.1:5000"
    data_dir: Path = Path("/var/lib/mlp")
    engine: Literal["local", "kubernetes"] = "local"
    api_host: str = Field(default="127.0.0.1", description="Address that this process listens on, with all its ports.")
    api_port: int = 8080
    metrics_port: int = Field(default=0, description="Prometheus port of this process; 0 = off.")
    session_hours: float = Field(default=168, gt=0, le=8784, description="How long a browser stays signed in.")
    web_dir: Path | None = Field(default=None, description="The built web application, where it is not beside the api.")
    log_format: Literal["json", "console"] = "json"
    database_pool: int = 10
    operator_concurrency: int = 8
    worker_concurrency: int = 4
    operator_port: int = Field(default=0, description="Port of the operator's /healthz; 0 = off.")
    worker_port: int = Field(default=0, description="Port of the worker's /healthz; 0 = off.")
    log_retention_days: int = 90
    package_retention_days: int = 90
    environment_retention_days: int = 90
    overlay_retention_days: int = Field(default=30, ge=1, description="Installed environments, from their last use.")
    checkpoint_retention_days: int = Field(default=30, ge=1, description="Checkpoints, from the end of their job.")
    project_purge_days: int = Field(default=7, ge=0, description="From a project's deletion to that of all it had.")
    artifact_max_files: int = Field(default=10_000, ge=0, description="Files that an attempt can leave.")
    artifact_max_bytes: int = Field(default=100 * 2**30, ge=0, description="Bytes of all of them together.")
    artifact_seconds: float = Field(default=1800, gt=0, description="How long an ended attempt may go on storing them.")

    @property
    def job_api_url(self) -> str:
        return self.internal_url or self.public_url
