"""`mlp-worker`: one process that relays the outbox to Celery, works on it in threads, and keeps the schedule."""

# celery ships no types.
# pyright: reportUnknownMemberType=false, reportMissingTypeStubs=false, reportUnknownVariableType=false

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Mapping
from functools import partial
from typing import cast

import structlog
from celery import Celery
from celery.beat import EmbeddedService
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from mlp_core import migrate
from mlp_core.kit.health import serve_health
from mlp_core.kit.logs import configure_logs
from mlp_core.outbox.service import CLAIM_SECONDS
from mlp_core.settings import Settings
from mlp_worker import celery_app, metrics
from mlp_worker.bridge import Bridge
from mlp_worker.context import Context, make_context
from mlp_worker.delivery import Delivery
from mlp_worker.effects import EFFECTS, Effect
from mlp_worker.health import Health
from mlp_worker.relay import Relay
from mlp_worker.schedule import ask_for_slot, scheduler_that

SCHEMA_EXIT = 3
DATABASE_EXIT = 5

log = structlog.get_logger(__name__)


def main() -> None:
    settings = Settings()  # pyright: ignore[reportCallIssue] (filled from the environment)
    configure_logs(settings.log_format, "worker")
    _require_schema(settings)
    sys.exit(run(settings, EFFECTS))


def run(settings: Settings, effects: Mapping[str, Effect], claim_seconds: float = CLAIM_SECONDS) -> int:
    """Work until SIGTERM; Celery lets running tasks end first. The exit code."""
    metrics.serve(settings.api_host, settings.metrics_port)
    bridge = Bridge()
    bridge.start()
    context = bridge.run(_make_context(settings))
    app = celery_app.make_app(settings.redis_url)
    delivery = Delivery(context, effects, claim_seconds)
    celery_app.register(app, effects, lambda row_id: bridge.run(delivery.deliver(row_id)))
    background = bridge.submit(_relay_and_answer(context, app))
    background.add_done_callback(lambda done: done.cancelled() or log.error("relay_ended", error=str(done.exception())))
    beat = EmbeddedService(app, thread=True, scheduler_cls=scheduler_that(partial(_ask, bridge, context)))
    beat.start()
    worker = app.Worker(
        pool="threads",
        concurrency=settings.worker_concurrency,
        loglevel="WARNING",
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    worker.start()
    beat.stop()
    bridge.run(context.close())
    bridge.stop()
    return int(cast("int | None", worker.exitcode) or 0)


async def _make_context(settings: Settings) -> Context:
    """On the loop that it belongs to."""
    return make_context(settings)


async def _relay_and_answer(context: Context, app: Celery) -> None:
    async def send(row_id: int, kind: str) -> None:
        await asyncio.to_thread(celery_app.send, app, row_id, kind)

    relay = Relay(context.database, context.settings.database_url, send)
    health = Health(relay, started_at=time.monotonic())
    async with asyncio.TaskGroup() as group:
        group.create_task(relay.run())
        group.create_task(serve_health(context.settings.api_host, context.settings.worker_port, health.state))


def _ask(bridge: Bridge, context: Context, kind: str) -> None:
    """In beat's thread. What cannot be asked now is asked at the next look."""
    try:
        bridge.run(ask_for_slot(context, kind))
    except (SQLAlchemyError, OSError) as error:
        log.warning("schedule_waits_for_database", kind=kind, error=str(error)[:300])


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
