"""What surrounds every request: its id, its log line, its metrics, security headers, size limits, client versions.

Pure ASGI, so that streams pass through untouched.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from ulid import ULID

from mlp_api import metrics, problems
from mlp_api.versions import refuse_client
from mlp_core.domain.errors import Invalid, TooLarge

log = structlog.get_logger("mlp_api.requests")

REQUEST_ID = "x-request-id"
CLIENT_VERSION = "x-mlp-client"
_SAFE_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,128}")
_TICKET = re.compile(r"/~[^/]+")
_QUIET_PATHS = frozenset({"/healthz", "/readyz"})

SECURITY_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""Defaults; a route that sets one of them itself (a page with its own policy, a cacheable file) keeps its value."""


class RequestContext:
    """Outermost: gives each request an id, logs and counts it, and turns what nobody expected into a 500 problem."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _request_id(Headers(scope=scope).get(REQUEST_ID))
        scope["mlp_request_id"] = request_id
        answer = _Answer(send, request_id)
        started = time.perf_counter()
        with structlog.contextvars.bound_contextvars(request_id=request_id), metrics.in_flight():
            try:
                await self._app(scope, receive, answer.send)
            except Exception:
                log.exception("request_failed", method=scope["method"], path=_logged(scope["path"]))
                if answer.status is not None:
                    raise
                await problems.unexpected(request_id)(scope, receive, answer.send)
            finally:
                _account(scope, answer, time.perf_counter() - started)


class _Answer:
    """Watches what is sent and adds the headers that every answer has."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self._request_id = request_id
        self.status: int | None = None

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers[REQUEST_ID] = self._request_id
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
        await self._send(message)


def _account(scope: Scope, answer: _Answer, seconds: float) -> None:
    route = getattr(scope.get("route"), "path", "unmatched")
    status = answer.status or 499
    metrics.observe(scope["method"], route, status, seconds)
    if scope["path"] in _QUIET_PATHS and status < 400:
        return
    log.info(
        "request",
        method=scope["method"],
        path=_logged(scope["path"]),
        route=route,
        status=status,
        milliseconds=round(seconds * 1000, 1),
        client=(scope.get("client") or ("", 0))[0],
    )


def _logged(path: str) -> str:
    """Without the ticket of a dashboard, which lets in whoever knows it."""
    return _TICKET.sub("/~…", path)


def _request_id(given: str | None) -> str:
    return given if given and _SAFE_REQUEST_ID.fullmatch(given) else str(ULID())


class ClientVersions:
    """Refuses clients of another generation with the line to type."""

    def __init__(self, app: ASGIApp, public_url: str) -> None:
        self._app = app
        self._public_url = public_url

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith("/api/"):
            given = Headers(scope=scope).get(CLIENT_VERSION)
            refusal = refuse_client(given, self._public_url) if given else None
            if refusal is not None:
                await problems.respond_to(refusal, scope.get("mlp_request_id"))(scope, receive, send)
                return
        await self._app(scope, receive, send)


class PlainPaths:
    """Refuses NUL in paths and queries at the door: no name here holds one, and Postgres cannot store it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and ("\x00" in scope["path"] or b"%00" in scope["query_string"]):
            wrong = Invalid("A path or query must not contain the NUL character.")
            await problems.respond_to(wrong, scope.get("mlp_request_id"))(scope, receive, send)
            return
        await self._app(scope, receive, send)


@dataclass(frozen=True, slots=True)
class BodyLimit:
    """At most `limit` bytes for paths that match; None = the route streams and sets its own bound."""

    path: re.Pattern[str]
    limit: int | None


class BodyTooLarge(HTTPException):
    """Raised into whoever reads the body; FastAPI lets HTTP exceptions pass, unlike others."""

    def __init__(self, limit: int) -> None:
        super().__init__(413, f"The body is larger than the {limit:,} bytes that are possible here.")


class BodyLimits:
    """Refuses bodies that are too large: at once where the length is declared, else as soon as it shows."""

    def __init__(self, app: ASGIApp, default: int, limits: Sequence[BodyLimit] = ()) -> None:
        self._app = app
        self._default = default
        self._limits = tuple(limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        limit = self._limit_for(scope["path"]) if scope["type"] == "http" else None
        if limit is None:
            await self._app(scope, receive, send)
            return
        declared = Headers(scope=scope).get("content-length", "")
        if declared.isdecimal() and int(declared) > limit:
            wrong = TooLarge(BodyTooLarge(limit).detail, data={"limit_bytes": limit})
            await problems.respond_to(wrong, scope.get("mlp_request_id"))(scope, receive, send)
            return
        await self._app(scope, _counting(receive, limit), send)

    def _limit_for(self, path: str) -> int | None:
        for rule in self._limits:
            if rule.path.fullmatch(path):
                return rule.limit
        return self._default


def _counting(receive: Receive, limit: int) -> Receive:
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > limit:
                raise BodyTooLarge(limit)
        return message

    return counted
