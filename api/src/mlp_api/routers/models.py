"""Registered models of a project."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from mlp.schemas.base import Page
from mlp.schemas.models import ModelRead, ModelVersionRead
from mlp_api.deps import PagingDep, PlatformDep, ViewerDetached
from mlp_api.problems import problems
from mlp_core.domain.errors import Invalid, NotFound, Unavailable

router = APIRouter(prefix="/projects/{project}/models", tags=["models"])

ModelName = Annotated[str, Path(description="Name of the model.", min_length=1, max_length=300)]


@router.get("", summary="List models", responses=problems(Invalid, Unavailable))
async def list_models(
    scope: ViewerDetached,
    platform: PlatformDep,
    paging: PagingDep,
    name: Annotated[str | None, Query(max_length=200, description="A part of the name.")] = None,
) -> Page[ModelRead]:
    """By name, from MLflow's registry."""
    found = await platform.model_registry.models(scope, paging.request, name)
    return paging.answer(found, found.rows)


@router.get("/{model}", summary="Show a model", responses=problems(NotFound, Unavailable))
async def get_model(model: ModelName, scope: ViewerDetached, platform: PlatformDep) -> ModelRead:
    """Its aliases, tags and latest version."""
    return await platform.model_registry.model(scope, model)


@router.get(
    "/{model}/versions",
    summary="List a model's versions",
    responses=problems(NotFound, Invalid, Unavailable),
    response_model=Page[ModelVersionRead],
)
async def list_model_versions(
    model: ModelName, scope: ViewerDetached, platform: PlatformDep, paging: PagingDep, response: Response
) -> Response:
    """Newest first, each with the job, code and environment that made it, and what its run logged."""
    found = await platform.model_registry.versions(scope, model, paging.request)
    page = paging.answer(found, found.rows)
    # Pydantic spells NaN and the infinities, which JSON has no numbers for.
    return Response(page.model_dump_json(by_alias=True), media_type="application/json", headers=links_of(response))


def links_of(response: Response) -> dict[str, str]:
    """The header that paging has set, for an answer that is made here."""
    return {"Link": response.headers["Link"]} if "Link" in response.headers else {}
