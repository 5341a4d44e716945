"""The small answer of processes that serve nothing else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus

import httpx
import pytest

from mlp_core.kit.health import serve_health
from support.ports import free_port
from support.waiting import eventually


@pytest.mark.parametrize("status", [HTTPStatus.OK, HTTPStatus.SERVICE_UNAVAILABLE])
async def test_the_state_is_what_is_answered(status: HTTPStatus) -> None:
    port = free_port()

    def state() -> tuple[HTTPStatus, Mapping[str, object]]:
        return status, {"waits_for": "database"}

    serving = asyncio.create_task(serve_health("127.0.0.1", port, state))
    try:
        async with httpx.AsyncClient(trust_env=False) as client:

            async def ask() -> httpx.Response | None:
                with suppress(httpx.ConnectError):
                    return await client.get(f"http://127.0.0.1:{port}/healthz")
                return None

            answer = await eventually(ask)
    finally:
        serving.cancel()
    assert answer.status_code == status
    assert json.loads(answer.content) == {"waits_for": "database"}


async def test_readiness_is_asked_for_by_its_path() -> None:
    port = free_port()
    serving = asyncio.create_task(
        serve_health("127.0.0.1", port, lambda: (HTTPStatus.OK, {}), lambda: (HTTPStatus.SERVICE_UNAVAILABLE, {}))
    )
    try:
        async with httpx.AsyncClient(trust_env=False) as client:

            async def ask() -> list[int] | None:
                with suppress(httpx.ConnectError):
                    paths = ("healthz", "readyz")
                    return [(await client.get(f"http://127.0.0.1:{port}/{path}")).status_code for path in paths]
                return None

            assert await eventually(ask) == [200, 503]
    finally:
        serving.cancel()


async def test_port_0_listens_to_nobody() -> None:
    await serve_health("127.0.0.1", 0, lambda: (HTTPStatus.OK, {}))
