"""What of the platform's machines is held and used, by whom the caller may know."""

from __future__ import annotations

from pydantic import Field

from mlp.schemas.base import Instant, ResourceRef, Wire
from mlp.schemas.pools import PoolUse
from mlp.schemas.projects import ProjectLimits


class Share(Wire):
    """What one project holds or waits for in a pool; all projects that the caller cannot see are one."""

    project: str | None = Field(description="Null = projects that the caller cannot see, together.")
    use: PoolUse
    jobs: int = 0
    clusters: int = 0


class PoolUsage(Wire):
    pool: str
    machines: int
    capacity: PoolUse
    held: list[Share] = Field(description="By admitted jobs and clusters, the largest first.")
    waiting: list[Share] = Field(description="Asked for by queued ones.")


class ProjectUsage(Wire):
    """One of the caller's projects over all pools."""

    project: str
    limits: ProjectLimits
    held: PoolUse


class Usage(Wire):
    at: Instant
    pools: list[PoolUsage]
    projects: list[ProjectUsage]


class NodeUse(Wire):
    """The last sample of a live node of a job."""

    node: str
    project: str
    job: ResourceRef
    attempt: int
    at: Instant
    cpu_cores: float
    memory_bytes: int
    memory_limit_bytes: int | None = None
    gpu_utilisation: float | None = Field(default=None, description="Percent, over its accelerators.")
    gpu_memory_bytes: int | None = None


class Nodes(Wire):
    nodes: list[NodeUse]
    truncated: bool = Field(default=False, description="There are more than are listed.")
