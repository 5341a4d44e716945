"""Named Ray clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlp._lazy import read, read_page
from mlp.client.call import Call, params, path, wire

if TYPE_CHECKING:
    from mlp.schemas.base import Page
    from mlp.schemas.clusters import ClusterCreate, ClusterRead


def list_clusters(project: str, *, limit: int | None = None) -> Call[Page[ClusterRead]]:
    return Call("GET", path("projects", project, "clusters"), read_page("clusters.ClusterRead"), params(limit=limit))


def get(project: str, cluster: str) -> Call[ClusterRead]:
    return Call("GET", path("projects", project, "clusters", cluster), read("clusters.ClusterRead"))


def create(project: str, wanted: ClusterCreate) -> Call[ClusterRead]:
    return Call("POST", path("projects", project, "clusters"), read("clusters.ClusterRead"), json=wire(wanted))


def stop(project: str, cluster: str) -> Call[ClusterRead]:
    return Call("POST", path("projects", project, "clusters", f"{cluster}:stop"), read("clusters.ClusterRead"), json={})
