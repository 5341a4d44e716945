"""Events of a project: everything that happened in it, and who or what did it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from mlp.schemas.base import Page
from mlp.schemas.events import EventRead
from mlp_api import moments
from mlp_api.deps import PagingDep, PlatformDep, SessionDep, Viewer
from mlp_api.problems import problems
from mlp_core.domain.errors import Invalid
from mlp_core.events.read import read_event
from mlp_core.events.repository import EventFilter, EventRepository

router = APIRouter(prefix="/projects/{project}/events", tags=["events"])


@router.get("", summary="List events", responses=problems(Invalid))
async def list_events(
    scope: Viewer,
    session: SessionDep,
    platform: PlatformDep,
    paging: PagingDep,
    resource: Annotated[str | None, Query(max_length=20, description="`job`, `cluster`, `environment`, …")] = None,
    resource_id: Annotated[str | None, Query(max_length=80, description="Id of one resource.")] = None,
    reason: Annotated[
        list[Annotated[str, Query(max_length=100)]] | None, Query(description="May be given several times.")
    ] = None,
    since: Annotated[str | None, Query(max_length=40, description=moments.DESCRIPTION)] = None,
) -> Page[EventRead]:
    """Newest first."""
    where = EventFilter(
        resource=resource,
        resource_id=resource_id,
        reasons=tuple(reason or ()),
        since=moments.moment("since", since, platform.clock.now()),
    )
    found = await EventRepository(session).page(scope, where, paging.request, newest_first=True)
    return paging.answer(found, [read_event(event, scope.slug) for event in found.rows])
