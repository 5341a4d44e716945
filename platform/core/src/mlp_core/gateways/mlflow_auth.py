"""Who is calling: the authorization function of the MLflow server's auth app.

This module runs inside the MLflow server, named by `authorization_function` in its auth configuration. It replaces
password checks (some 500 ms per request) by verifying the short-lived token that the api mints for each proxied
request. It says *who* calls, in *which workspace*, and whether the route is one that projects use at all; what that
user may do there stays MLflow's own decision.

A token belongs to one workspace. MLflow takes the workspace from a header that any caller may set and falls back to a
shared default workspace where there is none, so a request whose header is missing or differs from the token's claim
is refused here, before any handler sees it.

Routes are allowed, not forbidden: besides tracking and the registry the same server also offers user management, an
LLM gateway that calls out, web hooks, and an assistant that runs a coding agent on the server's host for any caller
from loopback, which is where the platform's proxy calls from.
"""

from __future__ import annotations

import os
import re
from functools import cache

from flask import Response, request
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey
from werkzeug.datastructures import Authorization

ISSUER = "mlp"
TOKEN_TYPE = "mlflow"  # noqa: S105 (a kind of token, not a secret)
ALGORITHM = "HS256"
ANY_WORKSPACE = "*"
WORKSPACE_HEADER = "X-MLFLOW-WORKSPACE"
SECRET_VARIABLE = "MLP_SECRET_KEY"  # noqa: S105 (the variable's name)
LEEWAY_SECONDS = 30
"""How far the clocks of the api's machine and of this one may differ."""

_RESOURCES = (
    "artifacts",
    "datasets",
    "experiments",
    "get-online-trace-details",
    "get-trace-artifact",
    "label-schemas",
    "logged-models",
    "metrics",
    "model-versions",
    "registered-models",
    "review-queues",
    "runs",
    "server-info",
    "traces",
    "ui-telemetry",
    "unified-traces",
    "upload-artifact",
    "users/current",
    "workspaces",
)
_OPEN_TO_PROJECTS = re.compile(
    r"/(build/.*|static-files/.*|version|graphql|get-artifact|model-versions/get-artifact|v1/traces)?"
    r"|/(ajax-)?api/\d\.\d/mlflow-artifacts/.*"
    rf"|/(ajax-)?api/\d\.\d/(preview/)?mlflow/({'|'.join(_RESOURCES)})(/.*)?"
)
_CLOSED_TO_PROJECTS = re.compile(r".*/runs/create-promptlab-run")
"""Calls the LLM gateway."""

_CLAIMS = jwt.JWTClaimsRegistry(
    leeway=LEEWAY_SECONDS,
    iss={"essential": True, "value": ISSUER},
    typ={"essential": True, "value": TOKEN_TYPE},
    sub={"essential": True},
    workspace={"essential": True},
    iat={"essential": True},
    exp={"essential": True},
)


def authorize() -> Authorization | Response:
    """Identify the caller of the current Flask request.

    Returns:
        The MLflow user named by the token, or the 401/403 response to send instead.
    """
    credentials = request.authorization
    token = credentials.token if credentials is not None and credentials.type == "bearer" else None
    if not token:
        return _refuse(401, "Sign in through the platform: MLflow takes only its tokens.")
    try:
        claims = jwt.decode(token, _key(), algorithms=[ALGORITHM]).claims
        _CLAIMS.validate(claims)
    except (JoseError, ValueError):
        return _refuse(401, "The platform's token is not valid or has expired.")
    workspace = claims["workspace"]
    if workspace != ANY_WORKSPACE:
        if request.headers.get(WORKSPACE_HEADER) != workspace:
            return _refuse(403, "This token belongs to another workspace.")
        if not is_open_to_projects(request.path):
            return _refuse(403, "The platform does not offer this part of MLflow.")
    return Authorization("bearer", {"username": str(claims["sub"])}, token)


def is_open_to_projects(path: str) -> bool:
    """Whether a token that is bound to one workspace may use the route at `path` at all."""
    return bool(_OPEN_TO_PROJECTS.fullmatch(path)) and not _CLOSED_TO_PROJECTS.fullmatch(path)


@cache
def _key() -> OctKey:
    return OctKey.import_key(os.environ[SECRET_VARIABLE])


def _refuse(status: int, message: str) -> Response:
    response = Response(message, status=status, mimetype="text/plain")
    if status == 401:
        response.headers["WWW-Authenticate"] = 'Bearer realm="mlp"'
    return response
