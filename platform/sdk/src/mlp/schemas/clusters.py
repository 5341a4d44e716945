"""Named Ray clusters of a project, on which many jobs can run."""

from __future__ import annotations

from pydantic import Field

from mlp.schemas.base import Instant, Intent, Slug, Wire
from mlp.schemas.jobs import QueuePlace
from mlp.schemas.phases import ClusterPhase
from mlp.schemas.resources import Resources


class ClusterCreate(Intent):
    name: Slug
    resources: Resources = Resources()


class ClusterRead(Wire):
    id: str
    project: str
    name: str
    phase: ClusterPhase
    reason: str
    message: str
    queue: QueuePlace | None = Field(default=None, description="While it is queued for machines.")
    nodes_ready: int = 0
    nodes_wanted: int
    resources: Resources
    created_by: str
    created_at: Instant
    phase_since: Instant
    ready_at: Instant | None = None
    ended_at: Instant | None = None
    etag: str
    url: str
    running_jobs: int = Field(default=0, description="Jobs that have not ended and run on this cluster.")
