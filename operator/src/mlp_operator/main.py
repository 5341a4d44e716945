"""`mlp-operator`: the process that makes the world match the rows. Any number of them may run at once."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import timedelta
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import structlog
from prometheus_client import start_http_server

from mlp_core.dashboards.service import tokens_sealer
from mlp_core.gateways.jobtokens import JobTokens
from mlp_core.gateways.live import Live
from mlp_core.gateways.mlflow import Mlflow
from mlp_core.gateways.objects import ObjectStore
from mlp_core.kit.database import Database
from mlp_core.kit.health import serve_health
from mlp_core.kit.logs import configure_logs
from mlp_core.logs.segments import SegmentStore
from mlp_core.logs.tail import StoredTail
from mlp_core.settings import Settings
from mlp_operator.dashboards import DashboardNotes
from mlp_operator.engines.local.engine import LocalEngine
from mlp_operator.engines.local.retention import Retention
from mlp_operator.engines.local.settings import LocalSettings
from mlp_operator.engines.port import ComputeEngine
from mlp_operator.health import Health
from mlp_operator.listening import DueSignal
from mlp_operator.loop import Loop
from mlp_operator.orphans import sweep_forever
from mlp_operator.packages import StoredPackages
from mlp_operator.queue_places import QueuePlaces
from mlp_operator.reconcilers.clusters import ClusterReconciler
from mlp_operator.reconcilers.environments import EnvironmentReconciler
from mlp_operator.reconcilers.jobs import JobReconciler
from mlp_operator.render.specs import Links
from mlp_operator.resolver import Resolver
from mlp_operator.retention import retain_forever
from mlp_operator.tracking import MlflowTracking
from mlp_operator.verdicts import Verdicts

PINNED = ("ray",)
"""Packages of the platform that a job's environment must not change: both ends of a Ray cluster must agree."""
_CACHE_BYTES = 8 * 2**20
Helper = Callable[[], Coroutine[Any, Any, None]]

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Operator:
    """Everything one operator process is made of."""

    database: Database
    engine: ComputeEngine
    live: Live
    mlflow: Mlflow
    due: DueSignal
    loop: Loop
    places: QueuePlaces
    settings: Settings
    engine_helpers: tuple[Helper, ...] = ()
    """What the engine needs to run beside the loop."""

    async def run(self, stop: asyncio.Event) -> None:
        """Until `stop` is set. Clusters live on and are adopted by the next operator."""
        health = Health(self.loop, started_at=time.monotonic())
        helpers = [
            asyncio.create_task(
                serve_health(self.settings.api_host, self.settings.operator_port, health.state, health.ready)
            ),
            asyncio.create_task(self.due.listen()),
            asyncio.create_task(sweep_forever(self.database, self.engine)),
            asyncio.create_task(self.places.keep_forever()),
            asyncio.create_task(self._clear_disk()),
            *(asyncio.create_task(helper()) for helper in self.engine_helpers),
        ]
        try:
            await self.loop.run(stop)
        finally:
            for helper in helpers:
                helper.cancel()
            await asyncio.gather(*helpers, return_exceptions=True)
            await self.close()

    async def _clear_disk(self) -> None:
        overlays = timedelta(days=self.settings.overlay_retention_days)
        checkpoints = timedelta(days=self.settings.checkpoint_retention_days)
        await retain_forever(self.database, Retention(self.settings.data_dir), overlays, checkpoints)

    async def close(self) -> None:
        await self.engine.close()
        await self.live.close()
        await self.mlflow.close()
        await self.database.close()


def make_operator(settings: Settings, *, owner: str | None = None) -> Operator:
    """Wire one operator to the neighbours that `settings` names; nothing is connected yet."""
    live = Live(settings.redis_url)
    database = Database(
        settings.database_url,
        pool_size=settings.operator_concurrency + 2,
        application_name="mlp-operator",
        wake=live.publish_wake,
    )
    objects = ObjectStore.from_url(settings.object_store_url)
    engine, helpers = _engine(settings, database, objects)
    mlflow = Mlflow.of(settings)
    due = DueSignal(settings.database_url)
    verdicts = Verdicts(database)
    dashboards = DashboardNotes(database, engine, tokens_sealer(settings.secret_key.get_secret_value()))
    jobs = JobReconciler(
        database=database,
        engine=engine,
        tracking=MlflowTracking(mlflow, settings.public_url),
        logs=StoredTail(database, SegmentStore(objects, _CACHE_BYTES)),
        tokens=JobTokens(settings.secret_key.get_secret_value()),
        verdicts=verdicts,
        links=Links(api_url=settings.job_api_url),
        dashboards=dashboards,
    )
    clusters = ClusterReconciler(database, engine, verdicts, dashboards)
    environments = EnvironmentReconciler(database, Resolver(_uv(), platform_pins()))
    loop = Loop(
        database,
        (jobs, clusters, environments),
        due,
        owner=owner or f"{socket.gethostname()}:{os.getpid()}",
        concurrency=settings.operator_concurrency,
    )
    places = QueuePlaces(database, engine, verdicts)
    return Operator(database, engine, live, mlflow, due, loop, places, settings, helpers)


def _engine(settings: Settings, database: Database, objects: ObjectStore) -> tuple[ComputeEngine, tuple[Helper, ...]]:
    """The engine that the settings name, and what must run beside it."""
    if settings.engine == "kubernetes":
        # Its client costs a second and 50 MB to import, and is installed only where it is used.
        from mlp_operator.engines.kubernetes.wiring import make_engine

        return make_engine(database)
    local = LocalSettings(
        data_dir=settings.data_dir,
        api_url=settings.job_api_url,
        artifact_seconds=settings.artifact_seconds,
        artifact_max_files=settings.artifact_max_files,
        artifact_max_bytes=settings.artifact_max_bytes,
    )
    return LocalEngine(local, StoredPackages(database, objects)), ()


def platform_pins() -> tuple[str, ...]:
    """`name==version` of what the platform itself runs and a job must not change."""
    pins: list[str] = []
    for name in PINNED:
        try:
            pins.append(f"{name}=={version(name)}")
        except PackageNotFoundError:
            continue
    return tuple(pins)


def _uv() -> Path:
    beside = Path(sys.executable).parent / "uv"
    return beside if beside.exists() else Path("uv")


async def _run(settings: Settings) -> None:
    stop = asyncio.Event()
    running = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        running.add_signal_handler(number, stop.set)
    await make_operator(settings).run(stop)


def main() -> None:
    settings = Settings()  # pyright: ignore[reportCallIssue] (filled from the environment)
    configure_logs(settings.log_format, "operator")
    if settings.metrics_port:
        start_http_server(settings.metrics_port, addr=settings.api_host)
    asyncio.run(_run(settings))


if __name__ == "__main__":
    main()
