"""Named Ray clusters of a project."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Depends, Path, Query, Response

from mlp.schemas.base import Page
from mlp.schemas.clusters import ClusterCreate, ClusterRead
from mlp.schemas.events import EventRead
from mlp.schemas.phases import ClusterPhase
from mlp_api.deps import Editor, PagingDep, PlatformDep, SessionDep, Viewer
from mlp_api.idempotency import Once, PlatformRoute
from mlp_api.problems import problems
from mlp_core.clusters.service import Clusters, read_cluster
from mlp_core.domain.errors import CanNeverFit, IdempotencyMismatch, Invalid, NameTaken, NotAllowed, NotFound
from mlp_core.events.read import read_event
from mlp_core.events.repository import EventFilter, EventRepository
from mlp_core.scope import ProjectScope
from mlp_core.tables import ClusterRow

router = APIRouter(prefix="/projects/{project}/clusters", tags=["clusters"], route_class=PlatformRoute)

ClusterName = Annotated[str, Path(description="Id or name of the cluster.", min_length=1, max_length=64)]
_EXAMPLE = {
    "name": "shared",
    "resources": {"groups": [{"name": "train", "gpu": 1, "cpu": 4, "memory": "16Gi", "replicas": 2}]},
}


async def get_clusters(session: SessionDep) -> Clusters:
    return Clusters(session)


ClustersDep = Annotated[Clusters, Depends(get_clusters)]


@router.post(
    "",
    status_code=201,
    summary="Ask for a cluster",
    responses=problems(CanNeverFit, NameTaken, Invalid, IdempotencyMismatch, NotAllowed),
)
async def create_cluster(
    wanted: Annotated[ClusterCreate, Body(openapi_examples={"shared": {"value": _EXAMPLE}})],
    scope: Editor,
    clusters: ClustersDep,
    platform: PlatformDep,
    response: Response,
    _once: Once,
) -> ClusterRead:
    """It starts when quota allows, and stays until it is stopped; follow `phase` and `reason`."""
    row = await clusters.create(scope, wanted)
    response.headers["Location"] = f"/api/v1/projects/{scope.slug}/clusters/{row.id}"
    return await _shown(row, scope, clusters, platform, response)


@router.get("", summary="List clusters", responses=problems(Invalid))
async def list_clusters(
    scope: Viewer,
    clusters: ClustersDep,
    platform: PlatformDep,
    paging: PagingDep,
    phase: Annotated[list[ClusterPhase] | None, Query(description="May be given several times.")] = None,
    name: Annotated[str | None, Query(max_length=40, description="A part of the name.")] = None,
) -> Page[ClusterRead]:
    """Newest first, those that have ended included."""
    found = await clusters.repository.page(scope, paging.request, phases=tuple(phase or ()), name=name)
    jobs = await clusters.repository.count_live_jobs([row.id for row in found.rows])
    url = platform.settings.public_url
    return paging.answer(found, [read_cluster(row, scope.slug, url, jobs.get(row.id, 0)) for row in found.rows])


@router.get("/{cluster}", summary="Show a cluster", responses=problems(NotFound))
async def get_cluster(
    cluster: ClusterName, scope: Viewer, clusters: ClustersDep, platform: PlatformDep, response: Response
) -> ClusterRead:
    """As it stands. Of several clusters of a name the one that has not ended, else the newest."""
    return await _shown(await clusters.repository.get(scope, cluster), scope, clusters, platform, response)


@router.post(
    "/{cluster}:stop",
    status_code=202,
    summary="Stop a cluster",
    responses={200: {"model": ClusterRead, "description": "It had ended already."}}
    | problems(NotFound, NotAllowed, IdempotencyMismatch),
)
async def stop_cluster(
    cluster: ClusterName,
    scope: Editor,
    clusters: ClustersDep,
    platform: PlatformDep,
    response: Response,
    _once: Once,
) -> ClusterRead:
    """Ask it to end. Asking again changes nothing."""
    row = await clusters.stop(scope, cluster)
    if row.ended_at is not None:
        response.status_code = 200
    return await _shown(row, scope, clusters, platform, response)


@router.get("/{cluster}/events", summary="List a cluster's events", responses=problems(NotFound, Invalid))
async def list_cluster_events(
    cluster: ClusterName, scope: Viewer, session: SessionDep, clusters: ClustersDep, paging: PagingDep
) -> Page[EventRead]:
    """Its history, oldest first."""
    row = await clusters.repository.get(scope, cluster)
    where = EventFilter(resource="cluster", resource_id=row.id)
    found = await EventRepository(session).page(scope, where, paging.request)
    return paging.answer(found, [read_event(event, scope.slug) for event in found.rows])


async def _shown(
    row: ClusterRow, scope: ProjectScope, clusters: Clusters, platform: PlatformDep, response: Response
) -> ClusterRead:
    jobs = await clusters.repository.count_live_jobs([row.id])
    read = read_cluster(row, scope.slug, platform.settings.public_url, jobs.get(row.id, 0))
    response.headers["ETag"] = read.etag
    return read
