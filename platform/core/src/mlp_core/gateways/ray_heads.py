"""Asking the heads of Ray clusters over HTTP, for the platform's proxy of their dashboards."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from http.cookiejar import DefaultCookiePolicy

import httpx

from mlp_core.domain.errors import Unavailable

_TIMEOUT = httpx.Timeout(connect=3.0, write=10.0, read=60.0, pool=10.0)


class RayHeads:
    """One connection pool. The address comes from the operator's note alone, never from what a caller names."""

    def __init__(self) -> None:
        self._client = httpx.AsyncClient(
            timeout=_TIMEOUT,
            limits=httpx.Limits(max_connections=100, max_keepalive_connections=20),
            trust_env=False,
            follow_redirects=False,
        )
        # What one head sets would be sent to the next one, which is another tenant's.
        self._client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))

    @asynccontextmanager
    async def get(
        self, url: str, token: str, method: str, target: str, headers: Mapping[str, str]
    ) -> AsyncGenerator[httpx.Response]:
        """The answer with its body still to be read; `target` is path and query from the head's root.

        Raises:
            Unavailable: the head does not answer, or does not take the token.
        """
        request = self._client.build_request(
            method,
            httpx.URL(url).copy_with(raw_path=target.encode("ascii")),
            headers={**headers, "authorization": f"Bearer {token}"},
        )
        try:
            answer = await self._client.send(request, stream=True)
        except httpx.HTTPError as error:
            raise Unavailable(
                f"The cluster's head does not answer: {type(error).__name__}.", hint="It may be starting or ending."
            ) from error
        try:
            if answer.status_code in (401, 403):
                raise Unavailable("The cluster's head does not know the platform's token.")
            yield answer
        finally:
            await answer.aclose()

    async def close(self) -> None:
        await self._client.aclose()
