"""`/ray/{project}/{cluster}/`: the Ray dashboard of a named cluster, or of a job's live attempt by the job's id.

It is opened with the reader's own sign-in, which leads to an address with a ticket. Everything below that one is asked
for by the dashboard's pages, which run without an origin and so without cookies. Ray's token is added here and goes to
nobody; of what the head answers only the content passes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from urllib.parse import quote

import httpx
from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse, StreamingResponse

from mlp_api import ray_rules as rules
from mlp_api.deps import authenticator_of, platform_of, web_of
from mlp_api.platform import Platform
from mlp_core.dashboards.service import Ticket
from mlp_core.domain.errors import NotAllowed, NotFound, NotSignedIn, TooLarge
from mlp_core.domain.execution import Dashboard

router = APIRouter(include_in_schema=False)

MARK = "~"
MAX_PAGE_BYTES = 2**20
_SENT = ("accept", "accept-encoding", "accept-language", "if-none-match", "if-modified-since")
_RETURNED = ("content-type", "content-length", "content-encoding", "etag", "last-modified")
_APART = {
    "content-security-policy": rules.POLICY,
    "x-frame-options": "SAMEORIGIN",
    "referrer-policy": "no-referrer",
    # Without an origin its pages are strangers to their own address. The ticket in it is what lets them in.
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
    "cross-origin-opener-policy": "same-origin",
}


@router.get("/ray/{project}/{cluster}")
async def open_dashboard(project: str, cluster: str) -> Response:
    return RedirectResponse(f"/ray/{quote(project)}/{quote(cluster)}/", 308)


@router.get("/ray/{project}/{cluster}/")
async def enter_dashboard(project: str, cluster: str, request: Request) -> Response:
    """Asks who comes, and leads on to an address that says so by itself."""
    try:
        subject = await authenticator_of(request).identify_request(request)
    except NotSignedIn:
        to_sign_in = await web_of(request).sign_in_page(request)
        if to_sign_in is None:
            raise
        return to_sign_in
    ticket = await platform_of(request).dashboards.ticket(subject, project, cluster)
    return RedirectResponse(f"/ray/{quote(project)}/{quote(cluster)}/{MARK}{ticket}/", 303)


@router.api_route("/ray/{project}/{cluster}/~{ticket}/{path:path}", methods=["GET", "HEAD", "POST", "PUT", "DELETE"])
async def pass_to_head(project: str, cluster: str, ticket: str, path: str, request: Request) -> Response:
    platform = platform_of(request)
    if not rules.is_open(request.method, path):
        raise NotAllowed("The platform offers Ray's dashboard for looking only.", hint="Change jobs by the platform.")
    try:
        proved = platform.dashboards.read(ticket)
        if _is_page(request):
            await _require_holder(proved, request)
        dashboard = await platform.dashboards.enter(proved, cluster)
    except NotSignedIn:
        if not _is_page(request):
            raise
        return RedirectResponse(f"/ray/{quote(project)}/{quote(cluster)}/", 303)
    return await _answer(platform, dashboard, path, request)


def _is_page(request: Request) -> bool:
    return request.headers.get("sec-fetch-mode") == "navigate"


async def _require_holder(ticket: Ticket, request: Request) -> None:
    """An address that was passed on opens nothing: who opens a page has to be signed in as who was given it."""
    subject = await authenticator_of(request).identify_request(request)
    if subject.token_id != ticket.token_id:
        raise NotSignedIn("This address of a dashboard was given to somebody else.")


async def _answer(platform: Platform, dashboard: Dashboard, path: str, request: Request) -> Response:
    headers = {name: request.headers[name] for name in _SENT if name in request.headers}
    is_page = path in ("", "index.html")
    if is_page:
        # Its whole text is needed here, and no other form of it.
        headers = {"accept": "text/html"}
    query: bytes = request.scope["query_string"]
    target = quote("/" + path) + (f"?{query.decode('ascii', errors='replace')}" if query else "")
    stack = AsyncExitStack()
    found = await stack.enter_async_context(
        platform.ray_heads.get(dashboard.url, dashboard.token, request.method, target, headers)
    )
    if is_page:
        async with stack:
            return Response(rules.with_storage(await _page(found)), found.status_code, _APART, media_type="text/html")
    if found.is_redirect:
        await stack.aclose()
        raise NotFound("There is nothing at this path.")

    async def pieces() -> AsyncIterator[bytes]:
        async with stack:
            async for piece in found.aiter_raw():
                yield piece

    returned = {name: found.headers[name] for name in _RETURNED if name in found.headers}
    return StreamingResponse(pieces(), found.status_code, {**returned, **_APART})


async def _page(found: httpx.Response) -> bytes:
    content = bytearray()
    async for piece in found.aiter_bytes():
        content += piece
        if len(content) > MAX_PAGE_BYTES:
            raise TooLarge("The dashboard's page is too large.")
    return bytes(content)
