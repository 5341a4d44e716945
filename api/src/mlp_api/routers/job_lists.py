"""Lists of jobs: filtered, sorted, counted; and a project's first page."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from mlp.schemas.base import Page
from mlp.schemas.home import JobCounts, ProjectHome
from mlp.schemas.jobs import JobRead
from mlp.schemas.phases import FailureClass, JobKind, JobPhase
from mlp_api import moments
from mlp_api.deps import PagingDep, PlatformDep, SessionDep, Viewer
from mlp_api.problems import problems
from mlp_core.clusters.repository import ClusterRepository
from mlp_core.domain.errors import Invalid
from mlp_core.jobs.filters import JobFilter
from mlp_core.jobs.home import read_counts, read_home
from mlp_core.jobs.read import JobReader
from mlp_core.jobs.repository import SORTABLE, JobRepository, order_of

router = APIRouter(prefix="/projects/{project}", tags=["jobs"])

_SEVERAL = "May be given several times."


async def get_filter(
    scope: Viewer,
    session: SessionDep,
    platform: PlatformDep,
    phase: Annotated[list[JobPhase] | None, Query(description=_SEVERAL)] = None,
    kind: Annotated[list[JobKind] | None, Query(description=_SEVERAL)] = None,
    failure: Annotated[list[FailureClass] | None, Query(description=f"Class of the failure. {_SEVERAL}")] = None,
    search: Annotated[
        str | None,
        Query(
            max_length=200,
            description="Words that all must match: a part of the name or of a tag of the run, `tag=value`, or the "
            "start of the id.",
        ),
    ] = None,
    name: Annotated[str | None, Query(max_length=200, description="A part of the name.")] = None,
    created_by: Annotated[str | None, Query(max_length=100, description="A username, exactly.")] = None,
    since: Annotated[str | None, Query(max_length=40, description=f"Created since. {moments.DESCRIPTION}")] = None,
    until: Annotated[str | None, Query(max_length=40, description=f"Created before. {moments.DESCRIPTION}")] = None,
    cluster: Annotated[str | None, Query(max_length=64, description="Id or name of a named cluster.")] = None,
    package: Annotated[str | None, Query(max_length=71, description="Digest of the package they run.")] = None,
) -> JobFilter:
    now = platform.clock.now()
    return JobFilter(
        phases=tuple(phase or ()),
        kinds=tuple(kind or ()),
        failure_classes=tuple(failure or ()),
        search=search,
        name=name,
        created_by=created_by,
        since=moments.moment("since", since, now),
        until=moments.moment("until", until, now),
        cluster_id=None if cluster is None else (await ClusterRepository(session).get(scope, cluster)).id,
        package=package,
    )


FilterDep = Annotated[JobFilter, Depends(get_filter)]


@router.get("/jobs", summary="List jobs", responses=problems(Invalid))
async def list_jobs(
    scope: Viewer,
    session: SessionDep,
    platform: PlatformDep,
    where: FilterDep,
    paging: PagingDep,
    order_by: Annotated[
        str,
        Query(max_length=20, description=f"One of `{'`, `'.join(SORTABLE)}`; with `-` descending. Empty ones last."),
    ] = "-created_at",
) -> Page[JobRead]:
    """Newest first unless sorted otherwise. `total` is given up to 10,000 jobs."""
    jobs = JobRepository(session)
    found = await jobs.page(scope, where, order_of(order_by), paging.request)
    reader = JobReader(session, platform.settings.public_url)
    items = await reader.jobs(found.rows, {scope.project_id: scope.slug})
    return paging.answer(found, items, await jobs.total(scope, where))


@router.get("/jobs:count", summary="Count jobs by phase", responses=problems(Invalid))
async def count_jobs(scope: Viewer, session: SessionDep, where: FilterDep) -> JobCounts:
    """Of the same filters as the list; `phase` is passed over, so that each phase is told how many it would add."""
    return await read_counts(session, scope, where)


@router.get("/home", summary="What goes on in a project")
async def get_home(scope: Viewer, session: SessionDep, platform: PlatformDep) -> ProjectHome:
    """What runs, what waits and why, what failed in the last 24 hours, and how many of each phase there are."""
    return await read_home(session, scope, platform.settings.public_url)
