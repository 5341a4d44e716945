"""A project's first page: bounded looks by index, whatever the project holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import Select, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.home import JobCounts, ProjectHome
from mlp.schemas.phases import TERMINAL_PHASES, FailureClass, JobPhase
from mlp_core.jobs.filters import COUNTED_ROWS, JobFilter
from mlp_core.jobs.read import JobReader
from mlp_core.jobs.repository import JobRepository
from mlp_core.scope import ProjectScope
from mlp_core.tables import JobRow

SHOWN = 20
LATELY = timedelta(hours=24)


async def read_counts(session: AsyncSession, scope: ProjectScope, where: JobFilter) -> JobCounts:
    return JobCounts(phases=await JobRepository(session).counts(scope, where), most=COUNTED_ROWS)


async def read_home(session: AsyncSession, scope: ProjectScope, public_url: str) -> ProjectHome:
    since = (await session.execute(select(func.now()))).scalar_one() - LATELY
    reader = JobReader(session, public_url)
    slugs: dict[str, str] = {scope.project_id: scope.slug}
    ended, failures = await _ended_since(session, scope, since)

    async def shown(statement: Select[JobRow]) -> Sequence[JobRow]:
        return (await session.scalars(scope.limit(statement, JobRow.project_id).limit(SHOWN))).all()

    live = select(JobRow).where(JobRow.ended_at.is_(None))
    queued = JobRow.phase == JobPhase.QUEUED.value
    failed = select(JobRow).where(JobRow.phase == JobPhase.FAILED.value, JobRow.ended_at >= since)
    running = await shown(live.where(~queued).order_by(JobRow.phase_since.desc(), JobRow.id.desc()))
    waiting = await shown(live.where(queued).order_by(JobRow.created_at, JobRow.id))
    lately = await shown(failed.order_by(JobRow.ended_at.desc(), JobRow.id.desc()))
    return ProjectHome(
        running=await reader.jobs(running, slugs),
        waiting=await reader.jobs(waiting, slugs),
        failed=await reader.jobs(lately, slugs),
        since=since,
        counts=await read_counts(session, scope, JobFilter()),
        ended=ended,
        failures=failures,
    )


async def _ended_since(
    session: AsyncSession, scope: ProjectScope, since: datetime
) -> tuple[dict[JobPhase, int], dict[FailureClass, int]]:
    """How jobs ended and of what they failed; of the latest ones where very many ended."""
    latest = (
        scope.limit(select(JobRow.phase, JobRow.failure["class"].astext.label("failure")), JobRow.project_id)
        .where(JobRow.ended_at >= since)
        .order_by(JobRow.ended_at.desc())
        .limit(COUNTED_ROWS)
        .subquery()
    )
    grouped = select(latest.c.phase, latest.c.failure, func.count()).group_by(latest.c.phase, latest.c.failure)
    ended: Counter[JobPhase] = Counter({phase: 0 for phase in JobPhase if phase in TERMINAL_PHASES})
    failures: Counter[FailureClass] = Counter()
    for phase, failure, count in await session.execute(grouped):
        ended[JobPhase(phase)] += count
        if failure is not None:
            failures[FailureClass(failure)] += count
    return dict(ended), dict(failures)
