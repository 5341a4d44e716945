"""`mlp-api`: one process that serves HTTP."""

from __future__ import annotations

import sys

import uvicorn
from sqlalchemy.exc import OperationalError

from mlp_api import metrics
from mlp_api.app import create_app
from mlp_api.platform import make_platform
from mlp_core import migrate
from mlp_core.kit.logs import configure_logs
from mlp_core.settings import Settings

DRAIN_SECONDS = 10
"""How long open requests may go on after SIGTERM; streams are ended and resume elsewhere."""
SCHEMA_EXIT = 3
DATABASE_EXIT = 5


def main() -> None:
    settings = Settings()  # pyright: ignore[reportCallIssue] (filled from the environment)
    configure_logs(settings.log_format, "api")
    _require_schema(settings)
    metrics.serve(settings.api_host, settings.metrics_port)
    uvicorn.run(
        create_app(make_platform(settings)),
        host=settings.api_host,
        port=settings.api_port,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=DRAIN_SECONDS,
        timeout_keep_alive=75,
    )


def _require_schema(settings: Settings) -> None:
    try:
        migrate.require_usable(settings.database_url)
    except (migrate.SchemaAhead, migrate.SchemaBehind) as error:
        sys.stderr.write(f"{error.detail} {error.hint or ''}\n")
        sys.exit(SCHEMA_EXIT)
    except OperationalError as error:
        sys.stderr.write(f"The database does not answer: {error.orig}\n")
        sys.exit(DATABASE_EXIT)


if __name__ == "__main__":
    main()
