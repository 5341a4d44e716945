"""Live fan-out over Redis: tells readers in any process that there is something new to look at.

Nothing travels here but the names of channels, so losing Redis loses nothing: every subscription also ticks by
itself, and readers always read Postgres and the object store.
"""

# redis leaves the type of its `**kwargs` open, so every call of it is "partially unknown".
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any, cast

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

WAKE_CHANNEL = "mlp:wake"
"""One Redis channel for all; a message is the names of our channels, one a line."""
PUBLISH_SECONDS = 1.0
MUTED_SECONDS = 5.0
"""After a failed publish the next ones are left out for this long, so that no request waits for a dead Redis."""
TICK_SECONDS = 2.0
REST_SECONDS = 0.05
"""Least time between two wake-ups of one subscriber: a burst of messages is one look."""
RECONNECT_SECONDS = 1.0

_log = structlog.get_logger(__name__)
_FAULTS = (RedisError, OSError, TimeoutError)


def project_channel(project_id: str) -> str:
    return f"project:{project_id}"


def logs_channel(attempt_id: str) -> str:
    return f"logs:{attempt_id}"


class Live:
    """One publisher and one listener per process, however many readers it serves."""

    def __init__(self, url: str, *, tick_seconds: float = TICK_SECONDS) -> None:
        self._url = url
        self._tick_seconds = tick_seconds
        self._publisher: Redis = Redis.from_url(
            url, socket_timeout=PUBLISH_SECONDS, socket_connect_timeout=PUBLISH_SECONDS
        )
        self._muted_until = 0.0
        self._subscribers: dict[str, set[asyncio.Event]] = {}
        self._listener: asyncio.Task[None] | None = None

    async def publish_wake(self, channels: frozenset[str]) -> None:
        """Wake the readers of `channels` everywhere. Never raises, and never takes longer than a second."""
        if not channels or time.monotonic() < self._muted_until:
            return
        try:
            async with asyncio.timeout(PUBLISH_SECONDS):
                await self._publisher.publish(WAKE_CHANNEL, "\n".join(sorted(channels)))
        except _FAULTS as error:
            self._muted_until = time.monotonic() + MUTED_SECONDS
            _log.warning("live_publish_failed", error=str(error) or type(error).__name__)

    @asynccontextmanager
    async def subscribe(
        self, channels: Iterable[str], *, rest_seconds: float = REST_SECONDS
    ) -> AsyncGenerator[AsyncIterator[None]]:
        """Wake-ups of `channels`: one at once, then one per message or tick, at least `rest_seconds` apart."""
        names = frozenset(channels)
        event = asyncio.Event()
        self._start_listening()
        for name in names:
            self._subscribers.setdefault(name, set()).add(event)
        try:
            yield self._wake_ups(event, rest_seconds)
        finally:
            for name in names:
                readers = self._subscribers[name]
                readers.discard(event)
                if not readers:
                    del self._subscribers[name]

    async def check(self) -> None:
        """Whether Redis answers; for `/readyz`. Raises `RedisError`, `OSError` or `TimeoutError`."""
        async with asyncio.timeout(PUBLISH_SECONDS):
            await self._publisher.ping()

    async def close(self) -> None:
        if self._listener is not None:
            self._listener.cancel()
            await asyncio.gather(self._listener, return_exceptions=True)
            self._listener = None
        await self._publisher.aclose()

    async def _wake_ups(self, event: asyncio.Event, rest_seconds: float) -> AsyncIterator[None]:
        while True:
            event.clear()
            yield
            await asyncio.sleep(rest_seconds)
            try:
                async with asyncio.timeout(self._tick_seconds):
                    await event.wait()
            except TimeoutError:
                continue

    def _start_listening(self) -> None:
        if self._listener is None or self._listener.done():
            self._listener = asyncio.create_task(self._listen_forever(), name="live-listener")

    async def _listen_forever(self) -> None:
        while True:
            try:
                await self._listen()
            except _FAULTS as error:
                _log.warning("live_listener_lost", error=str(error) or type(error).__name__)
                await asyncio.sleep(RECONNECT_SECONDS)

    async def _listen(self) -> None:
        redis: Redis = Redis.from_url(self._url, socket_connect_timeout=PUBLISH_SECONDS, health_check_interval=15)
        async with redis, redis.pubsub(ignore_subscribe_messages=True) as pubsub:
            await pubsub.subscribe(WAKE_CHANNEL)
            # What was published while nobody listened is lost: everyone looks once.
            self._wake(self._subscribers)
            while True:
                message = cast("dict[str, Any] | None", await pubsub.get_message(timeout=15))
                if message is not None:
                    self._wake(message["data"].decode(errors="replace").split("\n"))

    def _wake(self, channels: Iterable[str]) -> None:
        for name in channels:
            for event in self._subscribers.get(name, ()):
                event.set()
