"""`/mlflow/{project}/...`: a project's MLflow, as the UI and as a tracking URI.

The caller's credential ends here; MLflow sees a token of the project's writer or reader and that project's workspace,
whatever the caller's headers say. Bodies pass in both directions as they come, whatever their size.
"""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from mlp.schemas.phases import Role
from mlp_api import mlflow_passing as passing
from mlp_api import mlflow_rules as rules
from mlp_api.deps import authenticator_of, platform_of, web_of
from mlp_api.platform import Platform
from mlp_api.problems import request_id_of
from mlp_core.domain.errors import DomainError, NotAllowed, NotSignedIn
from mlp_core.scope import ProjectScope, enter_project

METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

router = APIRouter(include_in_schema=False)


@router.get("/mlflow/{project}")
async def open_mlflow(project: str) -> Response:
    """The UI's own addresses are relative, so it has to start below a slash."""
    return RedirectResponse(f"{project}/", status_code=308)


@router.api_route("/mlflow/{project}/{path:path}", methods=METHODS)
async def pass_to_mlflow(project: str, path: str, request: Request) -> Response:
    try:
        scope = await _enter(project, path, request)
        return await passing.answer(_caller(request, scope), path, request)
    except NotSignedIn as error:
        to_sign_in = await web_of(request).sign_in_page(request)
        return to_sign_in or passing.refusal(error, request, request_id_of(request))
    except DomainError as error:
        return passing.refusal(error, request, request_id_of(request))


async def _enter(project: str, path: str, request: Request) -> ProjectScope:
    """Who calls and what they may do here. No database session stays open while bytes pass."""
    rules.require_plain(path)
    subject = await authenticator_of(request).identify_request(request, takes_basic=True)
    if not rules.is_open(path):
        raise NotAllowed("The platform does not offer this part of MLflow: users, roles and workspaces are its own.")
    reads = rules.only_reads(request.method, path)
    if not reads and rules.is_foreign(request.headers.get("origin"), request.headers.get("host")):
        raise NotAllowed("A page of another site must not write here.")
    async with platform_of(request).database.transaction() as session:
        return await enter_project(session, subject, project, Role.VIEWER if reads else Role.EDITOR)


def _caller(request: Request, scope: ProjectScope) -> passing.Caller:
    platform: Platform = platform_of(request)
    may_write = scope.role.rank >= Role.EDITOR.rank
    return passing.Caller(platform.mlflow, platform.moves, scope.project_id, may_write, scope.subject.attempt_id)
