"""The least that a create can cost: FastAPI checks a document, Postgres keeps it, one commit."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, FastAPI, Request
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from mlp.schemas.jobs import JobCreate

TABLE = "bench_floor"


def create() -> FastAPI:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        engine = create_async_engine(os.environ["BENCH_DATABASE"])
        async with engine.begin() as connection:
            await connection.execute(text(f"CREATE TABLE IF NOT EXISTS {TABLE} (id bigserial PRIMARY KEY, spec jsonb)"))
        app.state.engine = engine
        yield
        async with engine.begin() as connection:
            await connection.execute(text(f"DROP TABLE {TABLE}"))
        await engine.dispose()

    app = FastAPI(lifespan=lifespan)

    @app.post("/jobs", status_code=201)
    async def add(wanted: JobCreate, engine: Annotated[AsyncEngine, Depends(_engine)]) -> dict[str, int]:
        async with engine.begin() as connection:
            insert = text(f"INSERT INTO {TABLE} (spec) VALUES (CAST(:spec AS jsonb)) RETURNING id")
            row = await connection.execute(insert, {"spec": json.dumps(wanted.model_dump(mode="json"))})
            return {"id": row.scalar_one()}

    @app.get("/healthz")
    async def healthz() -> dict[str, str]:
        return {"status": "ok"}

    return app


def _engine(request: Request) -> AsyncEngine:
    return request.app.state.engine
