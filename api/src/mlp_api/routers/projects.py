"""Projects and their members."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Depends, Path, Response

from mlp.schemas.base import Page
from mlp.schemas.projects import MemberPut, MemberRead, ProjectCreate, ProjectPatch, ProjectRead
from mlp_api.deps import AdminDep, IfMatch, Owner, PagingDep, PlatformDep, SessionDep, SubjectDep, Viewer
from mlp_api.idempotency import Once, PlatformRoute
from mlp_api.problems import problems
from mlp_core.domain.errors import (
    IdempotencyMismatch,
    Invalid,
    NameTaken,
    NotAllowed,
    NotFound,
    StillInUse,
    VersionConflict,
)
from mlp_core.projects import read
from mlp_core.projects.service import Projects
from mlp_core.scope import visible_projects

router = APIRouter(prefix="/projects", tags=["projects"], route_class=PlatformRoute)

MemberName = Annotated[str, Path(description="Username or id.", min_length=1, max_length=100)]


async def get_projects(session: SessionDep, platform: PlatformDep) -> Projects:
    return Projects(session, platform.clock)


ProjectsDep = Annotated[Projects, Depends(get_projects)]


@router.get("", summary="List projects", responses=problems(Invalid))
async def list_projects(
    subject: SubjectDep, session: SessionDep, platform: PlatformDep, projects: ProjectsDep, paging: PagingDep
) -> Page[ProjectRead]:
    """Projects that the caller is a member of, by name; all of them for a platform admin."""
    found = await projects.page(await visible_projects(session, subject), paging.request)
    rows = await read.read_projects(session, subject, found.rows, platform.settings.public_url)
    return paging.answer(found, rows)


@router.post(
    "",
    status_code=201,
    summary="Make a project",
    responses=problems(NameTaken, IdempotencyMismatch, NotAllowed, NotFound, Invalid),
)
async def create_project(
    wanted: Annotated[
        ProjectCreate,
        Body(openapi_examples={"vision": {"value": {"name": "vision", "limits": {"gpu": 8, "jobs": 100}}}}),
    ],
    subject: AdminDep,
    session: SessionDep,
    platform: PlatformDep,
    projects: ProjectsDep,
    response: Response,
    _once: Once,
) -> ProjectRead:
    """For platform admins. Who makes it is its first owner; its MLflow space is made in the background."""
    row = await projects.create(subject, wanted)
    response.headers["ETag"] = read.project_etag(row)
    return (await read.read_projects(session, subject, [row], platform.settings.public_url))[0]


@router.get("/{project}", summary="Show a project")
async def get_project(
    scope: Viewer, session: SessionDep, platform: PlatformDep, projects: ProjectsDep, response: Response
) -> ProjectRead:
    """Its limits, and the caller's role in it."""
    row = await projects.get(scope)
    response.headers["ETag"] = read.project_etag(row)
    return (await read.read_projects(session, scope.subject, [row], platform.settings.public_url))[0]


@router.patch("/{project}", summary="Change a project", responses=problems(VersionConflict, NotAllowed, Invalid))
async def change_project(
    patch: ProjectPatch,
    scope: Owner,
    session: SessionDep,
    platform: PlatformDep,
    projects: ProjectsDep,
    precondition: IfMatch,
    response: Response,
) -> ProjectRead:
    """Owners change the description, platform admins the limits too."""
    row = await projects.lock(scope)
    precondition.require(read.project_etag(row))
    row = await projects.change(scope, row, patch)
    response.headers["ETag"] = read.project_etag(row)
    return (await read.read_projects(session, scope.subject, [row], platform.settings.public_url))[0]


@router.delete(
    "/{project}", status_code=204, summary="Delete a project", responses=problems(StillInUse, VersionConflict)
)
async def delete_project(scope: Owner, projects: ProjectsDep, precondition: IfMatch) -> None:
    """Hides it from everyone at once. Refused while jobs or clusters of it have not ended."""
    row = await projects.lock(scope)
    precondition.require(read.project_etag(row))
    await projects.delete(scope, row)


@router.get("/{project}/members", summary="List members", responses=problems(Invalid))
async def list_members(scope: Viewer, projects: ProjectsDep, paging: PagingDep) -> Page[MemberRead]:
    """Who may do what here, those who came first first."""
    found = await projects.members(scope, paging.request)
    return paging.answer(found, [read.read_member(member, user) for member, user in found.rows])


@router.put("/{project}/members/{user}", summary="Give a user a role", responses=problems(StillInUse, Invalid))
async def put_member(user: MemberName, wanted: MemberPut, scope: Owner, projects: ProjectsDep) -> MemberRead:
    """Makes the user a member, or changes the role. A project always keeps an owner."""
    return read.read_member(*await projects.put_member(scope, user, wanted.role))


@router.delete("/{project}/members/{user}", status_code=204, summary="Remove a member", responses=problems(StillInUse))
async def remove_member(user: MemberName, scope: Owner, projects: ProjectsDep) -> None:
    """The user no longer sees the project. A project always keeps an owner."""
    await projects.remove_member(scope, user)
