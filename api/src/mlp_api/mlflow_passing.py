"""Passing one request on to MLflow and its answer back, and the few places where we step in between."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Any, cast

import httpx
from fastapi import Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from starlette.requests import ClientDisconnect

from mlp_api import mlflow_defaults, mlflow_uploads
from mlp_api.problems import MEDIA_TYPE, RETRY_AFTER_SECONDS, problem_of
from mlp_core.domain.errors import DomainError, Kind, TooLarge, Unavailable
from mlp_core.gateways.mlflow import Mlflow
from mlp_core.gateways.mlflow.passage import Request as Outgoing
from mlp_core.tracking.moving import Moves
from mlp_core.tracking.runs import DEFAULT_EXPERIMENT

SMALL_BODY_BYTES = 4 * 2**20
"""Larger than any JSON request that MLflow takes (1 MB)."""
_HOP_BY_HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_NOT_SENT = _HOP_BY_HOP | frozenset(
    {
        "host",
        "authorization",
        "cookie",
        "origin",
        "referer",
        "x-mlflow-workspace",
        "forwarded",
        "x-forwarded-for",
        "x-forwarded-host",
        "x-forwarded-proto",
        "x-forwarded-prefix",
        "x-real-ip",
        "x-request-id",
        "expect",
    }
)
_NOT_RETURNED = _HOP_BY_HOP | frozenset(
    {
        "server",
        "date",
        "set-cookie",
        "www-authenticate",
        "x-frame-options",
    }
)
_NAMES_EXPERIMENT = re.compile(r"api/2\.0/(preview/)?mlflow/experiments/get-by-name")
_MAKES_EXPERIMENT = re.compile(r"(ajax-)?api/2\.0/(preview/)?mlflow/experiments/create")
_SERVER_INFO = re.compile(r"(?P<ui>ajax-)?api/3\.0/mlflow/server-info")
_IS_API = re.compile(r"(ajax-)?api/\d\.\d/(preview/)?mlflow/.*")
_SENDS_FILES = re.compile(r".*(get-artifact|mlflow-artifacts/.*|get-trace-artifact)")
_UI_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; frame-src 'self' blob: data:; "
    "frame-ancestors 'self'"
)
_FILE_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""Artifacts are strangers' bytes on our origin: shown at most, never run."""
_ERROR_CODES = {
    Kind.UNAUTHENTICATED: "UNAUTHENTICATED",
    Kind.FORBIDDEN: "PERMISSION_DENIED",
    Kind.GONE: "PERMISSION_DENIED",
    Kind.NOT_FOUND: "RESOURCE_DOES_NOT_EXIST",
    Kind.UNAVAILABLE: "TEMPORARILY_UNAVAILABLE",
    Kind.LIMITED: "REQUEST_LIMIT_EXCEEDED",
}


@dataclass(frozen=True, slots=True)
class Caller:
    """For whom a request passes."""

    mlflow: Mlflow
    moves: Moves
    project_id: str
    may_write: bool
    attempt_id: str | None
    """Set for the processes of a job."""


async def answer(caller: Caller, path: str, request: Request) -> Response:
    """MLflow's answer to the request, its body still streaming.

    Raises:
        Unavailable: MLflow does not answer.
    """
    asks_for_info = _SERVER_INFO.fullmatch(path)
    if asks_for_info is not None and request.method == "GET":
        return await _server_info(caller, for_ui=asks_for_info["ui"] is not None)
    outgoing = _outgoing(caller, path, request)
    if _IS_API.fullmatch(path):
        outgoing = await _understood(caller, path, request, outgoing)
    if _NAMES_EXPERIMENT.fullmatch(path) and caller.may_write:
        return await _name_experiment(caller, request, outgoing)
    if _MAKES_EXPERIMENT.fullmatch(path) and caller.may_write:
        return await _make_experiment(caller, outgoing)
    if not caller.may_write:
        return await _stream(caller, path, outgoing)
    async with mlflow_uploads.shown(caller.mlflow, caller.project_id, path, request):
        return await _stream(caller, path, outgoing)


def refusal(error: DomainError, request: Request, request_id: str | None) -> Response:
    """A problem document that MLflow's client understands as well: it reads `error_code` and `message`."""
    problem = problem_of(error, request_id)
    message = f"{error.detail} {error.hint}" if error.hint else error.detail
    body = problem.model_dump(mode="json", exclude_none=True)
    body |= {"error_code": _ERROR_CODES.get(error.kind, "INVALID_PARAMETER_VALUE"), "message": message}
    headers: dict[str, str] = {}
    if error.kind is Kind.UNAUTHENTICATED:
        # Only a page that a person opens: a browser's own sign-in box is of no use to scripts.
        is_page = request.method == "GET" and "text/html" in request.headers.get("accept", "")
        headers["www-authenticate"] = 'Basic realm="mlp: your token as password"' if is_page else 'Bearer realm="mlp"'
    if error.kind is Kind.UNAVAILABLE:
        headers["retry-after"] = str(RETRY_AFTER_SECONDS)
    return JSONResponse(body, problem.status, headers, media_type=MEDIA_TYPE)


def _outgoing(caller: Caller, path: str, request: Request) -> Outgoing:
    headers = {name: value for name, value in request.headers.items() if name not in _NOT_SENT}
    has_body = "content-length" in request.headers or "transfer-encoding" in request.headers
    return Outgoing(
        project_id=caller.project_id,
        may_write=caller.may_write,
        method=request.method,
        target=_target(path, request),
        headers=headers,
        body=_body(request) if has_body else None,
    )


def _target(path: str, request: Request) -> str:
    """The path below the project as it came on the wire, since an artifact's name may hold an escaped slash."""
    raw: bytes = request.scope["raw_path"].partition(b"?")[0]
    target = b"/" + b"/".join(raw.split(b"/")[3:])
    query: bytes = request.scope["query_string"]
    return (target + b"?" + query if query else target).decode("ascii", errors="replace")


async def _body(request: Request) -> AsyncIterator[bytes]:
    async for chunk in request.stream():
        if chunk:
            yield chunk


async def _stream(caller: Caller, path: str, outgoing: Outgoing) -> Response:
    stack = AsyncExitStack()
    try:
        found = await stack.enter_async_context(caller.mlflow.passage.send(outgoing))
    except ClientDisconnect:
        # Nobody is there to read it; MLflow has thrown the part of the body away that it got.
        return Response(status_code=499)

    async def pieces() -> AsyncIterator[bytes]:
        async with stack:
            async for piece in found.aiter_raw():
                yield piece

    response = StreamingResponse(pieces(), found.status_code)
    _copy_headers(found, response)
    policy = _FILE_POLICY if _SENDS_FILES.fullmatch(path) else _UI_POLICY
    response.headers.setdefault("content-security-policy", policy)
    return response


def _copy_headers(found: httpx.Response, response: Response) -> None:
    for name, value in found.headers.multi_items():
        if name.lower() not in _NOT_RETURNED and not name.lower().startswith("access-control-"):
            response.headers[name] = value
    response.headers["x-frame-options"] = "SAMEORIGIN"


# -- where we step in ----------------------------------------------------------------------------------------------


async def _understood(caller: Caller, path: str, request: Request, outgoing: Outgoing) -> Outgoing:
    """A request to the REST API in terms of what is really there: the job's run, the project's default experiment."""
    if outgoing.body is not None and request.headers.get("content-type", "").startswith("application/json"):
        outgoing = replace(outgoing, body=await _read_small(request))
    if caller.attempt_id is not None:
        outgoing = await _of_job(caller, caller.attempt_id, path, request, outgoing)
    body = outgoing.body if isinstance(outgoing.body, bytes) else b""
    if not caller.may_write or not mlflow_defaults.is_named(outgoing.target, body):
        return outgoing
    experiment_id = await caller.mlflow.experiments.ensure(caller.project_id, DEFAULT_EXPERIMENT)
    target = mlflow_defaults.put_into_target(outgoing.target, experiment_id)
    return replace(outgoing, target=target, body=mlflow_defaults.put_into_body(body, experiment_id) or None)


async def _of_job(caller: Caller, attempt_id: str, path: str, request: Request, outgoing: Outgoing) -> Outgoing:
    """Follow a job into the experiment it names, and translate the id of the run that it was started with."""
    if _NAMES_EXPERIMENT.fullmatch(path):
        name = request.query_params.get("experiment_name")
        if name:
            await caller.moves.follow(attempt_id, name)
        return outgoing
    moved = await caller.moves.origin_of(attempt_id)
    if moved is None:
        return outgoing
    origin, current = moved
    body = outgoing.body
    if isinstance(body, bytes):
        body = body.replace(origin.encode(), current.encode())
    return replace(outgoing, target=outgoing.target.replace(origin, current), body=body)


async def _name_experiment(caller: Caller, request: Request, outgoing: Outgoing) -> Response:
    """A deleted experiment must not keep its name: it moves away, and the client is told to make a new one."""
    status, headers, content = await _whole(caller, outgoing)
    experiment = _json(content).get("experiment", {})
    name = request.query_params.get("experiment_name", "")
    if status == 200 and experiment.get("lifecycle_stage") == "deleted":
        await caller.mlflow.experiments.free_name(caller.project_id, name)
        message = f"There is no experiment '{name}': the one of that name was deleted and now has a suffix."
        return JSONResponse({"error_code": "RESOURCE_DOES_NOT_EXIST", "message": message}, 404)
    return Response(content, status, headers)


async def _make_experiment(caller: Caller, outgoing: Outgoing) -> Response:
    """The same for who makes one without looking."""
    status, headers, content = await _whole(caller, outgoing)
    if (
        status == 400
        and isinstance(outgoing.body, bytes)
        and _json(content).get("error_code") == "RESOURCE_ALREADY_EXISTS"
    ):
        name = _json(outgoing.body).get("name")
        if isinstance(name, str) and await caller.mlflow.experiments.free_name(caller.project_id, name):
            status, headers, content = await _whole(caller, outgoing)
    return Response(content, status, headers)


async def _server_info(caller: Caller, *, for_ui: bool) -> Response:
    """From memory. To its UI the server is the project's alone: no choice of workspaces, no gateway."""
    info = await caller.mlflow.server_info.get()
    return JSONResponse(
        {**info, "workspaces_enabled": False, "features_enabled": {"gateway": False}} if for_ui else info
    )


async def _whole(caller: Caller, outgoing: Outgoing) -> tuple[int, dict[str, str], bytes]:
    """A small answer: status, the header that matters, content."""
    async with caller.mlflow.passage.send(outgoing) as found:
        try:
            content = await found.aread()
        except httpx.HTTPError as error:
            raise Unavailable("MLflow broke off its answer.") from error
    return found.status_code, {"content-type": found.headers.get("content-type", "application/json")}, content


async def _read_small(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > SMALL_BODY_BYTES:
            raise TooLarge(f"A request to MLflow's API has at most {SMALL_BODY_BYTES:,} bytes.")
    return bytes(body)


def _json(content: bytes) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except ValueError:
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
