"""Who is asking: sign-in, tokens, users."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlp._lazy import read, read_page
from mlp.client.call import Call, params, path, wire

if TYPE_CHECKING:
    from mlp.schemas.base import Page
    from mlp.schemas.projects import (
        Me,
        TokenCreate,
        TokenCreated,
        TokenRead,
        UserPatch,
        UserRead,
    )


def me() -> Call[Me]:
    return Call("GET", path("me"), read("projects.Me"))


def login(username: str, password: str, device: str) -> Call[TokenCreated]:
    body = {"username": username, "password": password, "device": device}
    return Call("POST", path("login"), read("projects.TokenCreated"), json=body)


def change_password(old: str, new: str) -> Call[None]:
    return Call("POST", path("me:change-password"), json={"old_password": old, "new_password": new})


def list_tokens(*, limit: int | None = None) -> Call[Page[TokenRead]]:
    return Call("GET", path("tokens"), read_page("projects.TokenRead"), params(limit=limit))


def create_token(wanted: TokenCreate) -> Call[TokenCreated]:
    return Call("POST", path("tokens"), read("projects.TokenCreated"), json=wire(wanted))


def revoke_token(token: str) -> Call[None]:
    return Call("DELETE", path("tokens", token))


def list_users(*, limit: int | None = None) -> Call[Page[UserRead]]:
    return Call("GET", path("users"), read_page("projects.UserRead"), params(limit=limit))


def create_user(*, username: str, password: str, display_name: str = "", is_admin: bool = False) -> Call[UserRead]:
    body = {
        "username": username,
        "password": password,
        "display_name": display_name,
        "is_admin": is_admin,
    }
    return Call("POST", path("users"), read("projects.UserRead"), json=body)


def change_user(user: str, change: UserPatch) -> Call[UserRead]:
    return Call("PATCH", path("users", user), read("projects.UserRead"), json=wire(change))
