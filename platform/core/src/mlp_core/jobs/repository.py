"""Queries of jobs and attempts, each through the scope's door."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, func, literal, or_, select, tuple_, union_all
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from mlp.schemas.phases import JobPhase
from mlp_core.domain.errors import Ambiguous, Invalid, NotFound
from mlp_core.jobs.filters import COUNTED_ROWS, JobFilter
from mlp_core.kit.ids import is_id
from mlp_core.kit.pages import Order, PageRequest, Slice, SortKey, keyset_page
from mlp_core.scope import ProjectScope, SubjectScope
from mlp_core.tables import AttemptRow, EnvironmentRow, JobRow, ProjectRow

_SORTABLE: dict[str, tuple[InstrumentedAttribute[Any], bool]] = {
    "created_at": (JobRow.created_at, False),
    "name": (JobRow.name, False),
    "phase": (JobRow.phase, False),
    "kind": (JobRow.kind, False),
    "created_by": (JobRow.created_by, False),
    "started_at": (JobRow.started_at, True),
    "ended_at": (JobRow.ended_at, True),
}
"""Column, and whether it can be null."""
_BY_AGE_WITHIN = frozenset({"phase", "kind", "created_by"})
"""Few values, so equal ones are put in order of age, as the indexes have them."""
SORTABLE = tuple(_SORTABLE)
_SAME_NAME = 20


@dataclass(frozen=True, slots=True)
class JobFacts:
    """What a job's wire form shows beside its row."""

    run_id: str | None = None
    environment_digest: str | None = None


def order_of(order_by: str) -> Order:
    """`-created_at` = newest first. Equal keys are told apart by id, in the same direction.

    Raises:
        Invalid: it names no sortable column.
    """
    column = _SORTABLE.get(order_by.removeprefix("-"))
    if column is None:
        names = ", ".join(_SORTABLE)
        raise Invalid(
            f"Jobs cannot be sorted by '{order_by}'.",
            hint=f"Sort by one of {names}; with '-' before it in descending order.",
            fields={"order_by": f"is one of {names}"},
        )
    descending = order_by.startswith("-")
    within = (SortKey(JobRow.created_at, descending),) if column[0].key in _BY_AGE_WITHIN else ()
    return (SortKey(column[0], descending, column[1]), *within, SortKey(JobRow.id, descending))


class JobRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    def _visible(self, scope: ProjectScope | SubjectScope) -> Select[JobRow]:
        return scope.limit(select(JobRow), JobRow.project_id)

    def add(self, row: JobRow) -> None:
        self._session.add(row)

    async def page(self, scope: ProjectScope, where: JobFilter, order: Order, page: PageRequest) -> Slice[JobRow]:
        among = where.phase_conditions()
        if order[0].column is not JobRow.created_at and len(among) > 1:
            # Only by age each phase has an index of its own.
            among = [or_(*among)]
        statement = where.apply_but_phases(self._visible(scope))
        return await keyset_page(self._session, statement, order, page, among=among)

    async def counts(self, scope: ProjectScope, where: JobFilter) -> dict[JobPhase, int]:
        """How many jobs of each phase match, whatever phases `where` names; each counted up to `COUNTED_ROWS`."""
        matching = where.apply_but_phases(self._visible(scope))
        looks = [
            select(literal(phase.value).label("phase"), func.count().label("count")).select_from(
                matching.where(JobRow.phase == phase.value).with_only_columns(JobRow.id).limit(COUNTED_ROWS).subquery()
            )
            for phase in JobPhase
        ]
        found = await self._session.execute(union_all(*looks))
        return {JobPhase(phase): count for phase, count in found}

    async def total(self, scope: ProjectScope, where: JobFilter) -> int | None:
        """How many jobs match; None where that would cost too much to count."""
        matching = where.apply(self._visible(scope)).with_only_columns(JobRow.id).limit(COUNTED_ROWS + 1)
        count = await self._session.scalar(select(func.count()).select_from(matching.subquery())) or 0
        return count if count <= COUNTED_ROWS else None

    async def get(self, scope: ProjectScope | SubjectScope, job: str, *, lock: bool = False) -> JobRow:
        """The job of that id or name. Of equal names the one that has not ended, else the newest.

        Raises:
            NotFound: there is none the scope may see.
            Ambiguous: several jobs of that name have not ended; `data.ids` lists them.
        """
        statement = self._visible(scope)
        if lock:
            statement = statement.with_for_update().execution_options(populate_existing=True)
        if is_id(job, "job"):
            row = await self._session.scalar(statement.where(JobRow.id == job))
        else:
            row = await self._named(scope, statement, job)
        if row is None:
            raise NotFound.of("job", job, "See `mlp job list`.")
        return row

    async def _named(self, scope: ProjectScope | SubjectScope, statement: Select[JobRow], name: str) -> JobRow | None:
        newest = (JobRow.created_at.desc(), JobRow.id.desc())
        live = self._visible(scope).with_only_columns(JobRow.id).where(JobRow.name == name, JobRow.ended_at.is_(None))
        ids = (await self._session.scalars(live.order_by(*newest).limit(_SAME_NAME))).all()
        if len(ids) > 1:
            raise Ambiguous(
                f"{len(ids)} jobs named '{name}' have not ended.",
                hint=f"Use the id of one: {', '.join(ids)}.",
                data={"ids": list(ids)},
            )
        if ids:
            return await self._session.scalar(statement.where(JobRow.id == ids[0]))
        return await self._session.scalar(statement.where(JobRow.name == name).order_by(*newest).limit(1))

    async def facts(self, rows: Iterable[JobRow]) -> dict[str, JobFacts]:
        """Run and environment of each job's current attempt, by job id, in two queries."""
        jobs = list(rows)
        if not jobs:
            return {}
        found = await self._facts_of_attempts([(row.id, row.attempt_number) for row in jobs if row.attempt_number])
        wanted = {row.environment_id for row in jobs if row.environment_id is not None}
        digests: dict[str, str | None] = {}
        if wanted:
            environments = select(EnvironmentRow.id, EnvironmentRow.digest).where(EnvironmentRow.id.in_(wanted))
            digests = {row[0]: row[1] for row in await self._session.execute(environments)}
        return {
            row.id: JobFacts(
                run_id=found.get(row.id, JobFacts()).run_id,
                environment_digest=found.get(row.id, JobFacts()).environment_digest
                or digests.get(row.environment_id or ""),
            )
            for row in jobs
        }

    async def _facts_of_attempts(self, current: list[tuple[str, int]]) -> dict[str, JobFacts]:
        if not current:
            return {}
        statement = select(AttemptRow.job_id, AttemptRow.run_id, AttemptRow.environment_digest).where(
            tuple_(AttemptRow.job_id, AttemptRow.number).in_(current)
        )
        return {job_id: JobFacts(run_id, digest) for job_id, run_id, digest in await self._session.execute(statement)}

    async def attempts(self, job: JobRow) -> Sequence[AttemptRow]:
        statement = select(AttemptRow).where(AttemptRow.job_id == job.id).order_by(AttemptRow.number)
        return (await self._session.scalars(statement)).all()

    async def find_attempt(self, job: JobRow, number: int | None = None) -> AttemptRow | None:
        """The attempt of that number, or the current one; None where none has started yet.

        Raises:
            NotFound: the job has no attempt of that number.
        """
        wanted = job.attempt_number if number is None else number
        statement = select(AttemptRow).where(AttemptRow.job_id == job.id, AttemptRow.number == wanted)
        row = await self._session.scalar(statement)
        if row is None and number is not None:
            raise NotFound.of("attempt", f"{job.name}#{number}", f"The job has {job.attempt_number} attempts.")
        return row

    async def lock_project(self, scope: ProjectScope) -> ProjectRow:
        """The project's row; creations of jobs that count against its limit pass one after the other."""
        statement = scope.limit(select(ProjectRow), ProjectRow.id).with_for_update(key_share=True)
        statement = statement.execution_options(populate_existing=True)
        return (await self._session.scalars(statement)).one()

    async def count_live(self, scope: ProjectScope) -> int:
        statement = self._visible(scope).with_only_columns(func.count()).where(JobRow.ended_at.is_(None))
        return await self._session.scalar(statement) or 0

    async def live_changed_since(
        self, scope: SubjectScope, since: datetime | None, job_id: str | None, limit: int
    ) -> Sequence[JobRow]:
        """Jobs that have not ended and were touched at or after `since`, by the database's clock; the latest first."""
        statement = self._visible(scope).where(JobRow.ended_at.is_(None))
        if since is not None:
            statement = statement.where(JobRow.updated_at >= since)
        if job_id is not None:
            statement = statement.where(JobRow.id == job_id)
        return (await self._session.scalars(statement.order_by(JobRow.updated_at.desc()).limit(limit))).all()

    async def by_ids(self, scope: SubjectScope, ids: Iterable[str]) -> Sequence[JobRow]:
        return (await self._session.scalars(self._visible(scope).where(JobRow.id.in_(set(ids))))).all()
