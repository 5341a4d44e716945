"""Serves the web application wherever no route answers: its files, and its one page for all of its own addresses."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import quote

import structlog
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from mlp_api import web_files
from mlp_api.web_files import ASSETS, WebBuild, WebFile

RESERVED = frozenset(
    {"api", "mlflow", "ray", "client", "scim", "auth", "services", "workspaces", "healthz", "readyz", "metrics"}
)
"""First parts of paths that are never the application's, whether or not a route answers there."""
FOREVER = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"
SIGN_IN = "/sign-in"
_PAGE_HEADERS = {
    "referrer-policy": "same-origin",
    "x-frame-options": "SAMEORIGIN",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
_PLAIN_POLICY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"
_NOT_BUILT = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>mlp</title>
<h1>mlp</h1>
<p>The platform runs. Its web application is not built: type <code>make web</code> (Node 20 or newer) and reload.</p>
<ul>
<li><a href="/client/">Install the command line client</a></li>
<li><a href="/api/v1/openapi.json">The API's document</a></li>
<li><a href="/readyz">Health</a></li>
</ul>
"""
_AGAIN = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0"><title>mlp</title></html>
"""
_log = structlog.get_logger(__name__)


class WebApp:
    """The application behind all routes. `otherwise` answers what is not its business."""

    def __init__(self, configured: Path | None, otherwise: ASGIApp) -> None:
        self._configured = configured
        self._otherwise = otherwise
        self._build: WebBuild | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._answer(Request(scope)) if scope["type"] == "http" else None
        await (response or self._otherwise)(scope, receive, send)

    async def sign_in_page(self, request: Request) -> Response | None:
        """Where a person without a session is sent to; None for programs, and where no application is built.

        A browser that follows a link from another site keeps the cookie back, so it is first asked to come again.
        """
        if request.method != "GET" or not _takes_pages(request) or await self._current() is None:
            return None
        if request.headers.get("sec-fetch-site") == "cross-site":
            return HTMLResponse(_AGAIN, headers={"content-security-policy": _PLAIN_POLICY})
        here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"{SIGN_IN}?next={quote(here, safe='/')}", 303)

    async def _answer(self, request: Request) -> Response | None:
        path = request.url.path.lstrip("/")
        if request.method not in ("GET", "HEAD") or path.partition("/")[0] in RESERVED:
            return None
        build = await self._current()
        if build is None:
            return HTMLResponse(_NOT_BUILT, headers={"content-security-policy": _PLAIN_POLICY}) if not path else None
        file = build.files.get(path)
        if file is not None:
            return _sent(file, request, build, FOREVER if path.startswith(ASSETS) else ASK_AGAIN)
        if path.startswith(ASSETS) or (path and not _takes_pages(request)):
            return None
        return _sent(build.index, request, build, ASK_AGAIN)

    async def _current(self) -> WebBuild | None:
        """The build on disk: another one is taken over without a restart."""
        folder = web_files.find_build(self._configured)
        if folder is None:
            return self._build
        try:
            changed_at = (folder / web_files.INDEX).stat().st_mtime_ns
            if self._build is None or self._build.changed_at != changed_at:
                self._build = await asyncio.to_thread(web_files.load, folder)
        except OSError as error:
            # It is being written anew; what is in memory is whole.
            _log.info("web_build_unreadable", error=str(error))
        return self._build


def _takes_pages(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "")


def _sent(file: WebFile, request: Request, build: WebBuild, caching: str) -> Response:
    variant = file.choose(request.headers.get("accept-encoding", ""))
    headers = {"etag": variant.etag, "cache-control": caching, "vary": "Accept-Encoding"}
    if file.media_type.startswith("text/html"):
        headers |= _PAGE_HEADERS | {"content-security-policy": build.policy}
    known = {tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")}
    if variant.etag in known:
        return Response(status_code=304, headers=headers)
    if variant.encoding is not None:
        headers["content-encoding"] = variant.encoding
    headers["content-length"] = str(len(variant.content))
    content = b"" if request.method == "HEAD" else variant.content
    return Response(content, headers=headers, media_type=file.media_type)
