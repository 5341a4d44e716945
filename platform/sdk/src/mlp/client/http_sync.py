"""The blocking transport, on the standard library.

httpx takes longer to import than a command may take in all, so the command line and the synchronous client do
without it. Connections are kept and shared by threads; every wait is bounded.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urlsplit

from mlp import errors
from mlp.client import tls
from mlp.client.call import Request, Response
from mlp.client.certificate import Certificate, decode
from mlp.client.proxies import Proxy, proxy_for
from mlp.client.transport import ByteStream

_KEPT = 8
_STALE = (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError, ConnectionAbortedError)
_READ_BYTES = 64 * 1024


class HttpTransport:
    """Sends requests to one platform."""

    def __init__(self, url: str, ca_file: str | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise errors.ConfigError(
                f"'{url}' is not a URL of a platform.", hint="Give one such as https://mlp.example.com."
            )
        self._url = url
        self._host = parts.hostname
        self._secure = parts.scheme == "https"
        self._port = parts.port or (443 if self._secure else 80)
        self._ca_file = ca_file
        self._context: ssl.SSLContext | None = None
        self._proxy = proxy_for(url)
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def send(self, request: Request, timeout_seconds: float) -> Response:
        until = time.monotonic() + timeout_seconds
        with self._translated(timeout_seconds):
            connection, answer = self._exchange(request, timeout_seconds)
            try:
                body = _read_all(connection, answer, until)
            except BaseException:
                connection.close()
                raise
            if answer.will_close:
                connection.close()
            else:
                self._give_back(connection)
            return Response(answer.status, _headers(answer), body)

    @contextmanager
    def stream(self, request: Request, *, connect_seconds: float, idle_seconds: float) -> Generator[ByteStream]:
        with self._translated(connect_seconds):
            connection, answer = self._exchange(request, connect_seconds)
        try:
            if connection.sock is not None:
                connection.sock.settimeout(idle_seconds)
            yield _Stream(self, answer, idle_seconds)
        finally:
            connection.close()

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _exchange(
        self, request: Request, timeout_seconds: float
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        """Send on a kept connection; on a fresh one where the other side had closed the kept one meanwhile."""
        kept = self._take()
        if kept is not None:
            try:
                return kept, self._send_on(kept, request, timeout_seconds)
            except _STALE:
                kept.close()
        fresh = self._connection(timeout_seconds, self._trusting())
        try:
            return fresh, self._send_on(fresh, request, timeout_seconds)
        except BaseException:
            fresh.close()
            raise

    def _send_on(
        self, connection: http.client.HTTPConnection, request: Request, timeout_seconds: float
    ) -> http.client.HTTPResponse:
        if connection.sock is not None:
            connection.sock.settimeout(timeout_seconds)
        headers = dict(request.headers)
        if self._proxy is not None and not self._secure:
            headers |= self._proxy.headers
        connection.request(request.method, self._target(request.url), body=request.body, headers=headers)
        return connection.getresponse()

    def _target(self, url: str) -> str:
        if self._proxy is not None and not self._secure:
            return url  # a plain proxy is told the whole address
        parts = urlsplit(url)
        return f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"

    def _take(self) -> http.client.HTTPConnection | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _give_back(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if len(self._idle) < _KEPT:
                self._idle.append(connection)
                return
        connection.close()

    def _trusting(self) -> ssl.SSLContext | None:
        if self._secure and self._context is None:
            self._context = tls.context(self._ca_file)
        return self._context

    def _connection(self, timeout_seconds: float, context: ssl.SSLContext | None) -> http.client.HTTPConnection:
        proxy: Proxy | None = self._proxy
        host, port = (proxy.host, proxy.port) if proxy else (self._host, self._port)
        if not self._secure:
            return http.client.HTTPConnection(host, port, timeout=timeout_seconds)
        connection = http.client.HTTPSConnection(host, port, timeout=timeout_seconds, context=context)
        if proxy is not None:
            connection.set_tunnel(self._host, self._port, headers=proxy.headers)
        return connection

    @contextmanager
    def _translated(self, timeout_seconds: float) -> Generator[None]:
        """Everything that can happen on the wire, as errors of ours."""
        try:
            yield
        except ssl.SSLCertVerificationError as error:
            raise tls.refusal(error, self._host, self._certificate()) from None
        except TimeoutError:
            raise errors.DeadlineExceeded(
                f"The platform at {self._url} did not answer within {timeout_seconds:.0f} s.",
                hint="Check the network, or that the platform is not overloaded.",
            ) from None
        except socket.gaierror as error:
            raise errors.PlatformUnreachable(
                f"The host name '{self._host}' is not known here ({error.strerror}).",
                hint="Check the URL and the network.",
            ) from None
        except (OSError, http.client.HTTPException) as error:
            raise unreachable(self._url, self._proxy, error) from None

    def _certificate(self) -> Certificate | None:
        """What the other side shows, to name it in the error. Nothing is sent on this connection."""
        connection = self._connection(3.0, tls.unverified_context())
        try:
            connection.connect()
            socket_ = connection.sock
            seen = socket_.getpeercert(binary_form=True) if isinstance(socket_, ssl.SSLSocket) else None
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()
        return decode(seen) if seen else None


class _Stream:
    """An open answer."""

    def __init__(self, owner: HttpTransport, answer: http.client.HTTPResponse, idle_seconds: float) -> None:
        self.status = answer.status
        self.headers: Mapping[str, str] = _headers(answer)
        self._owner = owner
        self._answer = answer
        self._idle_seconds = idle_seconds

    def __iter__(self) -> Iterator[bytes]:
        while True:
            with self._owner._translated(self._idle_seconds):  # pyright: ignore[reportPrivateUsage]
                piece = self._answer.read1(_READ_BYTES)
            if not piece:
                return
            yield piece


def _headers(answer: http.client.HTTPResponse) -> dict[str, str]:
    return {name.lower(): value for name, value in answer.getheaders()}


def _read_all(connection: http.client.HTTPConnection, answer: http.client.HTTPResponse, until: float) -> bytes:
    pieces: list[bytes] = []
    while True:
        if connection.sock is not None:
            connection.sock.settimeout(max(0.001, until - time.monotonic()))
        piece = answer.read(_READ_BYTES)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)


def unreachable(url: str, proxy: Proxy | None, error: Exception) -> errors.PlatformUnreachable:
    """The sentence for a connection that failed."""
    through = f" through the proxy {proxy.url}" if proxy else ""
    if isinstance(error, ConnectionRefusedError):
        return errors.PlatformUnreachable(
            f"Nothing listens at {url}{through} (connection refused).",
            hint="Check that the platform runs (`mlp status` on a standalone machine) and that the URL is right.",
        )
    said = str(error) or type(error).__name__
    return errors.PlatformUnreachable(
        f"The connection to {url}{through} failed: {said}.", hint="Check the network and the URL."
    )
