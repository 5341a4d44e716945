"""The non-blocking face of a call; `session` is its twin."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar

from mlp import errors
from mlp.client.call import Call, Flow, Response
from mlp.client.exchange import Exchange, Origin, build, problem
from mlp.client.resume import Resume
from mlp.client.retry import RetryPolicy
from mlp.client.session import CONNECT_SECONDS
from mlp.client.sse import ServerEvent
from mlp.client.transport import STREAM_IDLE_SECONDS, AsyncByteStream, AsyncTransport

if TYPE_CHECKING:
    from mlp.client.downloads import Download
    from mlp.schemas.base import Page

T = TypeVar("T")


class AsyncSession:
    """Sends calls to one platform as one caller, from one event loop."""

    def __init__(
        self,
        origin: Origin,
        transport: AsyncTransport,
        *,
        policy: RetryPolicy | None = None,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: random.Random | None = None,
    ) -> None:
        self.origin = origin
        self._transport = transport
        self._policy = policy or RetryPolicy()
        self._now = now
        self._sleep = sleep
        self._chance = chance or random.Random()  # noqa: S311 - spreads retries, guards nothing

    async def send(self, call: Call[T]) -> T:
        """The answer to one call.

        Raises:
            Error: the platform refused it, or could not be reached in time.
        """
        exchange = Exchange(call, self.origin, self._policy, now=self._now, chance=self._chance)
        while True:
            try:
                response = await self._transport.send(exchange.request, exchange.remaining_seconds())
            except errors.PlatformUnreachable as error:
                await self._sleep(exchange.failed(error))
                continue
            pause = exchange.answered(response)
            if pause is None:
                return exchange.result
            await self._sleep(pause)

    async def run(self, flow: Flow[T]) -> T:
        """Run an operation of several calls."""
        try:
            call = next(flow)
            while True:
                call = flow.send(await self.send(call))
        except StopIteration as done:
            return done.value

    async def rows(self, call: Call[Page[T]]) -> AsyncIterator[T]:
        """Every row of a list, page by page, with no cap."""
        while True:
            page = await self.send(call)
            for item in page.items:
                yield item
            if page.next is None:
                return
            call = call.after(page.next)

    async def events(self, call: Call[None], *, ends: frozenset[str] = frozenset()) -> AsyncIterator[ServerEvent]:
        """A stream of events until one of `ends`; broken connections are opened again behind the last event."""
        state = Resume(call, self.origin, ends=ends, now=self._now, chance=self._chance)
        while not state.ended:
            lost: errors.Error | None = None
            try:
                async with self._transport.stream(
                    state.request(), connect_seconds=CONNECT_SECONDS, idle_seconds=STREAM_IDLE_SECONDS
                ) as stream:
                    if stream.status != 200:
                        await self._sleep(state.refused(await _response(stream)))
                        continue
                    async for piece in stream:
                        for event in state.feed(piece):
                            yield event
                        if state.ended:
                            return
            except errors.PlatformUnreachable as error:
                lost = error
            await self._sleep(state.lost(lost))

    @asynccontextmanager
    async def download(self, call: Call[bytes]) -> AsyncGenerator[AsyncIterator[bytes]]:
        """The bytes of an answer as they come; never all in memory."""
        async with self._transport.stream(
            build(call, self.origin), connect_seconds=CONNECT_SECONDS, idle_seconds=STREAM_IDLE_SECONDS
        ) as stream:
            if stream.status not in (200, 206):
                raise problem(await _response(stream), self.origin.url)
            yield aiter(stream)

    async def fetch(self, download: Download) -> None:
        """Bring a download to its end, over broken connections too; see `Session.fetch`."""
        with download:
            while not download.is_whole:
                lost: errors.Error | None = None
                try:
                    async with self.download(download.call()) as pieces:
                        async for piece in pieces:
                            await asyncio.to_thread(download.write, piece)
                except (errors.PlatformUnreachable, errors.Unavailable) as error:
                    lost = error
                if not download.is_whole:
                    tries = download.broke(lost, self._policy.tries)
                    await self._sleep(self._policy.pause_seconds(tries, self._chance))
            download.finish()

    async def close(self) -> None:
        await self._transport.close()


async def _response(stream: AsyncByteStream) -> Response:
    body = bytearray()
    async for piece in stream:
        body += piece
    return Response(stream.status, stream.headers, bytes(body))
