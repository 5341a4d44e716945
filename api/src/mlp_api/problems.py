"""Errors as RFC 9457 problem documents. The only module that knows which HTTP status a domain error is."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any, cast

import structlog
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.types import ExceptionHandler

from mlp.schemas.problems import FieldProblem, Problem
from mlp_core.domain.errors import DomainError, Invalid, Kind, Unavailable

log = structlog.get_logger(__name__)

MEDIA_TYPE = "application/problem+json"
STATUS = {
    Kind.UNAUTHENTICATED: 401,
    Kind.FORBIDDEN: 403,
    Kind.NOT_FOUND: 404,
    Kind.CONFLICT: 409,
    Kind.GONE: 410,
    Kind.PRECONDITION: 412,
    Kind.TOO_LARGE: 413,
    Kind.INVALID: 422,
    Kind.UPGRADE: 426,
    Kind.LIMITED: 429,
    Kind.UNAVAILABLE: 503,
}
RETRY_AFTER_SECONDS = 5

_PLAIN_CODES = {400: "bad_request", 404: "no_such_route", 405: "method_not_allowed", 413: "too_large"}
_PLAIN_HINTS = {404: "See /api/v1/openapi.json for the routes of this platform."}
_TRANSIENT_STATES = frozenset({"40001", "40P01", "55P03", "57014", "57P01", "57P02", "57P03", "53300"})
"""Serialization failure, deadlock, lock not available, cancelled, shutting down (three kinds), too many connections."""


class ProblemResponse(Response):
    media_type = MEDIA_TYPE


def install(app: FastAPI) -> None:
    """Have every error that leaves a route answered as a problem document."""
    for kind, handler in (
        (DomainError, _on_domain_error),
        (RequestValidationError, _on_validation_error),
        (HTTPException, _on_http_exception),
        (DBAPIError, _on_database_error),
        (PoolTimeout, _on_pool_timeout),
    ):
        app.add_exception_handler(kind, cast("ExceptionHandler", handler))


def respond(problem: Problem, headers: dict[str, str] | None = None) -> Response:
    return ProblemResponse(problem.model_dump_json(exclude_none=True), problem.status, headers)


def problem_of(error: DomainError, request_id: str | None) -> Problem:
    return Problem(
        title=error.title,
        status=STATUS[error.kind],
        code=error.code,
        detail=error.detail,
        hint=error.hint,
        request_id=request_id,
        errors=[FieldProblem(field=field, message=message) for field, message in error.fields.items()],
        data=error.data,
    )


def respond_to(error: DomainError, request_id: str | None) -> Response:
    """The answer to a domain error, also for middleware, which stands outside of the handlers."""
    headers: dict[str, str] = {}
    if error.kind is Kind.UNAUTHENTICATED:
        headers["WWW-Authenticate"] = 'Bearer realm="mlp"'
    if error.kind in (Kind.LIMITED, Kind.UNAVAILABLE):
        headers["Retry-After"] = str(error.data.get("retry_after_seconds", RETRY_AFTER_SECONDS))
    return respond(problem_of(error, request_id), headers)


def unexpected(request_id: str) -> Response:
    """What a caller learns of a fault of ours: where to find it in the log, and nothing of our insides."""
    return respond(
        Problem(
            title="Internal error",
            status=500,
            code="internal",
            detail="The platform failed at this request. Nothing of it was kept.",
            hint=f"Try again; if it stays, give request id {request_id} to an administrator.",
            request_id=request_id,
        )
    )


def problems(*errors: type[DomainError]) -> dict[int | str, dict[str, Any]]:
    """Documented error responses of a route, for its `responses=`; one example for each code."""
    by_status: dict[int, list[type[DomainError]]] = {}
    for error in errors:
        by_status.setdefault(STATUS[error.kind], []).append(error)
    return {status: document(status, kinds) for status, kinds in by_status.items()}


def document(status: int, errors: Iterable[type[DomainError]]) -> dict[str, Any]:
    kinds = list(errors)
    examples = {
        kind.code: {
            "summary": kind.title,
            "value": {"type": "about:blank", "title": kind.title, "status": status, "code": kind.code, "detail": "…"},
        }
        for kind in kinds
    }
    return {
        "description": "; ".join(f"{kind.title} (`{kind.code}`)" for kind in kinds),
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}, "examples": examples}},
    }


def request_id_of(request: Request) -> str | None:
    return request.scope.get("mlp_request_id")


async def _on_domain_error(request: Request, error: DomainError) -> Response:
    return respond_to(error, request_id_of(request))


async def _on_validation_error(request: Request, error: RequestValidationError) -> Response:
    fields = {_path(item["loc"]): _sentence(item) for item in error.errors()}
    first = next(iter(fields.items()))
    more = f" (and {len(fields) - 1} more)" if len(fields) > 1 else ""
    wrong = Invalid(f"{first[0]}: {first[1]}{more}" if first[0] else f"{first[1]}{more}", fields=fields)
    return respond_to(wrong, request_id_of(request))


def _path(location: tuple[int | str, ...]) -> str:
    """`("body", "resources", "groups", 0, "gpu")` → `resources.groups.0.gpu`; the body itself is `body`."""
    inner = location[1:] if len(location) > 1 and location[0] in {"body", "query", "path", "header"} else location
    return ".".join(str(part) for part in inner)


def _sentence(item: dict[str, Any]) -> str:
    message = str(item["msg"]).removeprefix("Value error, ")
    if item["type"] == "json_invalid":
        return f"is not valid JSON: {item.get('ctx', {}).get('error', message)}"
    if item["type"] == "missing":
        return "is required"
    return message


async def _on_http_exception(request: Request, error: HTTPException) -> Response:
    """What the router itself says: no such route, wrong method, unreadable body."""
    status = error.status_code
    phrase = HTTPStatus(status).phrase
    detail = error.detail if error.detail and error.detail != phrase else _plain_detail(status, request)
    problem = Problem(
        title=phrase,
        status=status,
        code=_PLAIN_CODES.get(status, "http_error"),
        detail=detail,
        hint=_PLAIN_HINTS.get(status),
        request_id=request_id_of(request),
    )
    return respond(problem, dict(error.headers or {}))


def _plain_detail(status: int, request: Request) -> str:
    if status == 404:
        return "There is nothing at this path."
    if status == 405:
        return f"{request.method} is not possible here."
    return HTTPStatus(status).phrase


async def _on_database_error(request: Request, error: DBAPIError) -> Response:
    """What Postgres refuses: bad text is the caller's, an outage passes, anything else is a fault of ours."""
    state = getattr(error.orig, "sqlstate", None)
    if isinstance(error, DataError):
        wrong = Invalid("A value is outside of what can be stored.", hint="Look for NUL characters and huge numbers.")
        return respond_to(wrong, request_id_of(request))
    if isinstance(error, IntegrityError) and state in {"23503", "23505"}:
        return respond(_conflict(request))
    lost = isinstance(error, OperationalError | InterfaceError) or error.connection_invalidated
    if state in _TRANSIENT_STATES or (state is None and lost):
        log.warning("database_unavailable", state=state, error=str(error.orig))
        return respond_to(Unavailable("The database does not answer right now."), request_id_of(request))
    raise error


async def _on_pool_timeout(request: Request, _error: Exception) -> Response:
    return respond_to(Unavailable("The platform is too busy right now."), request_id_of(request))


def _conflict(request: Request) -> Problem:
    return Problem(
        title="Changed meanwhile",
        status=409,
        code="conflict",
        detail="Another request changed the same thing at the same time.",
        hint="Read it again and repeat the change.",
        request_id=request_id_of(request),
    )
