"""What people can do with jobs: submit, cancel, try again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.jobs import CancelRequest, DryRun, JobCreate, PoolFit
from mlp.schemas.phases import ClusterPhase, EnvironmentPhase, JobPhase
from mlp.schemas.projects import ProjectLimits
from mlp_core.clusters.repository import ClusterRepository
from mlp_core.domain import admission
from mlp_core.domain.admission import Gang, verdicts
from mlp_core.domain.errors import Invalid, LimitReached, WrongPhase
from mlp_core.domain.packing import NodeDemand, PoolShape
from mlp_core.domain.transitions import require_edge
from mlp_core.environments.service import Environments
from mlp_core.events.service import record
from mlp_core.jobs.repository import JobRepository
from mlp_core.jobs.spec import command_text, normalise
from mlp_core.kit.database import notify_due
from mlp_core.kit.ids import new_id
from mlp_core.scheduling.snapshot import limits_of, load_pools, load_snapshot
from mlp_core.scope import ProjectScope
from mlp_core.tables import ClusterRow, EnvironmentRow, JobRow, PackageRow, ProjectRow
from mlp_core.tables.base import Json

EtagCheck = Callable[[JobRow], Awaitable[None]]
"""Raises `VersionConflict` where the caller has seen another version of the job; called with its row locked."""

_CANDIDATE = "candidate"
_TOUCHED_EVERY = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class _Plan:
    """A request that may run: normalised, and with what it refers to."""

    spec: JobCreate
    gang: tuple[NodeDemand, ...]
    """Empty on a cluster that is already there."""
    pools: tuple[PoolShape, ...]
    limits: Json
    """The project's, as they are stored."""
    cluster: ClusterRow | None


class Jobs:
    """Use cases of jobs, inside the caller's transaction."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session
        self.repository = JobRepository(session)

    async def create(self, scope: ProjectScope, wanted: JobCreate) -> JobRow:
        """Submit a job. It is queued at once; everything else happens later.

        Raises:
            CanNeverFit: no pool could hold it even when empty; carries the largest that could.
            Invalid: it refers to a package, environment or cluster that cannot be used.
            LimitReached: the project has as many unfinished jobs as it may.
        """
        plan = await self._plan(scope, wanted)
        await self._require_room(scope, plan.limits)
        environment = await Environments(self._session).for_job(scope, plan.spec.environment)
        row = JobRow(
            id=new_id("job"),
            project_id=scope.project_id,
            name=plan.spec.name,
            kind=plan.spec.kind.value,
            spec=plan.spec.model_dump(mode="json", by_alias=True),
            priority=plan.spec.priority.rank,
            package_digest=plan.spec.package,
            environment_id=None if environment is None else environment.id,
            cluster_id=None if plan.cluster is None else plan.cluster.id,
            message="Was submitted a moment ago.",
            created_by=scope.subject.name,
            created_by_id=scope.subject.id,
        )
        self.repository.add(row)
        await self._session.flush()
        await self._record(scope, row, "Submitted", f"Submitted by {scope.subject.name}.")
        await notify_due(self._session)
        return row

    async def dry_run(self, scope: ProjectScope, wanted: JobCreate) -> DryRun:
        """What `create` would do, without doing it. Raises what it would raise."""
        plan = await self._plan(scope, wanted)
        if plan.spec.environment.name is not None:
            await Environments(self._session).named(scope, plan.spec.environment.name)
        fits_now, message = await self._fits_now(scope, plan)
        return DryRun(
            spec=plan.spec,
            command=command_text(plan.spec.entrypoint),
            price_per_hour=admission.price_per_hour(plan.gang, plan.pools),
            fits_now=fits_now,
            placements=[
                PoolFit(
                    group=demand.group,
                    pool=demand.pool,
                    nodes=demand.count,
                    price_per_hour=admission.price_per_hour((demand,), plan.pools),
                )
                for demand in plan.gang
            ],
            message=message,
        )

    async def cancel(self, scope: ProjectScope, job: str, wanted: CancelRequest, etag_check: EtagCheck) -> JobRow:
        """Ask a job to end. Asking again, or asking one that has ended, changes nothing: the first request counts."""
        row = await self.repository.get(scope, job, lock=True)
        await etag_check(row)
        if row.ended_at is not None or row.stop_requested_at is not None:
            return row
        now = await self._now()
        row.stop_requested_at = now
        row.stop_requested_by = scope.subject.name
        row.stop_grace_seconds = None if wanted.grace is None else wanted.grace.total_seconds()
        row.generation += 1
        row.updated_at = row.due_at = now
        await self._record(scope, row, "CancelRequested", f"{scope.subject.name} asked it to end.")
        await notify_due(self._session)
        return row

    async def retry(self, scope: ProjectScope, job: str, etag_check: EtagCheck) -> JobRow:
        """Queue a failed or cancelled job again: a fresh attempt of the same job, with all its retries.

        Raises:
            WrongPhase: it has not ended, has succeeded, or what it needs is gone for good.
            LimitReached: the project has as many unfinished jobs as it may.
        """
        row = await self.repository.get(scope, job, lock=True)
        await etag_check(row)
        if row.phase not in (JobPhase.FAILED.value, JobPhase.CANCELLED.value):
            raise WrongPhase(
                f"The job is {row.phase}; only one that failed or was cancelled can be tried again.",
                hint="Submit it as a new job."
                if row.phase == JobPhase.SUCCEEDED.value
                else "Wait, or cancel it first.",
                data={"phase": row.phase},
            )
        now = await self._now()
        await self._require_room(scope, await self._limits(scope))
        await self._require_still_possible(scope, row, now)
        _queue_again(row, now)
        await self._record(scope, row, "RetryRequested", f"{scope.subject.name} asked for another attempt.")
        await notify_due(self._session)
        return row

    # -- what a job refers to --------------------------------------------------------------------------------------

    async def _plan(self, scope: ProjectScope, wanted: JobCreate) -> _Plan:
        pools = await load_pools(self._session)
        cluster = None if wanted.cluster is None else await self._cluster(scope, wanted.cluster)
        spec = normalise(wanted, pools, None if cluster is None else cluster.id)
        if spec.deadline is not None and spec.deadline <= await self._now():
            raise Invalid("The deadline has passed already.", fields={"deadline": "is in the past"})
        if spec.package is not None:
            await self._use_package(scope, spec.package)
        limits = await self._limits(scope)
        if cluster is not None:
            return _Plan(spec, (), pools, limits, cluster)
        gang = admission.demands_of(spec.resources, pools)
        admission.require_fit(gang, pools, limits_of(limits))
        return _Plan(spec, gang, pools, limits, None)

    async def _limits(self, scope: ProjectScope) -> Json:
        return await self._session.scalar(scope.limit(select(ProjectRow.limits), ProjectRow.id)) or {}

    async def _cluster(self, scope: ProjectScope, name: str) -> ClusterRow:
        row = await ClusterRepository(self._session).find(scope, name)
        if row is None or row.ended_at is not None or row.stop_requested_at is not None:
            what = "does not exist in this project" if row is None else "has ended or is ending"
            raise Invalid(
                f"The cluster '{name}' {what}.",
                hint="See `mlp cluster list`, or leave out `cluster` to give the job its own.",
                fields={"cluster": what},
            )
        return row

    async def _use_package(self, scope: ProjectScope, digest: str) -> None:
        """Note the use, which also keeps the package from being removed before this transaction ends."""
        statement = scope.limit(select(PackageRow), PackageRow.project_id).where(PackageRow.digest == digest)
        row = await self._session.scalar(statement.with_for_update(key_share=True, read=True))
        if row is None or row.completed_at is None:
            what = "was never uploaded to this project" if row is None else "is not uploaded completely"
            raise Invalid(
                f"The package {digest} {what}.",
                hint="Upload it first; `mlp job submit` does so by itself.",
                fields={"package": what},
            )
        if row.last_used_at < await self._now() - _TOUCHED_EVERY:
            row.last_used_at = await self._now()

    async def _require_room(self, scope: ProjectScope, limits: Json) -> None:
        if ProjectLimits.model_validate(limits).jobs is None:
            return
        # One creation after the other, else two could both see room for one.
        project = await self.repository.lock_project(scope)
        limit = ProjectLimits.model_validate(project.limits).jobs
        live = await self.repository.count_live(scope)
        if limit is not None and live >= limit:
            raise LimitReached(
                f"Project '{scope.slug}' has {live} unfinished jobs, and may have {limit}.",
                hint="Wait for some to end, cancel some, or ask an admin to raise the limit.",
                data={"limit": limit, "live": live},
            )

    async def _require_still_possible(self, scope: ProjectScope, row: JobRow, now: datetime) -> None:
        spec = JobCreate.model_validate(row.spec)
        if spec.deadline is not None and spec.deadline <= now:
            raise WrongPhase("The job's deadline has passed.", hint="Submit it as a new job with a later deadline.")
        if row.cluster_id is not None:
            cluster = await ClusterRepository(self._session).get(scope, row.cluster_id)
            if cluster.ended_at is not None or cluster.stop_requested_at is not None:
                raise WrongPhase(
                    f"The job's cluster '{cluster.name}' has ended or is ending.", hint="Submit it as a new job."
                )
        if row.environment_id is not None:
            environment = await self._session.get_one(EnvironmentRow, row.environment_id)
            if environment.phase == EnvironmentPhase.FAILED.value and environment.name is None:
                # Resolved anew: what was wrong, such as an index that did not answer, may have passed.
                fresh = await Environments(self._session).for_job(scope, spec.environment)
                row.environment_id = None if fresh is None else fresh.id

    async def _fits_now(self, scope: ProjectScope, plan: _Plan) -> tuple[bool, str]:
        if plan.cluster is not None:
            ready = plan.cluster.phase == ClusterPhase.READY.value
            return ready, f"Cluster '{plan.cluster.name}' is {plan.cluster.phase}: {plan.cluster.message}"
        candidate = Gang(
            id=_CANDIDATE,
            name=plan.spec.name or "",
            project_id=scope.project_id,
            demands=plan.gang,
            priority=plan.spec.priority.rank,
            queued_at=await self._now(),
        )
        snapshot = await load_snapshot(self._session)
        verdict = verdicts(replace(snapshot, waiting=(*snapshot.waiting, candidate)))[_CANDIDATE]
        return verdict.admitted, "It would start now." if verdict.admitted else f"It would wait. {verdict.message}"

    async def _now(self) -> datetime:
        return (await self._session.execute(select(func.now()))).scalar_one()

    async def _record(self, scope: ProjectScope, row: JobRow, reason: str, message: str) -> None:
        await record(
            self._session,
            project_id=scope.project_id,
            resource="job",
            resource_id=row.id,
            resource_name=row.name,
            reason=reason,
            message=message,
            actor=scope.subject.name,
            attempt=row.attempt_number or None,
        )


def _queue_again(row: JobRow, now: datetime) -> None:
    require_edge(JobPhase(row.phase), JobPhase.QUEUED)
    row.phase = JobPhase.QUEUED.value
    row.reason, row.message = "Submitted", "Waits to be looked at again."
    row.phase_since = row.updated_at = row.due_at = now
    row.generation += 1
    row.stop_requested_at = row.stop_requested_by = row.stop_grace_seconds = None
    row.ended_at = row.started_at = row.admitted_at = row.not_before = None
    row.failure = row.exit_code = row.signal = row.result_key = None
    row.failures_used = 0
    row.next_memory_factor = 1.0
