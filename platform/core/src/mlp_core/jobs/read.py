"""Job and attempt rows → wire. A list costs as many queries as a single one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.base import ResourceRef
from mlp.schemas.jobs import AttemptRead, Failure, JobCreate, JobRead, RegisteredModel
from mlp.schemas.phases import AttemptOutcome, JobKind, JobPhase
from mlp_core.gateways.mlflow.links import Links
from mlp_core.jobs.repository import JobFacts, JobRepository
from mlp_core.kit.etags import etag_of
from mlp_core.scheduling.places import place_of
from mlp_core.scope import SubjectScope
from mlp_core.tables import AttemptRow, JobRow, ProjectRow


class JobReader:
    """Makes wire types, with links below `public_url`."""

    def __init__(self, session: AsyncSession, public_url: str) -> None:
        self._session = session
        self._root = public_url.rstrip("/")
        self._links = Links(public_url)

    async def jobs(self, rows: Sequence[JobRow], slugs: Mapping[str, str]) -> list[JobRead]:
        """`slugs`: names of the rows' projects by id."""
        facts = await JobRepository(self._session).facts(rows)
        now = await self._now() if any(row.started_at and not row.ended_at for row in rows) else None
        return [self._job(row, slugs[row.project_id], facts[row.id], now) for row in rows]

    async def job(self, row: JobRow, slug: str) -> JobRead:
        return (await self.jobs([row], {row.project_id: slug}))[0]

    async def attempts(self, job: JobRow, rows: Sequence[AttemptRow], slug: str) -> list[AttemptRead]:
        now = await self._now()
        return [self._attempt(job, row, slug, now) for row in rows]

    async def _now(self) -> datetime:
        return (await self._session.execute(select(func.now()))).scalar_one()

    def _job(self, row: JobRow, slug: str, facts: JobFacts, now: datetime | None) -> JobRead:
        read = JobRead(
            id=row.id,
            project=slug,
            name=row.name,
            kind=JobKind(row.kind),
            phase=JobPhase(row.phase),
            reason=row.reason,
            message=row.message,
            queue=place_of(row),
            attempt=row.attempt_number,
            stop_requested=row.stop_requested_at is not None,
            failure=_failure(row.failure),
            exit_code=row.exit_code,
            signal=row.signal,
            package=row.package_digest,
            environment_digest=facts.environment_digest,
            run=self._run(slug, row.name, row.attempt_number, facts.run_id),
            model=None if row.model is None else RegisteredModel.model_validate(row.model),
            has_result=row.result_key is not None,
            spec=JobCreate.model_validate(row.spec),
            created_by=row.created_by,
            created_at=row.created_at,
            phase_since=row.phase_since,
            admitted_at=row.admitted_at,
            started_at=row.started_at,
            ended_at=row.ended_at,
            duration_seconds=_duration(row.started_at, row.ended_at, now),
            etag="",
            url=f"{self._root}/api/v1/projects/{slug}/jobs/{row.id}",
        )
        return read.model_copy(update={"etag": etag_of(read, row.generation)})

    def _attempt(self, job: JobRow, row: AttemptRow, slug: str, now: datetime) -> AttemptRead:
        return AttemptRead(
            id=row.id,
            number=row.number,
            phase=JobPhase(row.phase),
            outcome=None if row.outcome is None else AttemptOutcome(row.outcome),
            reason=row.reason,
            message=row.message,
            failure=_failure(row.failure),
            exit_code=row.exit_code,
            signal=row.signal,
            memory_factor=row.memory_factor,
            environment_digest=row.environment_digest,
            run=self._run(slug, job.name, row.number, row.run_id),
            created_at=row.created_at,
            started_at=row.started_at,
            ended_at=row.ended_at,
            duration_seconds=_duration(row.started_at, row.ended_at, now),
        )

    def _run(self, slug: str, job: str, attempt: int, run_id: str | None) -> ResourceRef | None:
        if run_id is None:
            return None
        return ResourceRef(id=run_id, name=f"{job} #{attempt}", url=self._links.run(slug, run_id))


async def slugs_of(session: AsyncSession, scope: SubjectScope) -> dict[str, str]:
    """Names of the scope's projects by id."""
    rows = await session.execute(scope.limit(select(ProjectRow.id, ProjectRow.slug), ProjectRow.id))
    return {row[0]: row[1] for row in rows}


def _failure(stored: dict[str, object] | None) -> Failure | None:
    return None if stored is None else Failure.model_validate(stored)


def _duration(started_at: datetime | None, ended_at: datetime | None, now: datetime | None) -> float | None:
    """Seconds of running so far; a job that never ran has none."""
    until = ended_at or now
    if started_at is None or until is None:
        return None
    return max(0.0, round((until - started_at).total_seconds(), 3))
