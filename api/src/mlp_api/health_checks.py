"""Whether what the api needs answers: each neighbour is asked at the same time, and given little time."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from sqlalchemy import text

from mlp.schemas.health import Dependency
from mlp_api.platform import Platform
from mlp_core.kit.clock import skew_in_words

DEADLINE_SECONDS = 2.0
"""For each dependency; they are asked at the same time."""


class ClockSkew(Exception):
    """This machine's clock and Postgres's differ by more than is tolerated."""


async def check_all(platform: Platform) -> list[Dependency]:
    return list(
        await asyncio.gather(
            _check("postgres", True, lambda: _check_postgres(platform)),
            _check("clock", False, lambda: _check_clock(platform)),
            _check("object_store", True, platform.objects.check),
            _check("redis", False, platform.live.check),
            _check("mlflow", False, platform.mlflow.workspaces.check),
        )
    )


def status_of(dependencies: Sequence[Dependency]) -> str:
    if not all(dependency.ok for dependency in dependencies if dependency.required):
        return "unavailable"
    return "ready" if all(dependency.ok for dependency in dependencies) else "degraded"


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
