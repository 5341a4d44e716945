"""The cookie of a browser's session, and the proof that a request comes from the platform's own pages.

The cookie is out of reach of scripts and of other sites. A request that changes something must also say that it comes
from this origin: browsers tell that in headers which no page can set.
"""

from __future__ import annotations

from datetime import datetime
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import Response

from mlp_core.domain.errors import NotAllowed
from mlp_core.people.sessions import is_session

COOKIE = "mlp-session"
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_DEFAULT_PORTS = {"http": 80, "https": 443}


class SessionCookie:
    """Named by the platform's address: cookies know no ports, and two platforms may run on one machine."""

    def __init__(self, public_url: str) -> None:
        self._url = urlsplit(public_url)
        self.is_secure = self._url.scheme == "https"
        port = self._url.port
        suffix = "" if port is None or port == _DEFAULT_PORTS.get(self._url.scheme) else f"-{port}"
        # The prefix has the browser insist on Secure, the path / and no other host.
        self.name = f"__Host-{COOKIE}{suffix}" if self.is_secure else f"{COOKIE}{suffix}"

    def read(self, connection: HTTPConnection) -> str | None:
        """The session that the request carries; None where there is none."""
        value = connection.cookies.get(self.name)
        return value if value and is_session(value) else None

    def set(self, response: Response, value: str, expires_at: datetime) -> None:
        response.set_cookie(
            self.name, value, expires=expires_at, path="/", secure=self.is_secure, httponly=True, samesite="strict"
        )

    def clear(self, response: Response) -> None:
        response.delete_cookie(self.name, path="/", secure=self.is_secure, httponly=True, samesite="strict")

    def require_own_page(self, method: str, headers: Headers) -> None:
        """
        Raises:
            NotAllowed: a change that does not come from a page of this platform.
        """
        if method not in _SAFE_METHODS and not self._is_own(headers, unknown=False):
            raise NotAllowed(
                "Only a page of this platform may do this with a browser's session.",
                hint="Programs use a token: `mlp token create`, then Authorization: Bearer TOKEN.",
            )

    def require_not_foreign(self, headers: Headers) -> None:
        """As `require_own_page` for signing in, where a program that says nothing of pages may come as well.

        Raises:
            NotAllowed: it comes from a page of another site.
        """
        if not self._is_own(headers, unknown=True):
            raise NotAllowed("A page of another site must not sign anybody in here.")

    def is_own_origin(self, headers: Headers) -> bool:
        """Whether the page that opens a WebSocket is of this platform: browsers always send its origin."""
        origin = headers.get("origin")
        return origin is not None and self._is_ours(origin, headers)

    def _is_own(self, headers: Headers, *, unknown: bool) -> bool:
        """`unknown` where the request says nothing of where it comes from."""
        site = headers.get("sec-fetch-site")
        if site is not None:
            return site == "same-origin"
        origin = headers.get("origin")
        return unknown if origin is None else self._is_ours(origin, headers)

    def _is_ours(self, origin: str, headers: Headers) -> bool:
        # `null` has no host: a sandboxed page or a file.
        host = urlsplit(origin).netloc
        return bool(host) and host in {headers.get("host"), self._url.netloc}
