"""A proxy in front of a real API server that throttles it, slows it down or hides parts of it, as a test wants."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import yaml
from aiohttp import web

Answer = web.StreamResponse | None
Rule = Callable[[web.Request], Awaitable[Answer]]
"""Answers in the server's place, or None to let a request through."""
_HOP = frozenset({"host", "connection", "transfer-encoding", "content-length", "content-encoding", "accept-encoding"})


@dataclass
class KubeProxy:
    """Between an engine and the API server at `url`; credentials pass through."""

    url: str
    authority: str
    """Its certificate authority, in PEM."""
    rules: list[Rule] = field(default_factory=list[Rule])
    seen: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Method and path of every request."""
    port: int = 0
    _runner: web.AppRunner | None = None
    _session: aiohttp.ClientSession | None = None

    async def start(self) -> KubeProxy:
        context = ssl.create_default_context(cadata=self.authority)
        connector = aiohttp.TCPConnector(ssl=context, limit=0)
        self._session = aiohttp.ClientSession(connector=connector, auto_decompress=False)
        app = web.Application(client_max_size=2**24)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = self._runner.addresses[0][1]
        return self

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
        if self._session is not None:
            await self._session.close()

    def kubeconfig(self, token: str) -> str:
        return yaml.safe_dump(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "current-context": "proxied",
                "contexts": [{"name": "proxied", "context": {"cluster": "proxied", "user": "mlp"}}],
                "clusters": [{"name": "proxied", "cluster": {"server": f"http://127.0.0.1:{self.port}"}}],
                "users": [{"name": "mlp", "user": {"token": token}}],
            }
        )

    async def fetch(self, request: web.Request) -> Any:
        """What the server itself answers, as JSON: for rules that change a part of it."""
        async with await self._forward(request) as answer:
            return json.loads(await answer.read())

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self.seen.append((request.method, request.path))
        for rule in self.rules:
            answer = await rule(request)
            if answer is not None:
                return answer
        async with await self._forward(request) as upstream:
            response = web.StreamResponse(status=upstream.status)
            for name, value in upstream.headers.items():
                if name.lower() not in _HOP:
                    response.headers[name] = value
            await response.prepare(request)
            try:
                async for chunk in upstream.content.iter_any():
                    await response.write(chunk)
            except (ConnectionResetError, aiohttp.ClientError):
                # Whoever asked has gone, or the server has: a watch ends so.
                pass
            return response

    async def _forward(self, request: web.Request) -> aiohttp.ClientResponse:
        assert self._session is not None
        headers = {name: value for name, value in request.headers.items() if name.lower() not in _HOP}
        return await self._session.request(
            request.method,
            f"{self.url}{request.path_qs}",
            headers={**headers, "Accept-Encoding": "identity"},
            data=await request.read(),
            timeout=aiohttp.ClientTimeout(total=None),
        )


def refusal(status: int, reason: str, message: str, **headers: str) -> web.Response:
    """As the API server writes it."""
    body = {"kind": "Status", "status": "Failure", "code": status, "reason": reason, "message": message}
    return web.json_response(
        body, status=status, headers={name.replace("_", "-"): text for name, text in headers.items()}
    )


def throttled(every: int = 1, *methods: str) -> Rule:
    """429 to every so many-th request, of some methods or of all; watches go on."""
    count = 0

    async def rule(request: web.Request) -> Answer:
        nonlocal count
        if (methods and request.method not in methods) or "watch" in request.query:
            return None
        count += 1
        if count % every:
            return None
        return refusal(429, "TooManyRequests", "too many requests, please try again later", Retry_After="1")

    return rule


def slow(seconds: float) -> Rule:
    async def rule(request: web.Request) -> Answer:
        if "watch" not in request.query:
            await asyncio.sleep(seconds)
        return None

    return rule


def without(*prefixes: str) -> Rule:
    """404 for everything below some paths, as if it were not installed."""

    async def rule(request: web.Request) -> Answer:
        if request.path.startswith(prefixes):
            return refusal(404, "NotFound", "the server could not find the requested resource")
        return None

    return rule
