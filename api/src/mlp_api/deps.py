"""What routes ask for: the session of the request, the caller, a way into a project, pages, ETags."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar
from urllib.parse import parse_qsl, urlencode

from fastapi import Depends, Header, Path, Query, Request, Response
from fastapi.security import APIKeyCookie, HTTPBearer
from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.base import Page
from mlp.schemas.phases import Role
from mlp_api.auth import Authenticator
from mlp_api.platform import Platform
from mlp_api.sessions import COOKIE
from mlp_api.web import WebApp
from mlp_core.domain.errors import NotAllowed, VersionConflict
from mlp_core.kit.pages import DEFAULT_LIMIT, MAX_LIMIT, PageRequest, Slice
from mlp_core.scope import ProjectScope, Subject, enter_project, require_admin

T = TypeVar("T")


def platform_of(request: Request) -> Platform:
    return request.app.state.platform


async def get_platform(request: Request) -> Platform:
    # Every dependency is a coroutine: FastAPI runs the others in threads, which costs more than they do.
    return platform_of(request)


PlatformDep = Annotated[Platform, Depends(get_platform)]


async def get_session(platform: PlatformDep) -> AsyncGenerator[AsyncSession]:
    """The request's one transaction. It commits after the route returned and before the answer is sent."""
    async with platform.database.transaction() as session:
        yield session


SessionDep = Annotated[AsyncSession, Depends(get_session, scope="function")]

_bearer = HTTPBearer(auto_error=False, scheme_name="token", description="A user's token, or a job's inside of a job.")
_cookie = APIKeyCookie(
    name=COOKIE,
    auto_error=False,
    scheme_name="session",
    description="A browser's session, set by `POST /api/v1/session`; for the platform's own pages only. The name has a "
    "prefix under https and the port as suffix where it is not the usual one.",
)


def authenticator_of(request: Request) -> Authenticator:
    return request.app.state.authenticator


def web_of(request: Request) -> WebApp:
    return request.app.state.web


async def get_authenticator(request: Request) -> Authenticator:
    return authenticator_of(request)


AuthenticatorDep = Annotated[Authenticator, Depends(get_authenticator)]


async def get_subject(
    request: Request,
    authenticator: AuthenticatorDep,
    _by_token: Annotated[object, Depends(_bearer)],
    _by_session: Annotated[object, Depends(_cookie)],
) -> Subject:
    return await authenticator.identify_request(request)


SubjectDep = Annotated[Subject, Depends(get_subject)]


async def get_user(subject: SubjectDep) -> Subject:
    """A person; what belongs to people (tokens) is not for jobs."""
    if subject.kind != "user":
        raise NotAllowed("Jobs cannot do this.", hint="Use a token of a person.")
    return subject


async def get_admin(subject: SubjectDep) -> Subject:
    require_admin(subject)
    return subject


async def get_job(subject: SubjectDep) -> Subject:
    """A live attempt, by its job token."""
    if subject.kind != "job":
        raise NotAllowed("Only the processes of a job can do this.", hint="It needs the job's own token.")
    return subject


UserDep = Annotated[Subject, Depends(get_user)]
AdminDep = Annotated[Subject, Depends(get_admin)]
JobSubjectDep = Annotated[Subject, Depends(get_job)]

ProjectName = Annotated[str, Path(description="Name or id of the project.", min_length=1, max_length=64)]


def _in_project(needs: Role) -> Callable[[ProjectName, SessionDep, SubjectDep], Awaitable[ProjectScope]]:
    async def enter(project: ProjectName, session: SessionDep, subject: SubjectDep) -> ProjectScope:
        return await enter_project(session, subject, project, needs)

    return enter


def _in_project_detached(needs: Role) -> Callable[[ProjectName, PlatformDep, SubjectDep], Awaitable[ProjectScope]]:
    async def enter(project: ProjectName, platform: PlatformDep, subject: SubjectDep) -> ProjectScope:
        async with platform.database.transaction() as session:
            return await enter_project(session, subject, project, needs)

    return enter


Viewer = Annotated[ProjectScope, Depends(_in_project(Role.VIEWER))]
Editor = Annotated[ProjectScope, Depends(_in_project(Role.EDITOR))]
Owner = Annotated[ProjectScope, Depends(_in_project(Role.OWNER))]
ViewerDetached = Annotated[ProjectScope, Depends(_in_project_detached(Role.VIEWER))]
EditorDetached = Annotated[ProjectScope, Depends(_in_project_detached(Role.EDITOR))]
"""For routes that move bytes or wait: no connection is held while they do."""


@dataclass(frozen=True, slots=True)
class Paging:
    """Which page is asked for, and how it is answered."""

    request: PageRequest
    _url: str
    _response: Response

    def answer(self, found: Slice[Any], items: list[T], total: int | None = None) -> Page[T]:
        """`items`, made of the rows of `found`, with a `Link: …; rel="next"` where there is another page."""
        if found.next is not None:
            path, _, query = self._url.partition("?")
            kept = [pair for pair in parse_qsl(query) if pair[0] != "cursor"]
            self._response.headers["Link"] = f'<{path}?{urlencode([*kept, ("cursor", found.next)])}>; rel="next"'
        return Page(items=items, next=found.next, total=total)


async def get_paging(
    request: Request,
    response: Response,
    platform: PlatformDep,
    subject: SubjectDep,
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT, description="Rows per page.")] = DEFAULT_LIMIT,
    cursor: Annotated[
        str | None, Query(max_length=2000, description="`next` of the page before; only for the same list.")
    ] = None,
) -> Paging:
    filters = sorted(pair for pair in request.query_params.multi_items() if pair[0] not in {"cursor", "limit"})
    binding = f"{subject.id}\n{request.url.path}\n{urlencode(filters)}"
    url = f"{platform.settings.public_url.rstrip('/')}{request.url.path}?{request.url.query}"
    return Paging(PageRequest(platform.cursors, binding, cursor, limit), url, response)


PagingDep = Annotated[Paging, Depends(get_paging)]


@dataclass(frozen=True, slots=True)
class Precondition:
    """`If-Match` of a change: do it only to the version that the caller has seen."""

    wanted: str | None

    def require(self, etag: str) -> None:
        """
        Raises:
            VersionConflict: the resource is no longer the one that the caller read.
        """
        if self.wanted is None or self.wanted.strip() == "*":
            return
        known = {tag.strip().removeprefix("W/") for tag in self.wanted.split(",")}
        if etag not in known and etag.strip('"') not in known:
            raise VersionConflict(
                f"It has changed since you read it: it is at {etag} now.",
                hint="Read it again and repeat the change.",
                data={"etag": etag},
            )


async def get_precondition(
    if_match: Annotated[
        str | None,
        Header(alias="If-Match", max_length=500, description="ETag of the version that is to be changed; `*` = any."),
    ] = None,
) -> Precondition:
    return Precondition(if_match)


IfMatch = Annotated[Precondition, Depends(get_precondition)]


async def client_address(request: Request) -> str:
    return request.client.host if request.client else "unknown"


ClientAddress = Annotated[str, Depends(client_address)]
