"""Why a job is where it is: behind whom, until when, what would start it now."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from mlp.schemas.jobs import Ahead, Blocker, QueuePlace, Why
from mlp.schemas.phases import JobPhase
from mlp.schemas.units import format_memory
from mlp_core.domain.admission import Gang, Verdict, verdicts
from mlp_core.domain.ids import ProjectId
from mlp_core.jobs.read import slugs_of
from mlp_core.jobs.repository import JobRepository
from mlp_core.scheduling import places
from mlp_core.scheduling.snapshot import load_snapshot
from mlp_core.scope import ProjectScope, among, visible_projects
from mlp_core.tables import AttemptRow, JobRow

MAX_BLOCKERS = 20
MAX_AHEAD = 20
_RECENT = 100
"""Phases that ended lately tell how long the next one usually takes."""
_FEWEST = 3


async def explain(session: AsyncSession, scope: ProjectScope, job: str) -> Why:
    """The reason as the reconciler last said it, and what admission says right now."""
    row = await JobRepository(session).get(scope, job)
    phase = JobPhase(row.phase)
    verdict = await _verdict(session, row) if phase is JobPhase.QUEUED else None
    place = places.place_of(row)
    position = place.position if place is not None else None if verdict is None else verdict.position
    return Why(
        phase=phase,
        reason=row.reason,
        message=row.message,
        since=row.phase_since,
        position=position,
        queue=place,
        ahead=[] if place is None else await _ahead(session, scope, place),
        blockers=[] if verdict is None else await _blockers(session, scope, verdict),
        would_start_now=[] if verdict is None else list(verdict.would_start_now),
        usual_seconds=await _usual_seconds(session, scope, phase),
    )


async def _verdict(session: AsyncSession, row: JobRow) -> Verdict | None:
    """None for a job that admission does not look at yet: it waits for an environment, a cluster or a back-off."""
    if row.cluster_id is not None:
        return None
    return verdicts(await load_snapshot(session)).get(row.id)


async def _blockers(session: AsyncSession, scope: ProjectScope, verdict: Verdict) -> list[Blocker]:
    """Named only where the caller may see the project; the rest says no more than that it holds something."""
    first = verdict.blockers[:MAX_BLOCKERS]
    slugs = await _visible(session, scope, (gang.project_id for gang in first))
    return [_blocker(gang, slugs.get(gang.project_id)) for gang in first]


async def _ahead(session: AsyncSession, scope: ProjectScope, place: QueuePlace) -> list[Ahead]:
    """As with blockers: of what the caller may not see, only that it is there."""
    first = await places.ahead_of(session, place, MAX_AHEAD)
    slugs = await _visible(session, scope, (one.project_id for one in first))
    return [_one_ahead(one, slugs.get(one.project_id)) for one in first]


def _one_ahead(one: places.Ahead, project: str | None) -> Ahead:
    if project is None:
        return Ahead(kind=one.kind, id=None, name="another project", project=None, since=None)
    return Ahead(kind=one.kind, id=one.id, name=one.name, project=project, since=one.since)


async def _visible(session: AsyncSession, scope: ProjectScope, projects: Iterable[str]) -> dict[str, str]:
    """Names, by id, of those projects that the caller may see."""
    visible = await visible_projects(session, scope.subject)
    seen = visible.project_ids & {ProjectId(project) for project in projects}
    return await slugs_of(session, among(scope.subject, seen))


def _blocker(gang: Gang, project: str | None) -> Blocker:
    holds = _holds(gang)
    if project is None:
        return Blocker(job_id=None, name="another project", project=None, holds=holds, since=gang.admitted_at)
    return Blocker(job_id=gang.id, name=gang.name, project=project, holds=holds, since=gang.admitted_at)


def _holds(gang: Gang) -> str:
    total = gang.total
    gpu = f"{total.gpu:g} GPU, " if total.gpu else ""
    pools = ", ".join(sorted({f"'{demand.pool}'" for demand in gang.demands}))
    return f"{gpu}{total.cpu:g} CPU and {format_memory(total.memory_bytes)} of {pools}"


async def _usual_seconds(session: AsyncSession, scope: ProjectScope, phase: JobPhase) -> float | None:
    """The median of the last times in this project; None where there were too few to say."""
    span = _span_of(phase)
    if span is None:
        return None
    begun, ended = span
    seconds = func.extract("epoch", ended - begun).label("seconds")
    recent = (
        scope.limit(select(seconds), AttemptRow.project_id)
        .join(JobRow, JobRow.id == AttemptRow.job_id)
        # Later attempts did not wait since the job was submitted.
        .where(begun.is_not(None), ended >= begun, AttemptRow.number == 1)
        .order_by(AttemptRow.created_at.desc())
        .limit(_RECENT)
        .subquery()
    )
    median = func.percentile_cont(0.5).within_group(recent.c.seconds)
    count, usual = (await session.execute(select(func.count(), median).select_from(recent))).one()
    return round(float(usual), 1) if count >= _FEWEST and usual is not None else None


def _span_of(phase: JobPhase) -> tuple[InstrumentedAttribute[Any], InstrumentedAttribute[Any]] | None:
    """Where a phase begins and ends in what is kept of attempts."""
    match phase:
        case JobPhase.QUEUED:
            return JobRow.created_at, AttemptRow.created_at
        case JobPhase.ADMITTED | JobPhase.PROVISIONING:
            return AttemptRow.created_at, AttemptRow.started_at
        case JobPhase.RUNNING:
            return AttemptRow.started_at, AttemptRow.ended_at
        case _:
            return None
