"""For tests of the operator: an operator over a real database and an engine without machines."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from sqlalchemy import func, select

from mlp.schemas.jobs import ModelSpec, RegisteredModel
from mlp.schemas.phases import AttemptOutcome, JobPhase
from mlp_api.platform import Platform
from mlp_core.dashboards.service import tokens_sealer
from mlp_core.domain.errors import Unavailable
from mlp_core.domain.ids import AttemptId
from mlp_core.domain.job import Attempt
from mlp_core.jobs.reconciling import JobContext
from mlp_core.kit.database import Database
from mlp_core.kit.ids import new_id
from mlp_core.kit.leases import claim_due
from mlp_core.scope import ProjectScope
from mlp_core.settings import Settings
from mlp_core.tables import AttemptRow, EventRow, JobRow
from mlp_operator.dashboards import DashboardNotes
from mlp_operator.engines.simulated import SimulatedEngine
from mlp_operator.listening import DueSignal
from mlp_operator.loop import Loop
from mlp_operator.ports import TrackedRun
from mlp_operator.reconcilers.clusters import ClusterReconciler
from mlp_operator.reconcilers.jobs import JobReconciler
from mlp_operator.render.specs import Links
from mlp_operator.verdicts import Verdicts
from support.waiting import eventually

GIB = 2**30


@dataclass
class RecordedTracking:
    """MLflow behind its port; may be away. The real one is held to the port in the MLflow and acceptance tests."""

    away: bool = False
    finished: dict[str, AttemptOutcome] = field(default_factory=dict[str, AttemptOutcome])
    registered: list[str] = field(default_factory=list[str])

    async def start_run(self, context: JobContext, attempt: Attempt) -> TrackedRun:
        self._reach()
        return TrackedRun(f"run-{attempt.id}"[:40], f"parent-{context.job.id}"[:40])

    async def finish_run(self, context: JobContext, run_id: str, outcome: AttemptOutcome) -> None:
        self._reach()
        self.finished[run_id] = outcome

    async def register_model(self, context: JobContext, attempt: Attempt, model: ModelSpec) -> RegisteredModel:
        self._reach()
        self.registered.append(model.register_as)
        return RegisteredModel(name=model.register_as, version="1")

    def _reach(self) -> None:
        if self.away:
            raise Unavailable("MLflow does not answer.")


class NoLog:
    async def last_lines(self, attempt: AttemptId, source: str, count: int) -> list[str]:
        return []


@dataclass
class World:
    """What a test of the operator holds in its hands."""

    platform: Platform
    settings: Settings
    project: ProjectScope
    engine: SimulatedEngine
    tracking: RecordedTracking
    _loops: list[tuple[asyncio.Event, asyncio.Task[None]]] = field(
        default_factory=list[tuple[asyncio.Event, asyncio.Task[None]]]
    )

    @property
    def database(self) -> Database:
        return self.platform.database

    def reconciler(self) -> JobReconciler:
        return JobReconciler(
            database=self.database,
            engine=self.engine,
            tracking=self.tracking,
            logs=NoLog(),
            tokens=self.platform.job_tokens,
            verdicts=Verdicts(self.database),
            links=Links("http://api.test"),
            dashboards=self._dashboards(),
        )

    def _dashboards(self) -> DashboardNotes:
        return DashboardNotes(self.database, self.engine, tokens_sealer(self.settings.secret_key.get_secret_value()))

    def start_operator(self, name: str = "operator-1") -> None:
        stop = asyncio.Event()
        due = DueSignal(self.settings.database_url)
        kinds = (
            self.reconciler(),
            ClusterReconciler(self.database, self.engine, Verdicts(self.database), self._dashboards()),
        )
        loop = Loop(self.database, kinds, due, owner=name, concurrency=4)
        self._loops.append((stop, asyncio.create_task(loop.run(stop))))
        self._loops.append((stop, asyncio.create_task(due.listen())))

    async def stop_operators(self) -> None:
        loops, self._loops = self._loops, []
        for stop, _ in loops:
            stop.set()
        for _, task in loops:
            if task.get_coro().__name__ == "listen":  # pyright: ignore[reportOptionalMemberAccess]
                task.cancel()
        await asyncio.gather(*(task for _, task in loops), return_exceptions=True)

    async def submit(self, shell: str, **spec: object) -> str:
        """A queued job of one head node, as the service stores it."""
        id_ = new_id("job")
        body: dict[str, object] = {
            "entrypoint": shell,
            "resources": {"head": {"pool": "cpu", "cpu": 1, "memory": "1Gi"}},
        }
        async with self.database.transaction() as session:
            session.add(
                JobRow(
                    id=id_,
                    project_id=self.project.project_id,
                    name="test",
                    kind="script",
                    spec=body | spec,
                    created_by="tester",
                    created_by_id="usr_x",
                )
            )
        return id_

    async def cancel(self, job: str) -> None:
        async with self.database.transaction() as session:
            row = await session.get_one(JobRow, job)
            row.stop_requested_at, row.stop_requested_by = func.now(), "tester"  # pyright: ignore[reportAttributeAccessIssue]
            row.generation += 1
            row.due_at = func.now()  # pyright: ignore[reportAttributeAccessIssue]

    async def job(self, job: str) -> JobRow:
        async with self.database.transaction() as session:
            return await session.get_one(JobRow, job)

    async def attempts(self, job: str) -> list[AttemptRow]:
        async with self.database.transaction() as session:
            rows = await session.scalars(select(AttemptRow).where(AttemptRow.job_id == job).order_by(AttemptRow.number))
            return list(rows)

    async def reasons(self, job: str) -> list[str]:
        async with self.database.transaction() as session:
            rows = await session.scalars(select(EventRow).where(EventRow.resource_id == job).order_by(EventRow.seq))
            return [row.reason for row in rows]

    async def until(self, job: str, *phases: JobPhase, within: float = 20.0) -> JobRow:
        """The job once it is in one of `phases`."""

        async def there() -> JobRow | None:
            row = await self.job(job)
            return row if row.phase in phases else None

        return await eventually(there, within=within)

    async def until_reason(self, job: str, reason: str) -> JobRow:
        async def there() -> JobRow | None:
            row = await self.job(job)
            return row if row.reason == reason else None

        return await eventually(there)

    async def make_due(self, *jobs: str) -> None:
        async with self.database.transaction() as session:
            for job in jobs:
                (await session.get_one(JobRow, job)).due_at = func.now()  # pyright: ignore[reportAttributeAccessIssue]

    async def expire_lease(self, job: str) -> None:
        """What the running out of a dead operator's lease does."""
        await self.make_due(job)
        async with self.database.transaction() as session:
            (await session.get_one(JobRow, job)).lease_until = None

    async def one_pass(self, job: str) -> None:
        """One reconcile of `job`, claimed as the loop claims it."""
        await self.expire_lease(job)
        async with self.database.transaction() as session:
            leases = await claim_due(session, JobRow, "test", 100)
        lease = next(lease for lease in leases if lease.key == job)
        await self.reconciler().reconcile(lease)
