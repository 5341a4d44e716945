"""The MLflow server as one process: the app factory that uvicorn is pointed at.

`mlflow server` starts a second process to serve and stays as its parent. Both import all of MLflow, which doubles the
start and adds some 230 MB for a process that only waits. This factory does what that parent does before serving
(schema, stores, admin user) and then returns the same app. It reads the same private variables as the server's own
workers, which is why MLflow is pinned to one exact version.
"""

# MLflow offers no public call to compare and upgrade its schema, and types few of its own.
# pyright: reportPrivateUsage=false, reportUnknownMemberType=false

from __future__ import annotations

import os

from mlflow.server.auth import create_app as create_auth_app
from mlflow.server.constants import BACKEND_STORE_URI_ENV_VAR
from mlflow.server.handlers import initialize_backend_stores
from mlflow.store.db import utils as store

ARTIFACT_ROOT = "mlflow-artifacts:/"
"""Clients send and fetch artifacts through the server."""


def create_app() -> object:
    """Bring the tracking store up to date and build the ASGI app with the platform's authorization."""
    backend = os.environ[BACKEND_STORE_URI_ENV_VAR]
    _upgrade(backend)
    initialize_backend_stores(backend, backend, ARTIFACT_ROOT)
    return create_auth_app()


def _upgrade(backend: str) -> None:
    """Migrate a store that an older MLflow left. An empty one is made by MLflow itself."""
    engine = store.create_sqlalchemy_engine_with_retry(backend)
    try:
        if store._get_schema_version(engine) not in (None, store._get_latest_schema_revision()):
            store._upgrade_db(engine)
    finally:
        engine.dispose()
