"""Passing a tenant's own requests on to MLflow, byte by byte in both directions."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http.cookiejar import DefaultCookiePolicy

import httpx

from mlp_core.domain.errors import Unavailable
from mlp_core.gateways.mlflow.tokens import Minter, reader_of, workspace_of, writer_of
from mlp_core.gateways.mlflow.transport import KEPT_OPEN_SECONDS

_TIMEOUT = httpx.Timeout(connect=5.0, write=120.0, read=900.0, pool=30.0)
"""Each for one piece of a body, not the whole. MLflow is silent while it stores the end of a large upload."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request of a member of the project, stripped of credentials."""

    project_id: str
    may_write: bool
    method: str
    target: str
    """Path and query as they go on the wire, from the server's root."""
    headers: Mapping[str, str]
    body: AsyncIterator[bytes] | bytes | None


class Passage:
    """Speaks as the project's writer or reader, so that MLflow itself refuses what this member may not do."""

    def __init__(self, base_url: str, minter: Minter) -> None:
        self._base_url = base_url
        self._minter = minter
        self._client = httpx.AsyncClient(
            timeout=_TIMEOUT,
            limits=httpx.Limits(max_connections=200, max_keepalive_connections=20, keepalive_expiry=KEPT_OPEN_SECONDS),
            trust_env=False,
            follow_redirects=False,
        )
        # A cookie of one tenant's answer must not go with the next one's request.
        self._client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))

    @asynccontextmanager
    async def send(self, request: Request) -> AsyncGenerator[httpx.Response]:
        """The answer with its body still to be read, by `aiter_raw`.

        Raises:
            Unavailable: MLflow does not answer.
        """
        outgoing = self._client.build_request(
            request.method,
            httpx.URL(self._base_url).copy_with(raw_path=request.target.encode("ascii")),
            headers={**_true_headers(request), **self._credentials(request)},
            content=request.body,
        )
        try:
            answer = await self._client.send(outgoing, stream=True)
        except httpx.HTTPError as error:
            raise Unavailable(
                f"MLflow does not answer: {type(error).__name__}.", hint="Try again; it may be restarting."
            ) from error
        try:
            yield answer
        finally:
            await answer.aclose()

    async def close(self) -> None:
        await self._client.aclose()

    def _credentials(self, request: Request) -> dict[str, str]:
        user = writer_of(request.project_id) if request.may_write else reader_of(request.project_id)
        return self._minter.headers(user, workspace_of(request.project_id))


def _true_headers(request: Request) -> Mapping[str, str]:
    """Without the length that the caller declared where the body is held whole: it may have been rewritten since."""
    if not isinstance(request.body, bytes):
        return request.headers
    return {name: value for name, value in request.headers.items() if name.lower() != "content-length"}
