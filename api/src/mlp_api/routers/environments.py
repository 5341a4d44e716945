"""Environments: what code needs, resolved once to a lock."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Depends, Path, Query, Response

from mlp.schemas.base import Page
from mlp.schemas.environments import EnvironmentCreate, EnvironmentRead
from mlp.schemas.phases import EnvironmentPhase
from mlp_api.deps import Editor, PagingDep, SessionDep, Viewer
from mlp_api.idempotency import Once, PlatformRoute
from mlp_api.problems import problems
from mlp_core.domain.errors import IdempotencyMismatch, Invalid, NameTaken, NotAllowed, NotFound, StillInUse
from mlp_core.environments.service import Environments, read_environment
from mlp_core.scope import ProjectScope
from mlp_core.tables import EnvironmentRow

router = APIRouter(prefix="/projects/{project}/environments", tags=["environments"], route_class=PlatformRoute)

EnvironmentName = Annotated[str, Path(description="Id or name of the environment.", min_length=1, max_length=64)]
_EXAMPLE = {"name": "boosting", "python": "3.11", "requirements": ["xgboost-cpu==3.2.0"]}


async def get_environments(session: SessionDep) -> Environments:
    return Environments(session)


EnvironmentsDep = Annotated[Environments, Depends(get_environments)]


@router.post(
    "",
    status_code=201,
    summary="Ask for an environment",
    responses=problems(NameTaken, Invalid, IdempotencyMismatch, NotAllowed),
)
async def create_environment(
    wanted: Annotated[EnvironmentCreate, Body(openapi_examples={"boosting": {"value": _EXAMPLE}})],
    scope: Editor,
    environments: EnvironmentsDep,
    response: Response,
    _once: Once,
) -> EnvironmentRead:
    """It is resolved soon after; follow `phase`. An unnamed one is the same one for the same request."""
    row = await environments.create(scope, wanted)
    response.headers["Location"] = f"/api/v1/projects/{scope.slug}/environments/{row.id}"
    return await _shown(row, scope, environments)


@router.get("", summary="List environments", responses=problems(Invalid))
async def list_environments(
    scope: Viewer,
    environments: EnvironmentsDep,
    paging: PagingDep,
    phase: Annotated[EnvironmentPhase | None, Query()] = None,
    name: Annotated[str | None, Query(max_length=40, description="A part of the name.")] = None,
) -> Page[EnvironmentRead]:
    """Newest first, named and unnamed ones."""
    found = await environments.repository.page(scope, paging.request, name=name, phase=phase)
    jobs = await environments.repository.count_jobs([row.id for row in found.rows])
    return paging.answer(found, [read_environment(row, scope.slug, jobs.get(row.id, 0)) for row in found.rows])


@router.get("/{environment}", summary="Show an environment", responses=problems(NotFound))
async def get_environment(
    environment: EnvironmentName, scope: Viewer, environments: EnvironmentsDep
) -> EnvironmentRead:
    """With its lock, once it is resolved."""
    return await _shown(await environments.repository.get(scope, environment), scope, environments)


@router.delete(
    "/{environment}",
    status_code=204,
    summary="Delete an environment",
    responses=problems(NotFound, StillInUse, NotAllowed),
)
async def delete_environment(environment: EnvironmentName, scope: Editor, environments: EnvironmentsDep) -> None:
    """Only one that no job refers to."""
    await environments.delete(scope, environment)


async def _shown(row: EnvironmentRow, scope: ProjectScope, environments: Environments) -> EnvironmentRead:
    jobs = await environments.repository.count_jobs([row.id])
    return read_environment(row, scope.slug, jobs.get(row.id, 0))
