"""One place where requests to MLflow are sent, tried again, and their errors turned into ours."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, cast

import httpx

from mlp_core.domain.errors import DomainError, Invalid, NotFound, Unavailable
from mlp_core.gateways.mlflow.tokens import DEFAULT_WORKSPACE, PLATFORM_USER, Minter, workspace_of

Json = dict[str, Any]

DEADLINE_SECONDS = 20.0
"""For one call, its repetitions included."""
TRIES = 3
FIRST_PAUSE_SECONDS = 0.3
KEPT_OPEN_SECONDS = 3.0
"""Shorter than the five seconds after which MLflow's server closes an idle connection under a request."""
_TIMEOUT = httpx.Timeout(15.0, connect=3.0)
_RETRIED_STATUSES = frozenset({429, 502, 503, 504})


class AlreadyThere(DomainError):
    """MLflow has something of this name. Handled inside the gateway: making is idempotent."""

    code = "mlflow_already_there"


class WorkspaceMissing(Unavailable):
    """The project is not made known to MLflow yet; `Workspaces.ensure` does it."""

    code = "mlflow_workspace_missing"


class Transport:
    """JSON requests to MLflow's REST API as the platform's own user.

    Without a project they are about the server as a whole. Raises `Unavailable` where MLflow does not answer or is
    broken, `NotFound` and `Invalid` where it says so.
    """

    def __init__(self, base_url: str, minter: Minter) -> None:
        self._client = httpx.AsyncClient(
            base_url=base_url,
            timeout=_TIMEOUT,
            limits=httpx.Limits(max_connections=20, max_keepalive_connections=5, keepalive_expiry=KEPT_OPEN_SECONDS),
            trust_env=False,
        )
        self._minter = minter

    async def get(self, project_id: str | None, path: str, parameters: Mapping[str, str | int] | None = None) -> Json:
        """Read; repeated after any failure that may pass."""
        return await self._call("GET", project_id, path, parameters=parameters, is_repeatable=True)

    async def post(self, project_id: str | None, path: str, body: Json, *, is_repeatable: bool = False) -> Json:
        """Write; repeated only where it never reached MLflow, unless doing it twice is doing it once."""
        return await self._call("POST", project_id, path, body=body, is_repeatable=is_repeatable)

    async def delete(
        self, project_id: str | None, path: str, parameters: Mapping[str, str] | None = None, body: Json | None = None
    ) -> None:
        """Remove; repeated after any failure that may pass."""
        await self._call("DELETE", project_id, path, parameters=parameters, body=body, is_repeatable=True)

    async def ping(self) -> None:
        """Whether the server answers at all.

        Raises:
            Unavailable: it does not.
        """
        try:
            answer = await self._client.get("/health", timeout=3.0)
        except httpx.HTTPError as error:
            raise Unavailable(f"MLflow does not answer: {type(error).__name__}.") from error
        if not answer.is_success:
            raise Unavailable(f"MLflow answered {answer.status_code} to its health check.")

    async def close(self) -> None:
        await self._client.aclose()

    async def _call(
        self,
        method: str,
        project_id: str | None,
        path: str,
        *,
        parameters: Mapping[str, str | int] | None = None,
        body: Json | None = None,
        is_repeatable: bool,
    ) -> Json:
        workspace = DEFAULT_WORKSPACE if project_id is None else workspace_of(project_id)
        headers = self._minter.headers(PLATFORM_USER, workspace, any_workspace=True)
        try:
            async with asyncio.timeout(DEADLINE_SECONDS):
                for attempt in range(1, TRIES + 1):
                    request = self._client.build_request(method, path, params=parameters, json=body, headers=headers)
                    answer = await self._send(request, is_repeatable=is_repeatable, is_last=attempt == TRIES)
                    if answer is not None:
                        return _read(answer)
                    await asyncio.sleep(FIRST_PAUSE_SECONDS * 2 ** (attempt - 1))
        except TimeoutError as error:
            raise Unavailable(f"MLflow did not answer in {DEADLINE_SECONDS:.0f} s.") from error
        raise Unavailable("MLflow does not answer.")

    async def _send(self, request: httpx.Request, *, is_repeatable: bool, is_last: bool) -> httpx.Response | None:
        """The answer, or None where it is worth another try."""
        try:
            answer = await self._client.send(request)
        except httpx.HTTPError as error:
            never_sent = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
            if (is_repeatable or never_sent) and not is_last:
                return None
            raise Unavailable(f"MLflow does not answer: {type(error).__name__}.") from error
        if answer.status_code in _RETRIED_STATUSES and is_repeatable and not is_last:
            return None
        return answer


def _read(answer: httpx.Response) -> Json:
    if answer.is_success:
        return answer.json() if answer.content else {}
    code, message = _explain(answer)
    # Where two of the same come at once, the second one's look misses the first, and MLflow passes Postgres's word on.
    if code == "RESOURCE_ALREADY_EXISTS" or "psycopg.errors.UniqueViolation" in message:
        raise AlreadyThere(message)
    if answer.status_code == 404 and message.startswith("Workspace '"):
        raise WorkspaceMissing(f"MLflow: {message}")
    if code == "RESOURCE_DOES_NOT_EXIST" or answer.status_code == 404:
        raise NotFound(f"MLflow: {message}")
    if answer.status_code in (400, 409, 422):
        raise Invalid(f"MLflow refuses: {message}")
    raise Unavailable(f"MLflow answered {answer.status_code}: {message}")


def _explain(answer: httpx.Response) -> tuple[str, str]:
    try:
        body = answer.json()
    except ValueError:
        return "", answer.text.strip()[:300] or answer.reason_phrase
    if not isinstance(body, dict):
        return "", str(body)[:300]
    fields = cast("Json", body)
    return str(fields.get("error_code", "")), str(fields.get("message", ""))[:1000]
