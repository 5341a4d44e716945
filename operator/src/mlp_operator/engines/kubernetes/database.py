"""What the engine asks of the database, and what it tells it: pools, tenants, reports of processes, and what is due."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import structlog
from sqlalchemy import func, select, update
from sqlalchemy.exc import SQLAlchemyError

from mlp.schemas.agent import ProcessReport, ReportedArtifacts
from mlp_core.domain.execution import ArtifactsObserved, Trouble
from mlp_core.events.service import record as record_event
from mlp_core.kit.database import Database, notify_due
from mlp_core.scheduling.snapshot import limits_of, load_guarantees, pool_of
from mlp_core.tables import AttemptRow, ClusterRow, EventRow, JobRow, PoolRow, ProjectRow, TeamRow
from mlp_operator.engines.kubernetes.engine import Reports
from mlp_operator.engines.kubernetes.manifests.tenancy import Pool, Project
from mlp_operator.engines.kubernetes.observing import WorkReport
from mlp_operator.engines.kubernetes.placement import Placement
from mlp_operator.engines.kubernetes.tenancy import TenancySource, Tenants

log = structlog.get_logger(__name__)

_GIBIBYTE = 2**30
_SAME_EVENT = timedelta(minutes=1)
_GATHER_SECONDS = 0.1
_AGAIN_SECONDS = 1.0
"""What was just being reconciled when something was heard of it misses that; so it is told once more."""


class StoredPools:
    """Where machines of pools are found."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def placements(self) -> dict[str, Placement]:
        async with self._database.transaction() as session:
            rows = (await session.scalars(select(PoolRow))).all()
        return {row.name: placement_of(row) for row in rows}


class StoredReports(Reports):
    """What agents have told of the processes of attempts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of(self, work: str) -> WorkReport | None:
        async with self._database.transaction() as session:
            stored = await session.scalar(select(AttemptRow.report).where(AttemptRow.id == work))
        return None if stored is None else report_of(ProcessReport.model_validate(stored))


class StoredTenants(TenancySource):
    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self) -> Tenants:
        async with self._database.transaction() as session:
            pools = (await session.scalars(select(PoolRow))).all()
            rows = await session.execute(
                select(ProjectRow, TeamRow.name).join(TeamRow, TeamRow.id == ProjectRow.team_id)
            )
            projects = [(row, team) for row, team in rows.all()]
            shares = await load_guarantees(session, [pool_of(row) for row in pools])
        return Tenants(
            pools=tuple(_pool(row) for row in pools),
            projects=tuple(
                Project(row.id, row.slug, team, limits_of(row.limits), tuple(sorted(shares.get(row.id, {}).items())))
                for row, team in projects
                if row.deleted_at is None
            ),
            deleted=frozenset(row.id for row, _ in projects if row.deleted_at is not None),
        )

    async def note(self, project: Project, reason: str, message: str) -> None:
        async with self._database.transaction() as session:
            # One operator at a time, so that the others find the event.
            await session.get_one(ProjectRow, project.id, with_for_update=True)
            known = await session.scalar(
                select(EventRow.seq).where(
                    EventRow.resource_id == project.id,
                    EventRow.reason == reason,
                    EventRow.message == message,
                    EventRow.at > func.now() - _SAME_EVENT,
                )
            )
            if known is None:
                await record_event(
                    session,
                    project_id=project.id,
                    resource="project",
                    resource_id=project.id,
                    resource_name=project.slug,
                    reason=reason,
                    message=message,
                    actor="operator",
                )


class Waking:
    """Brings the next look at jobs and clusters forward when the cluster says something of them, many at once."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._heard: set[str] = set()
        self._event = asyncio.Event()

    def hear(self, id_: str) -> None:
        self._heard.add(id_)
        self._event.set()

    async def run(self) -> None:
        """Until cancelled."""
        again: set[str] = set()
        while True:
            try:
                async with asyncio.timeout(_AGAIN_SECONDS if again else None):
                    await self._event.wait()
                await asyncio.sleep(_GATHER_SECONDS)
            except TimeoutError:
                pass
            self._event.clear()
            heard, self._heard = self._heard, set()
            try:
                await bring_forward(self._database, heard | again)
            except (SQLAlchemyError, OSError) as error:
                log.warning("not_brought_forward", error=str(error))
            again = heard


async def bring_forward(database: Database, ids: set[str]) -> None:
    """Make these jobs and clusters due now, where they are not."""
    if not ids:
        return
    async with database.transaction() as session:
        for row in (JobRow, ClusterRow):
            await session.execute(
                update(row)
                .where(row.id.in_(ids), row.due_at > func.now())
                .values(due_at=func.now())
                .execution_options(synchronize_session=False)
            )
        await notify_due(session)


def report_of(told: ProcessReport) -> WorkReport:
    failure = told.failure
    return WorkReport(
        setting_up=told.setting_up,
        started_at=told.started_at,
        ended_at=told.ended_at,
        exit_code=told.exit_code,
        signal=told.signal,
        timed_out=told.timed_out,
        stopped=told.stopped,
        oom_kills=told.oom_kills,
        shipped=told.shipped,
        trouble=None
        if failure is None
        else Trouble(
            failure.failure_class,
            failure.message,
            is_final=failure.is_final,
            hint=failure.hint,
            last_lines=tuple(failure.last_lines),
        ),
        artifacts=None if told.artifacts is None else artifacts_of(told.artifacts),
    )


def artifacts_of(told: ReportedArtifacts) -> ArtifactsObserved:
    return ArtifactsObserved(
        files=told.files,
        files_stored=told.files_stored,
        bytes=told.bytes,
        bytes_stored=told.bytes_stored,
        until=told.until,
        missing=tuple(told.missing),
        left_out=tuple(told.left_out),
        left_out_count=told.left_out_count,
    )


def placement_of(row: PoolRow) -> Placement:
    labels = tuple(sorted((str(name), str(value)) for name, value in row.labels.items()))
    return Placement(row.name, labels, has_gpus=row.gpu > 0)


def _pool(row: PoolRow) -> Pool:
    return Pool(placement_of(row), pool_of(row).machine, row.machines)
