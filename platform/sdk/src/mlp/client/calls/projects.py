"""Projects and their members."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlp._lazy import read, read_page
from mlp.client.call import Call, params, path, wire

if TYPE_CHECKING:
    from mlp.schemas.base import Page
    from mlp.schemas.projects import MemberRead, ProjectCreate, ProjectPatch, ProjectRead


def list_projects(*, limit: int | None = None) -> Call[Page[ProjectRead]]:
    return Call("GET", path("projects"), read_page("projects.ProjectRead"), params(limit=limit))


def get(project: str) -> Call[ProjectRead]:
    return Call("GET", path("projects", project), read("projects.ProjectRead"))


def create(wanted: ProjectCreate) -> Call[ProjectRead]:
    return Call("POST", path("projects"), read("projects.ProjectRead"), json=wire(wanted))


def change(project: str, wanted: ProjectPatch, etag: str) -> Call[ProjectRead]:
    return Call(
        "PATCH",
        path("projects", project),
        read("projects.ProjectRead"),
        json=wire(wanted),
        headers={"If-Match": etag},
    )


def delete(project: str, etag: str) -> Call[None]:
    return Call("DELETE", path("projects", project), headers={"If-Match": etag})


def list_members(project: str, *, limit: int | None = None) -> Call[Page[MemberRead]]:
    return Call("GET", path("projects", project, "members"), read_page("projects.MemberRead"), params(limit=limit))


def put_member(project: str, user: str, role: str) -> Call[MemberRead]:
    return Call("PUT", path("projects", project, "members", user), read("projects.MemberRead"), json={"role": role})


def remove_member(project: str, user: str) -> Call[None]:
    return Call("DELETE", path("projects", project, "members", user))
