"""The relay looks when it is told to, not only when it would have looked anyway."""

from __future__ import annotations

import asyncio

import pytest

from mlp_api.platform import Platform
from mlp_core.outbox import service as outbox
from mlp_core.settings import Settings
from mlp_worker import relay
from mlp_worker.relay import Relay


async def test_a_commit_is_heard_long_before_the_next_look(
    platform: Platform, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relay, "POLL_SECONDS", 3600.0)
    sent: asyncio.Queue[str] = asyncio.Queue()

    async def send(_row: int, kind: str) -> None:
        await sent.put(kind)

    running = asyncio.create_task(Relay(platform.database, settings.database_url, send).run())
    try:
        async with asyncio.timeout(60):
            for kind in ("test.first", "test.second"):
                async with platform.database.transaction() as session:
                    await outbox.enqueue(session, kind, "key")
                assert await sent.get() == kind
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
