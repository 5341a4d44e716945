"""`/client/`: how to install the client that matches this platform, and its wheel."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from html import escape
from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from mlp_api.client_wheel import client_wheel
from mlp_api.deps import PlatformDep
from mlp_api.problems import problems
from mlp_api.versions import CLIENT_VERSION, install_line, wheel_name
from mlp_core.domain.errors import NotFound

router = APIRouter(prefix="/client", tags=["platform"])

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif }
body { max-width: 46rem; margin: 4rem auto; padding: 0 1.5rem }
h1 { font-size: 1.6rem } h2 { font-size: 1.1rem; margin-top: 2rem }
pre { padding: .8rem 1rem; border: 1px solid #8886; border-radius: .4rem; overflow-x: auto; user-select: all }
small { opacity: .75; overflow-wrap: anywhere }
"""
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY = f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; frame-ancestors 'none'"


@router.get("", include_in_schema=False)
async def redirect_to_client_page() -> Response:
    return RedirectResponse("/client/", 308)


@router.get("/", summary="How to install the client", response_class=HTMLResponse)
async def get_client_page(platform: PlatformDep) -> Response:
    """A page for people: the lines to type on the own machine."""
    wheel = await asyncio.to_thread(client_wheel)
    page = _page(platform.settings.public_url.rstrip("/"), wheel.sha256)
    return HTMLResponse(page, headers={"Content-Security-Policy": _POLICY, "Cache-Control": "no-cache"})


@router.get(
    "/{file}",
    summary="Download the client",
    response_class=Response,
    responses={200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}}
    | problems(NotFound),
)
async def get_client_wheel(
    file: Annotated[str, Path(description="Name of the wheel, as the page shows it.", max_length=200)],
) -> Response:
    """The wheel of the client that this platform was released with."""
    if file != wheel_name():
        raise NotFound.of("file", file, f"This platform's client is {wheel_name()}.")
    wheel = await asyncio.to_thread(client_wheel)
    headers = {"ETag": f'"{wheel.sha256}"', "Cache-Control": "public, max-age=300"}
    return Response(wheel.content, headers=headers, media_type="application/zip")


def _page(url: str, sha256: str) -> str:
    shown, line = escape(url), escape(install_line(url))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Install the mlp client</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>Install the mlp client</h1>
<p>The command <code>mlp</code> and the Python package <code>mlp</code>, version {escape(CLIENT_VERSION)},
for the platform at {shown}. It needs Python 3.11 or newer.</p>
<pre>{line}</pre>
<h2>Sign in</h2>
<pre>mlp login --url {shown}</pre>
<h2>Run something</h2>
<pre>mlp run train.py --gpu 1</pre>
<p><small>sha256 of the wheel: {sha256}</small></p>
</body>
</html>
"""
