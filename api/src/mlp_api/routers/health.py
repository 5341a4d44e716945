"""Whether this process lives, and whether what it needs answers."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable
from datetime import datetime

from fastapi import APIRouter, Response
from pydantic import Field
from sqlalchemy import text

from mlp.schemas.base import Wire
from mlp_api.deps import PlatformDep
from mlp_api.platform import Platform
from mlp_api.versions import CLIENT_VERSION, SERVER_VERSION
from mlp_core.kit.clock import skew_in_words

router = APIRouter(tags=["platform"])

DEADLINE_SECONDS = 2.0
"""For each dependency; they are asked at the same time."""


class ClockSkew(Exception):
    """This machine's clock and Postgres's differ by more than is tolerated."""


class Alive(Wire):
    status: str = Field(examples=["alive"])
    version: str
    client_version: str = Field(description="Of the client that `/client/` serves.")


class Dependency(Wire):
    name: str
    ok: bool
    required: bool = Field(description="Without it nothing works; without the others something is late or missing.")
    milliseconds: float
    message: str


class Readiness(Wire):
    status: str = Field(description="`ready`, `degraded` (something optional is away) or `unavailable`.")
    dependencies: list[Dependency]


@router.get("/healthz", summary="Is this process alive")
async def healthz() -> Alive:
    """Answers as long as the process can answer at all; asks nobody else."""
    return Alive(status="alive", version=SERVER_VERSION, client_version=CLIENT_VERSION)


@router.get("/readyz", summary="Does everything it needs answer", responses={503: {"model": Readiness}})
async def readyz(platform: PlatformDep, response: Response) -> Readiness:
    """Asks each dependency, at most two seconds each. 503 when one that is required does not answer."""
    found = list(
        await asyncio.gather(
            _check("postgres", True, lambda: _check_postgres(platform)),
            _check("clock", False, lambda: _check_clock(platform)),
            _check("object_store", True, platform.objects.check),
            _check("redis", False, platform.live.check),
            _check("mlflow", False, platform.mlflow.workspaces.check),
        )
    )
    if not all(dependency.ok for dependency in found if dependency.required):
        response.status_code = 503
        return Readiness(status="unavailable", dependencies=found)
    all_ok = all(dependency.ok for dependency in found)
    return Readiness(status="ready" if all_ok else "degraded", dependencies=found)


async def _check(name: str, required: bool, ask: Callable[[], Awaitable[object]]) -> Dependency:
    started = time.perf_counter()
    message = "answers"
    try:
        async with asyncio.timeout(DEADLINE_SECONDS):
            await ask()
    except TimeoutError:
        message = f"did not answer within {DEADLINE_SECONDS:g} s"
    except Exception as error:  # noqa: BLE001 - whatever a neighbour fails with, it is its state that is reported
        message = f"{type(error).__name__}: {_first_line(error)}"
    spent = round((time.perf_counter() - started) * 1000, 1)
    return Dependency(name=name, ok=message == "answers", required=required, milliseconds=spent, message=message)


async def _check_postgres(platform: Platform) -> None:
    async with platform.database.engine.connect() as connection:
        await connection.execute(text("SELECT 1"))


async def _check_clock(platform: Platform) -> None:
    async with platform.database.engine.connect() as connection:
        before = platform.clock.now()
        theirs: datetime = (await connection.execute(text("SELECT clock_timestamp()"))).scalar_one()
        after = platform.clock.now()
    skew = (before + (after - before) / 2 - theirs).total_seconds()
    words = skew_in_words(skew)
    if words is not None:
        raise ClockSkew(f"the clock of {socket.gethostname()} is {words} that of Postgres")


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or ["no details"])[0][:200]
