"""Use of machines, stacked by project. Capacity is shared, so sums span all tenants; names do not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.base import ResourceRef
from mlp.schemas.pools import PoolUse
from mlp.schemas.projects import ProjectLimits
from mlp.schemas.usage import Nodes, NodeUse, PoolUsage, ProjectUsage, Share, Usage
from mlp_core.domain.admission import Gang
from mlp_core.domain.packing import NodeDemand, PoolShape
from mlp_core.scheduling.snapshot import load_snapshot
from mlp_core.scope import SubjectScope
from mlp_core.tables import AttemptRow, JobRow, ProjectRow, SampleRow

MOST_NODES = 1000
FRESH = timedelta(minutes=5)
"""A node that has told nothing for so long is not shown as used."""
_JOB = "job_"


@dataclass(slots=True)
class _Sum:
    use: PoolUse = field(default_factory=PoolUse)
    jobs: set[str] = field(default_factory=set[str])
    clusters: set[str] = field(default_factory=set[str])

    def add(self, gang: Gang, demand: NodeDemand) -> None:
        self.use = _plus(self.use, demand)
        (self.jobs if gang.id.startswith(_JOB) else self.clusters).add(gang.id)


async def read_usage(session: AsyncSession, scope: SubjectScope) -> Usage:
    """What is held of each pool, and what the caller's projects hold of their limits."""
    found = await load_snapshot(session)
    visible = scope.limit(select(ProjectRow.id, ProjectRow.slug, ProjectRow.limits), ProjectRow.id)
    projects = {row.id: row for row in await session.execute(visible.order_by(ProjectRow.slug))}
    slugs = {id_: row.slug for id_, row in projects.items()}
    held: dict[str, PoolUse] = defaultdict(PoolUse)
    for gang in found.holding:
        for demand in gang.demands:
            held[gang.project_id] = _plus(held[gang.project_id], demand)
    return Usage(
        at=(await session.execute(select(func.now()))).scalar_one(),
        pools=[_pool(pool, found.holding, found.waiting, slugs) for pool in found.pools],
        projects=[
            ProjectUsage(project=row.slug, limits=ProjectLimits.model_validate(row.limits), held=held[id_])
            for id_, row in projects.items()
        ],
    )


async def read_nodes(session: AsyncSession, scope: SubjectScope, public_url: str) -> Nodes:
    """The last sample of each node of the live attempts that the caller may see."""
    live = (
        scope.limit(
            select(AttemptRow.id, AttemptRow.number, JobRow.id.label("job_id"), JobRow.name, ProjectRow.slug),
            AttemptRow.project_id,
        )
        .join(JobRow, JobRow.id == AttemptRow.job_id)
        .join(ProjectRow, ProjectRow.id == AttemptRow.project_id)
        .where(AttemptRow.ended_at.is_(None))
        .order_by(AttemptRow.created_at.desc())
        .limit(MOST_NODES)
        .subquery()
    )
    latest = (
        select(SampleRow, live.c.number, live.c.job_id, live.c.name, live.c.slug)
        .join(live, live.c.id == SampleRow.attempt_id)
        .where(SampleRow.resolution == 0, SampleRow.at > func.now() - FRESH)
        .distinct(SampleRow.attempt_id, SampleRow.node)
        .order_by(SampleRow.attempt_id, SampleRow.node, SampleRow.at.desc())
        .limit(MOST_NODES + 1)
    )
    root = public_url.rstrip("/")
    nodes = [
        _node(sample, number, ResourceRef(id=job_id, name=name, url=_job_url(root, slug, job_id)), slug)
        for sample, number, job_id, name, slug in await session.execute(latest)
    ]
    return Nodes(nodes=nodes[:MOST_NODES], truncated=len(nodes) > MOST_NODES)


def _pool(pool: PoolShape, holding: Iterable[Gang], waiting: Iterable[Gang], slugs: Mapping[str, str]) -> PoolUsage:
    return PoolUsage(
        pool=pool.name,
        machines=pool.machines,
        capacity=PoolUse(
            cpu=pool.machine.cpu * pool.machines,
            memory_bytes=pool.machine.memory_bytes * pool.machines,
            gpu=pool.machine.gpu * pool.machines,
        ),
        held=_shares(pool.name, holding, slugs),
        waiting=_shares(pool.name, waiting, slugs),
    )


def _shares(pool: str, gangs: Iterable[Gang], slugs: Mapping[str, str]) -> list[Share]:
    sums: dict[str | None, _Sum] = defaultdict(_Sum)
    for gang in gangs:
        for demand in gang.demands:
            if demand.pool == pool:
                sums[slugs.get(gang.project_id)].add(gang, demand)
    shares = [
        Share(project=project, use=one.use, jobs=len(one.jobs), clusters=len(one.clusters))
        for project, one in sums.items()
    ]
    return sorted(shares, key=lambda share: (-share.use.gpu, -share.use.cpu, share.project or "~"))


def _plus(use: PoolUse, demand: NodeDemand) -> PoolUse:
    return PoolUse(
        cpu=use.cpu + demand.node.cpu * demand.count,
        memory_bytes=use.memory_bytes + demand.node.memory_bytes * demand.count,
        gpu=use.gpu + demand.node.gpu * demand.count,
    )


def _node(sample: SampleRow, attempt: int, job: ResourceRef, project: str) -> NodeUse:
    return NodeUse(
        node=sample.node,
        project=project,
        job=job,
        attempt=attempt,
        at=sample.at,
        cpu_cores=sample.cpu_cores,
        memory_bytes=sample.memory_bytes,
        memory_limit_bytes=sample.memory_limit_bytes,
        gpu_utilisation=sample.gpu_utilisation,
        gpu_memory_bytes=sample.gpu_memory_bytes,
    )


def _job_url(root: str, slug: str, job_id: str) -> str:
    return f"{root}/api/v1/projects/{slug}/jobs/{job_id}"
