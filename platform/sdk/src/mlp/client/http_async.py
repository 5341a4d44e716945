"""The non-blocking transport, on httpx."""

from __future__ import annotations

import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from urllib.parse import urlsplit

import httpx

from mlp import errors
from mlp.client import tls
from mlp.client.call import Request, Response
from mlp.client.http_sync import unreachable
from mlp.client.proxies import proxy_for
from mlp.client.transport import AsyncByteStream


class HttpxTransport:
    """Sends requests to one platform. `inner` stands in for the network in tests."""

    def __init__(self, url: str, ca_file: str | None = None, *, inner: httpx.AsyncBaseTransport | None = None) -> None:
        self._url = url
        self._host = urlsplit(url).hostname or url
        self._proxy = proxy_for(url)
        proxy = httpx.Proxy(self._proxy.url, headers=self._proxy.headers) if self._proxy else None
        verify = tls.context(ca_file) if url.startswith("https") else True
        self._client = httpx.AsyncClient(
            transport=inner, verify=verify, proxy=proxy, trust_env=False, follow_redirects=False
        )

    async def send(self, request: Request, timeout_seconds: float) -> Response:
        with self._translated(timeout_seconds):
            answer = await self._client.request(
                request.method,
                request.url,
                headers=dict(request.headers),
                content=request.body,
                timeout=timeout_seconds,
            )
            return Response(answer.status_code, dict(answer.headers), answer.content)

    @asynccontextmanager
    async def stream(
        self, request: Request, *, connect_seconds: float, idle_seconds: float
    ) -> AsyncGenerator[AsyncByteStream]:
        timeout = httpx.Timeout(connect_seconds, read=idle_seconds)
        built = self._client.build_request(
            request.method, request.url, headers=dict(request.headers), content=request.body, timeout=timeout
        )
        with self._translated(connect_seconds):
            answer = await self._client.send(built, stream=True)
        try:
            yield _Stream(self, answer, idle_seconds)
        finally:
            await answer.aclose()

    async def close(self) -> None:
        await self._client.aclose()

    @contextmanager
    def _translated(self, timeout_seconds: float) -> Generator[None]:
        try:
            yield
        except httpx.TimeoutException:
            raise errors.DeadlineExceeded(
                f"The platform at {self._url} did not answer within {timeout_seconds:.0f} s."
            ) from None
        except httpx.TransportError as error:
            refused = _certificate_error(error)
            if refused is not None:
                raise tls.refusal(refused, self._host, None) from None
            raise unreachable(self._url, self._proxy, _root(error)) from None


class _Stream:
    def __init__(self, owner: HttpxTransport, answer: httpx.Response, idle_seconds: float) -> None:
        self.status = answer.status_code
        self.headers: Mapping[str, str] = answer.headers
        self._owner = owner
        self._answer = answer
        self._idle_seconds = idle_seconds

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with self._owner._translated(self._idle_seconds):  # pyright: ignore[reportPrivateUsage]
            async for piece in self._answer.aiter_bytes():
                yield piece


def _chain(error: BaseException) -> Generator[BaseException]:
    current: BaseException | None = error
    while current is not None:
        yield current
        current = current.__cause__ or current.__context__


def _certificate_error(error: BaseException) -> ssl.SSLCertVerificationError | None:
    return next((link for link in _chain(error) if isinstance(link, ssl.SSLCertVerificationError)), None)


def _root(error: Exception) -> Exception:
    """The operating system's own error below httpx's, where there is one."""
    found = [link for link in _chain(error) if isinstance(link, OSError)]
    return found[-1] if found else error
