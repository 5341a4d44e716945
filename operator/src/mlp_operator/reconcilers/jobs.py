"""Brings one job closer to its end."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from datetime import timedelta

from mlp.schemas.jobs import Failure
from mlp.schemas.phases import AttemptOutcome, FailureClass, JobPhase
from mlp_core.domain import failures
from mlp_core.domain.admission import Verdict
from mlp_core.domain.errors import Invalid, NotFound, Unavailable
from mlp_core.domain.job import Command, Decision, Ending, Job, Seen, decide
from mlp_core.gateways.jobtokens import JobToken, JobTokens
from mlp_core.jobs import reconciling
from mlp_core.jobs.reconciling import Effects, JobContext
from mlp_core.kit.database import Database
from mlp_core.kit.leases import Lease
from mlp_core.tables import JobRow
from mlp_operator.dashboards import DashboardNotes
from mlp_operator.engines.port import ComputeEngine, EngineAwayError, NotTakenError
from mlp_operator.ports import LogTail, Tracking
from mlp_operator.render.specs import Links, cluster_spec, engine_cluster_of, place_of, work_spec
from mlp_operator.verdicts import Verdicts

EVIDENCE_LINES = 30
REGISTRATION_DEADLINE = timedelta(minutes=10)
"""How long a job waits for MLflow to register its model, its machines given back long before."""
_TRACKING_AWAY = timedelta(seconds=2)
_NOT_TAKEN = timedelta(seconds=2)
_ENGINE_AWAY = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class JobReconciler:
    database: Database
    engine: ComputeEngine
    tracking: Tracking
    logs: LogTail
    tokens: JobTokens
    verdicts: Verdicts
    links: Links
    dashboards: DashboardNotes

    kind = "job"
    row = JobRow

    async def reconcile(self, lease: Lease) -> None:
        context = await reconciling.load(self.database, lease)
        if context is None:
            return
        try:
            await self._pass(lease, context)
        except EngineAwayError as away:
            await reconciling.record(self.database, lease, context.job, _waits_for_engine(context.job, away), Effects())

    async def _pass(self, lease: Lease, context: JobContext) -> None:
        seen = await self._observe(context)
        decision = decide(context.job, seen, context.now)
        if context.job.phase is JobPhase.QUEUED and decision.phase is JobPhase.ADMITTED:
            await self._admit(lease, context, seen, decision)
            return
        decision, effects = await self._apply(context, decision)
        await reconciling.record(self.database, lease, context.job, decision, effects)

    # -- observe: no database session is open while the engine is asked ----------------------------------------

    async def _observe(self, context: JobContext) -> Seen:
        job, attempt = context.job, context.job.attempt
        seen = Seen(
            environment=context.environment,
            shared_cluster=context.shared_cluster,
            engine_admits=self.engine.queue is not None,
        )
        if attempt is None:
            return await self._observe_queue(job, seen) if job.has_own_cluster else seen
        cluster = engine_cluster_of(job, attempt)
        work = await self.engine.observe_work(attempt.id, cluster)
        observed = await self.engine.observe_cluster(cluster)
        if job.has_own_cluster:
            await self.dashboards.note_attempt(attempt.id, observed)
        lines: tuple[str, ...] = ()
        if job.phase is JobPhase.SEALING and work is None and attempt.outcome is AttemptOutcome.FAILED:
            lines = tuple(await self.logs.last_lines(attempt.id, "driver", EVIDENCE_LINES))
        return replace(seen, cluster=observed, work=work, last_lines=lines)

    async def _observe_queue(self, job: Job, seen: Seen) -> Seen:
        if self.engine.queue is None:
            return replace(seen, verdict=await self.verdicts.of(job.id))
        queue = await self.engine.queue.observe(job.id)
        return replace(seen, queue=queue, verdict=None if queue is None else queue.verdict)

    # -- apply -----------------------------------------------------------------------------------------------------

    async def _admit(self, lease: Lease, context: JobContext, seen: Seen, decision: Decision) -> None:
        """Admission is decided again under its lock: the snapshot of the first look may be old."""
        if self.engine.queue is not None:
            await reconciling.record(self.database, lease, context.job, decision, Effects())
            return
        changed = await reconciling.admit(self.database, lease, context, decision)
        self.verdicts.forget()
        if changed is not None:
            again = decide(context.job, replace(seen, verdict=_not_yet(changed)), context.now)
            await reconciling.record(self.database, lease, context.job, again, Effects())

    async def _apply(self, context: JobContext, decision: Decision) -> tuple[Decision, Effects]:
        effects = Effects()
        for command in decision.commands:
            match command:
                case Command.ENSURE_RUN:
                    try:
                        effects = await self._ensure_run(context, effects)
                    except Unavailable:
                        return _waits_for_tracking(decision), effects
                case Command.ENTER_QUEUE | Command.LEAVE_QUEUE:
                    decision = await self._queue_command(command, context.job, decision)
                case Command.REGISTER_MODEL:
                    return await self._register_model(context, decision, effects)
                case Command.FINISH_RUN:
                    await self._finish_run(context, decision)
                case _:
                    await self._engine_command(command, context, effects)
        return decision, effects

    async def _queue_command(self, command: Command, job: Job, decision: Decision) -> Decision:
        queue = self.engine.queue
        if queue is None:
            return decision
        if command is Command.LEAVE_QUEUE:
            await queue.leave(job.id)
            return decision
        spec = cluster_spec(job.id, job.project, job.spec.resources, job.next_memory_factor, place_of(job))
        try:
            await queue.enter(spec)
        except NotTakenError as error:
            return replace(decision, reason=error.reason, message=str(error), again_in=_NOT_TAKEN)
        return decision

    async def _engine_command(self, command: Command, context: JobContext, effects: Effects) -> None:
        job, attempt = context.job, context.job.attempt
        if attempt is None:
            return
        cluster = engine_cluster_of(job, attempt)
        match command:
            case Command.ENSURE_CLUSTER:
                place = place_of(job)
                spec = cluster_spec(cluster, job.project, job.spec.resources, attempt.memory_factor, place)
                await self.engine.ensure_cluster(spec)
            case Command.ENSURE_WORK:
                await self._ensure_work(context, effects)
            case Command.STOP_WORK:
                grace, why = _stop_of(job)
                await self.engine.stop_work(attempt.id, cluster, grace, why)
            case Command.SEAL_WORK:
                await self.engine.seal_work(attempt.id, cluster)
            case Command.DELETE_WORK:
                await self.engine.delete_work(attempt.id, cluster)
            case Command.DELETE_CLUSTER:
                await self.engine.delete_cluster(cluster)
            case Command.YIELD_CLUSTER:
                await self.engine.delete_cluster(cluster, keep_place=True)
            case _:
                raise ValueError(f"{command} is no command for an engine")

    async def _ensure_work(self, context: JobContext, effects: Effects) -> None:
        job, attempt = context.job, context.job.attempt
        run_id = effects.run_id or (attempt.run_id if attempt else None)
        if attempt is None or run_id is None:
            return
        token = JobToken(attempt.id, job.id, job.project_id, job.project, attempt.created_at)
        spec = work_spec(
            job=job,
            attempt=attempt,
            run_id=run_id,
            token=self.tokens.sign(token),
            links=self.links,
            package_digest=context.package_digest,
            environment=context.lock,
        )
        await self.engine.ensure_work(spec)

    # -- tracking --------------------------------------------------------------------------------------------------

    async def _ensure_run(self, context: JobContext, effects: Effects) -> Effects:
        attempt = context.job.attempt
        if attempt is None or attempt.run_id is not None:
            return effects
        run = await self.tracking.start_run(context, attempt)
        return replace(effects, run_id=run.run_id, parent_run_id=run.parent_run_id)

    async def _finish_run(self, context: JobContext, decision: Decision) -> None:
        """Close the attempt's run at once if MLflow answers; the record asks the outbox for it in any case."""
        attempt = context.job.attempt
        if attempt is None or attempt.run_id is None or decision.ending is None:
            return
        with contextlib.suppress(Unavailable):
            await self.tracking.finish_run(context, attempt.run_id, decision.ending.outcome)

    async def _register_model(
        self, context: JobContext, decision: Decision, effects: Effects
    ) -> tuple[Decision, Effects]:
        """A model that cannot be registered fails the job: who asked for it must not miss it without a word."""
        attempt, wanted = context.job.attempt, context.job.spec.model
        if attempt is None or wanted is None:
            return decision, effects
        try:
            model = await self.tracking.register_model(context, attempt, wanted)
        except Unavailable:
            if context.now - attempt.phase_since < REGISTRATION_DEADLINE:
                waiting = replace(
                    decision, message="MLflow does not answer; waiting to register the model.", again_in=_TRACKING_AWAY
                )
                return waiting, effects
            failure = failures.model_not_registered("MLflow does not answer.", FailureClass.INFRA)
            return _with_failure(decision, attempt.exit_code, failure), effects
        except (NotFound, Invalid) as error:
            failure = failures.model_not_registered(error.detail, FailureClass.USER_ERROR)
            return _with_failure(decision, attempt.exit_code, failure), effects
        return replace(decision, message="The model is registered."), replace(effects, model=model)


def _with_failure(decision: Decision, exit_code: int | None, failure: Failure) -> Decision:
    ending = Ending(AttemptOutcome.FAILED, failure, exit_code)
    return replace(decision, message=failure.message, ending=ending)


def _stop_of(job: Job) -> tuple[float, str]:
    if job.stop is not None:
        return job.stop.grace_seconds, "cancelled"
    return job.spec.grace.total_seconds(), "deadline"


def _waits_for_tracking(decision: Decision) -> Decision:
    """A run id must be known before the process starts; the cluster is being started meanwhile."""
    return replace(
        decision,
        reason="WaitingForMlflow",
        message="MLflow does not answer; the job starts as soon as it does.",
        again_in=_TRACKING_AWAY,
    )


def _waits_for_engine(job: Job, away: EngineAwayError) -> Decision:
    """Nothing is known of it, so nothing is decided; people see why. While sealing the reason says how far that is."""
    reason = job.reason if job.phase is JobPhase.SEALING else away.reason
    return Decision(job.phase, reason, str(away), again_in=_ENGINE_AWAY)


def _not_yet(verdict: Verdict) -> Verdict:
    return replace(verdict, admitted=False)
