"""Packages: code, by content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlp._lazy import read, read_page
from mlp.client.call import Call, params, path

if TYPE_CHECKING:
    from mlp.schemas.base import Page
    from mlp.schemas.packages import PackageRead, PackageShow, PackageUpload

PART_TIMEOUT_SECONDS = 600.0
"""A part of 8 MiB through a line of 15 kB/s."""


def list_packages(project: str, *, limit: int | None = None) -> Call[Page[PackageRead]]:
    return Call("GET", path("projects", project, "packages"), read_page("packages.PackageRead"), params(limit=limit))


def get(project: str, digest: str) -> Call[PackageShow]:
    return Call("GET", path("projects", project, "packages", digest), read("packages.PackageShow"))


def create(project: str, *, digest: str, size: int, name: str | None) -> Call[PackageUpload]:
    return Call(
        "POST",
        path("projects", project, "packages"),
        read("packages.PackageUpload"),
        json={"digest": digest, "size": size, "name": name},
    )


def put_part(project: str, digest: str, number: int, content: bytes) -> Call[None]:
    return Call(
        "PUT",
        path("projects", project, "packages", digest, "parts", str(number)),
        lambda _: None,
        content=content,
        timeout_seconds=PART_TIMEOUT_SECONDS,
    )


def complete(project: str, digest: str) -> Call[PackageRead]:
    return Call(
        "POST",
        path("projects", project, "packages", f"{digest}:complete"),
        read("packages.PackageRead"),
        json={},
        timeout_seconds=PART_TIMEOUT_SECONDS,
    )


def content(project: str, digest: str) -> Call[bytes]:
    return Call("GET", path("projects", project, "packages", digest, "content"))


def delete(project: str, digest: str) -> Call[None]:
    return Call("DELETE", path("projects", project, "packages", digest))
