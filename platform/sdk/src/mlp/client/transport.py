"""The two ports through which bytes leave: one that blocks and one that does not."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Protocol

from mlp.client.call import Request, Response

STREAM_IDLE_SECONDS = 60.0
"""The platform sends a comment at least every 15 s; silence of four times that means the line is dead."""


class ByteStream(Protocol):
    """An open answer. Iterating gives its bytes as they come."""

    status: int
    headers: Mapping[str, str]

    def __iter__(self) -> Iterator[bytes]: ...


class AsyncByteStream(Protocol):
    status: int
    headers: Mapping[str, str]

    def __aiter__(self) -> AsyncIterator[bytes]: ...


class Transport(Protocol):
    """Sends one request. Every failure to get an answer is a `PlatformUnreachable`."""

    def send(self, request: Request, timeout_seconds: float) -> Response: ...

    def stream(
        self, request: Request, *, connect_seconds: float, idle_seconds: float
    ) -> AbstractContextManager[ByteStream]:
        """The answer as it comes; `idle_seconds` without a byte is a failure."""
        ...

    def close(self) -> None: ...


class AsyncTransport(Protocol):
    async def send(self, request: Request, timeout_seconds: float) -> Response: ...

    def stream(
        self, request: Request, *, connect_seconds: float, idle_seconds: float
    ) -> AbstractAsyncContextManager[AsyncByteStream]: ...

    async def close(self) -> None: ...
