"""A way to this machine's package index for pods, whose network leads nowhere else: pages and files are passed on."""

from __future__ import annotations

import os
import re
import shutil
import threading
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError
from urllib.parse import quote, unquote, urljoin

_LINK = re.compile(rb'href="([^"]+)"')
_SECONDS = 120


@contextmanager
def package_index(address: str) -> Generator[str]:
    """Serve at `address` for the time of the context; the index's URL."""
    upstream = (os.environ.get("UV_DEFAULT_INDEX") or os.environ.get("UV_INDEX_URL") or "https://pypi.org/simple") + "/"

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, _, rest = self.path.lstrip("/").partition("/")
            url = unquote(rest) if kind == "file" else urljoin(upstream, rest)
            try:
                with urllib.request.urlopen(url, timeout=_SECONDS) as answer:
                    if kind == "file":
                        self._begin(200, answer.headers["Content-Type"], answer.headers["Content-Length"])
                        shutil.copyfileobj(answer, self.wfile)
                    else:
                        page = _LINK.sub(lambda found: _passed_on(url, found[1]), answer.read())
                        self._begin(200, "text/html", str(len(page)))
                        self.wfile.write(page)
            except HTTPError as error:
                self._begin(error.code, "text/plain", "0")

        def _begin(self, status: int, kind: str, length: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", length)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
            pass

    with ThreadingHTTPServer((address, 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://{address}:{server.server_port}/simple"
        finally:
            server.shutdown()


def _passed_on(page: str, link: bytes) -> bytes:
    """A link of a page as one to ourselves. The digest behind `#` stays for the installer to check."""
    url, sharp, digest = urljoin(page, link.decode()).partition("#")
    # The name comes last, since installers read it off the path.
    return f'href="/file/{quote(url, safe="/")}{sharp}{digest}"'.encode()
