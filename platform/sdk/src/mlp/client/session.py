"""The blocking face of a call: send it, wait, send it again where that is safe."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from mlp import errors
from mlp.client.call import Call, Flow, Response
from mlp.client.exchange import Exchange, Origin, build, problem
from mlp.client.resume import Resume
from mlp.client.retry import RetryPolicy
from mlp.client.sse import ServerEvent
from mlp.client.transport import STREAM_IDLE_SECONDS, ByteStream, Transport

if TYPE_CHECKING:
    from mlp.client.downloads import Download
    from mlp.schemas.base import Page

T = TypeVar("T")

CONNECT_SECONDS = 15.0
_ERROR_BODY_BYTES = 1 << 20


class Session:
    """Sends calls to one platform as one caller. Safe to share between threads."""

    def __init__(
        self,
        origin: Origin,
        transport: Transport,
        *,
        policy: RetryPolicy | None = None,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        chance: random.Random | None = None,
    ) -> None:
        self.origin = origin
        self._transport = transport
        self._policy = policy or RetryPolicy()
        self._now = now
        self._sleep = sleep
        self._chance = chance or random.Random()  # noqa: S311 - spreads retries, guards nothing

    def send(self, call: Call[T]) -> T:
        """The answer to one call.

        Raises:
            Error: the platform refused it, or could not be reached in time.
        """
        exchange = Exchange(call, self.origin, self._policy, now=self._now, chance=self._chance)
        while True:
            try:
                response = self._transport.send(exchange.request, exchange.remaining_seconds())
            except errors.PlatformUnreachable as error:
                self._sleep(exchange.failed(error))
                continue
            pause = exchange.answered(response)
            if pause is None:
                return exchange.result
            self._sleep(pause)

    def run(self, flow: Flow[T]) -> T:
        """Run an operation of several calls."""
        try:
            call = next(flow)
            while True:
                call = flow.send(self.send(call))
        except StopIteration as done:
            return done.value

    def rows(self, call: Call[Page[T]]) -> Iterator[T]:
        """Every row of a list, page by page, with no cap."""
        while True:
            page = self.send(call)
            yield from page.items
            if page.next is None:
                return
            call = call.after(page.next)

    def raw_pages(self, call: Call[Any]) -> Iterator[dict[str, Any]]:
        """Every page of a list, as plain values."""
        call = call.raw()
        while True:
            page: dict[str, Any] = self.send(call)
            yield page
            if page.get("next") is None:
                return
            call = call.after(page["next"])

    def events(
        self,
        call: Call[None],
        *,
        ends: frozenset[str] = frozenset(),
        on_lost: Callable[[errors.Error | None], None] | None = None,
    ) -> Iterator[ServerEvent]:
        """A stream of events until one of `ends`; broken connections are opened again behind the last event."""
        state = Resume(call, self.origin, ends=ends, now=self._now, chance=self._chance)
        while not state.ended:
            lost: errors.Error | None = None
            try:
                with self._transport.stream(
                    state.request(), connect_seconds=CONNECT_SECONDS, idle_seconds=STREAM_IDLE_SECONDS
                ) as stream:
                    if stream.status != 200:
                        self._sleep(state.refused(_response(stream)))
                        continue
                    for piece in stream:
                        yield from state.feed(piece)
                        if state.ended:
                            return
            except errors.PlatformUnreachable as error:
                lost = error
            pause = state.lost(lost)
            if on_lost is not None:
                on_lost(lost)
            self._sleep(pause)

    @contextmanager
    def download(self, call: Call[bytes]) -> Generator[Iterator[bytes]]:
        """The bytes of an answer as they come; never all in memory."""
        request = build(call, self.origin)
        with self._transport.stream(
            request, connect_seconds=CONNECT_SECONDS, idle_seconds=STREAM_IDLE_SECONDS
        ) as stream:
            if stream.status not in (200, 206):
                raise problem(_response(stream), self.origin.url)
            yield iter(stream)

    def fetch(self, download: Download) -> None:
        """Bring a download to its end, over broken connections too.

        Raises:
            DownloadFailed: what came is not what is stored.
        """
        with download:
            while not download.is_whole:
                lost: errors.Error | None = None
                try:
                    with self.download(download.call()) as pieces:
                        for piece in pieces:
                            download.write(piece)
                except (errors.PlatformUnreachable, errors.Unavailable) as error:
                    lost = error
                if not download.is_whole:
                    tries = download.broke(lost, self._policy.tries)
                    self._sleep(self._policy.pause_seconds(tries, self._chance))
            download.finish()

    def close(self) -> None:
        self._transport.close()


def _response(stream: ByteStream) -> Response:
    body = bytearray()
    for piece in stream:
        body += piece
        if len(body) > _ERROR_BODY_BYTES:
            break
    return Response(stream.status, stream.headers, bytes(body))
