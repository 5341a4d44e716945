"""What the worker's effects run on: one object with every neighbour in it."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass

from mlp_core.gateways.live import Live
from mlp_core.gateways.mlflow import Mlflow
from mlp_core.gateways.objects import ObjectStore
from mlp_core.kit.database import Database
from mlp_core.settings import Settings


@dataclass(frozen=True, slots=True)
class Context:
    name: str
    """Of this worker, for people who look at claims: host and process id."""
    settings: Settings
    database: Database
    objects: ObjectStore
    mlflow: Mlflow
    live: Live

    async def close(self) -> None:
        await self.live.close()
        await self.mlflow.close()
        await self.database.close()


def make_context(settings: Settings) -> Context:
    """Wire a worker to the neighbours that `settings` names; nothing is connected yet."""
    live = Live(settings.redis_url)
    database = Database(
        settings.database_url,
        pool_size=settings.worker_concurrency + 2,
        application_name="mlp-worker",
        wake=live.publish_wake,
    )
    return Context(
        name=f"{socket.gethostname()}:{os.getpid()}",
        settings=settings,
        database=database,
        objects=ObjectStore.from_url(settings.object_store_url),
        mlflow=Mlflow.of(settings),
        live=live,
    )
