"""Sessions of browsers: begin, end, and links that begin one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Request, Response

from mlp.schemas.sessions import SessionCreate, SessionRead, SignInLink
from mlp_api.deps import AuthenticatorDep, ClientAddress, PlatformDep, UserDep
from mlp_api.idempotency import PlatformRoute
from mlp_api.problems import problems
from mlp_core.domain.errors import LimitReached, NotAllowed, NotSignedIn

router = APIRouter(tags=["sign-in"], route_class=PlatformRoute)

_EXAMPLES = {
    "password": {"value": {"username": "ada", "password": "…"}},
    "token": {"value": {"token": "mlp_…"}},
    "link": {"value": {"link": "…"}},
}


@router.post(
    "/session",
    status_code=201,
    summary="Sign a browser in",
    responses=problems(NotSignedIn, LimitReached, NotAllowed),
)
async def create_session(
    wanted: Annotated[SessionCreate, Body(openapi_examples=_EXAMPLES)],  # pyright: ignore[reportArgumentType]
    request: Request,
    response: Response,
    platform: PlatformDep,
    authenticator: AuthenticatorDep,
    address: ClientAddress,
) -> SessionRead:
    """Sets a cookie that scripts cannot read, in place of a token. It ends with the token that it was begun by.

    What the cookie may change is only asked for by the platform's own pages: other sites are refused.
    """
    cookie = authenticator.cookie
    cookie.require_not_foreign(request.headers)
    begun = await platform.sessions.sign_in(wanted, address)
    before = cookie.read(request)
    if before is not None and await platform.sessions.sign_out(before):
        authenticator.forget()
    cookie.set(response, begun.token.plain, begun.token.row.expires_at)
    return SessionRead(username=begun.username, expires_at=begun.token.row.expires_at)


@router.delete("/session", status_code=204, summary="Sign a browser out", responses=problems(NotAllowed))
async def end_session(
    request: Request, response: Response, platform: PlatformDep, authenticator: AuthenticatorDep
) -> None:
    """The session ends at once in this process, within five seconds in every other one, and its cookie goes."""
    cookie = authenticator.cookie
    session = cookie.read(request)
    if session is not None:
        cookie.require_own_page(request.method, request.headers)
        await platform.sessions.sign_out(session)
        authenticator.forget()
    cookie.clear(response)


@router.post("/session-links", status_code=201, summary="Make a sign-in link", responses=problems(NotAllowed))
async def create_session_link(user: UserDep, platform: PlatformDep) -> SignInLink:
    """Good once and for ten minutes. What follows `#` never reaches a server: the page sends it as `link`.

    Every call makes another link, so it takes no `Idempotency-Key`.
    """
    link = await platform.sessions.make_link(user)
    return SignInLink(
        url=f"{platform.settings.public_url.rstrip('/')}/sign-in#link={link.code}", expires_at=link.expires_at
    )
