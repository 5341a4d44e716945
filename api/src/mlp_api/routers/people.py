"""Sign-in, the caller, tokens, users."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Depends, Path

from mlp.schemas.base import Page
from mlp.schemas.projects import (
    LoginRequest,
    Me,
    PasswordChange,
    TokenCreate,
    TokenCreated,
    TokenRead,
    UserCreate,
    UserPatch,
    UserRead,
)
from mlp_api.deps import (
    AdminDep,
    AuthenticatorDep,
    ClientAddress,
    PagingDep,
    PlatformDep,
    SessionDep,
    SubjectDep,
    UserDep,
)
from mlp_api.idempotency import Once, PlatformRoute
from mlp_api.problems import problems
from mlp_api.versions import SERVER_VERSION
from mlp_core.domain.errors import (
    IdempotencyMismatch,
    Invalid,
    LimitReached,
    NameTaken,
    NotAllowed,
    NotFound,
    NotSignedIn,
    StillInUse,
)
from mlp_core.people import read
from mlp_core.people.own_password import OwnPassword
from mlp_core.people.signin import SignIn
from mlp_core.people.tokens import Tokens
from mlp_core.people.users import Users

router = APIRouter(route_class=PlatformRoute)

TokenId = Annotated[str, Path(description="Id of the token; `current` is the one of this request.", max_length=64)]
UserName = Annotated[str, Path(description="Username or id.", min_length=1, max_length=100)]


async def get_tokens(session: SessionDep, platform: PlatformDep) -> Tokens:
    return Tokens(session, platform.clock)


async def get_users(session: SessionDep, platform: PlatformDep) -> Users:
    return Users(session, platform.clock)


TokensDep = Annotated[Tokens, Depends(get_tokens)]
UsersDep = Annotated[Users, Depends(get_users)]


@router.post(
    "/login",
    status_code=201,
    tags=["sign-in"],
    summary="Sign in with a password",
    responses=problems(NotSignedIn, LimitReached),
)
async def login(
    wanted: Annotated[
        LoginRequest,
        Body(openapi_examples={"laptop": {"value": {"username": "ada", "password": "…", "device": "ada's laptop"}}}),
    ],
    platform: PlatformDep,
    address: ClientAddress,
) -> TokenCreated:
    """A token for 30 days. A wrong password and an unknown user get the same answer; repeated failures have to wait."""
    signed_in = await SignIn(platform.database, platform.sign_in_throttle, platform.clock).sign_in(wanted, address)
    return read.created_token(signed_in, None)


@router.get("/me", tags=["sign-in"], summary="Who am I")
async def get_me(subject: SubjectDep, session: SessionDep, platform: PlatformDep) -> Me:
    """The caller, and the projects that the caller can use (the first 1,000 by name)."""
    return await read.read_me(session, subject, platform.settings.public_url, SERVER_VERSION)


@router.post(
    "/me:change-password",
    status_code=204,
    tags=["sign-in"],
    summary="Change my password",
    responses=problems(NotAllowed, LimitReached, Invalid),
)
async def change_password(
    wanted: Annotated[
        PasswordChange,
        Body(openapi_examples={"own": {"value": {"old_password": "…", "new_password": "correct horse battery"}}}),
    ],
    user: UserDep,
    platform: PlatformDep,
    authenticator: AuthenticatorDep,
    address: ClientAddress,
) -> None:
    """Needs the old one. Ends the caller's other sign-ins; tokens made for programs stay.

    Repeating it gives the same answer, so it takes no `Idempotency-Key`. Wrong passwords count as at signing in.
    """
    await OwnPassword(platform.database, platform.sign_in_throttle).change(user, wanted, address)
    authenticator.forget()


@router.get("/tokens", tags=["sign-in"], summary="List my tokens", responses=problems(Invalid))
async def list_tokens(user: UserDep, tokens: TokensDep, session: SessionDep, paging: PagingDep) -> Page[TokenRead]:
    """The caller's own tokens, newest first, expired ones included."""
    found = await tokens.page(user, paging.request)
    rows = await read.read_tokens(session, found.rows)
    return paging.answer(found, rows)


@router.post(
    "/tokens",
    status_code=201,
    tags=["sign-in"],
    summary="Make a token",
    responses=problems(NotAllowed, NotFound, IdempotencyMismatch, Invalid),
)
async def create_token(
    wanted: Annotated[
        TokenCreate,
        Body(openapi_examples={"ci": {"value": {"name": "ci", "expires_in": "720h", "project": "vision"}}}),
    ],
    user: UserDep,
    tokens: TokensDep,
    _once: Once,
) -> TokenCreated:
    """A token that may do what the caller may do, or less. It is shown this once."""
    made = await tokens.create(user, wanted)
    return read.created_token(made, wanted.project)


@router.get("/tokens/{token}", tags=["sign-in"], summary="Show one of my tokens")
async def get_token(token: TokenId, user: UserDep, tokens: TokensDep, session: SessionDep) -> TokenRead:
    """All of it but the secret."""
    return (await read.read_tokens(session, [await tokens.get(user, token)]))[0]


@router.delete("/tokens/{token}", status_code=204, tags=["sign-in"], summary="Revoke one of my tokens")
async def revoke_token(token: TokenId, user: UserDep, platform: PlatformDep, authenticator: AuthenticatorDep) -> None:
    """At once in this process, within five seconds in every other one."""
    async with platform.database.transaction() as session:
        await Tokens(session, platform.clock).revoke(user, token)
    authenticator.forget()


@router.get("/users", tags=["users"], summary="List users", responses=problems(Invalid))
async def list_users(_admin: AdminDep, users: UsersDep, paging: PagingDep) -> Page[UserRead]:
    """All accounts, newest first."""
    found = await users.page(paging.request)
    return paging.answer(found, [read.read_user(row) for row in found.rows])


@router.post(
    "/users",
    status_code=201,
    tags=["users"],
    summary="Make a user",
    responses=problems(NameTaken, IdempotencyMismatch, Invalid),
)
async def create_user(
    wanted: Annotated[
        UserCreate,
        Body(openapi_examples={"person": {"value": {"username": "ada", "password": "correct horse battery"}}}),
    ],
    _admin: AdminDep,
    users: UsersDep,
    _once: Once,
) -> UserRead:
    """An account with a password. It sees no project until it is made a member of one."""
    return read.read_user(await users.create(wanted))


@router.get("/users/{user}", tags=["users"], summary="Show a user")
async def get_user(user: UserName, _admin: AdminDep, users: UsersDep) -> UserRead:
    """One account."""
    return read.read_user(await users.get(user))


@router.patch("/users/{user}", tags=["users"], summary="Change a user", responses=problems(StillInUse, Invalid))
async def change_user(
    user: UserName, patch: UserPatch, _admin: AdminDep, platform: PlatformDep, authenticator: AuthenticatorDep
) -> UserRead:
    """Name, password, admin or not, active or not. The last active admin stays one."""
    async with platform.database.transaction() as session:
        changed = await Users(session, platform.clock).change(user, patch)
    authenticator.forget()
    return read.read_user(changed)
