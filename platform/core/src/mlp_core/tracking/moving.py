"""Following a job's code into the experiment that it names.

An attempt's run is made before its code starts, in the experiment of the job file. Plain MLflow code may then call
`set_experiment("other")`; the stock client refuses to go on with a run of another experiment. So, while nothing is
logged yet, the attempt gets a new run in the experiment it asks for, and the first one goes. The client still holds
the first run's id in `MLFLOW_RUN_ID`; `Moves` knows which run that now means.
"""

from __future__ import annotations

from collections import OrderedDict

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from mlp_core.domain.errors import NotFound
from mlp_core.gateways.mlflow import PARENT_TAG, Mlflow, Run
from mlp_core.kit.clock import Clock
from mlp_core.kit.database import Database
from mlp_core.tracking import repository
from mlp_core.tracking.repository import LiveAttempt
from mlp_core.tracking.runs import IDENTITY_TAG

MOVED_FROM_TAG = "mlp.moved_from"
_NOT_COPIED = frozenset({PARENT_TAG, "mlflow.runName", "mlflow.artifactLocation", MOVED_FROM_TAG})
_KEPT = 10_000


class Moves:
    """Moves attempts between experiments, and remembers where their first runs went. One per process."""

    def __init__(self, database: Database, mlflow: Mlflow, clock: Clock) -> None:
        self._database = database
        self._mlflow = mlflow
        self._clock = clock
        self._origins: OrderedDict[str, str | None] = OrderedDict()

    async def follow(self, attempt_id: str, experiment: str) -> None:
        """Move the attempt's run to `experiment`, made if absent, unless it is there or holds something already.

        Raises:
            Unavailable, Invalid: MLflow does not answer, or does not take the name.
        """
        async with self._database.transaction() as session:
            # All ranks of a job name their experiment at the same moment; one of them moves the run.
            await session.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 0))"), {"key": attempt_id})
            attempt = await repository.find_live_attempt(session, attempt_id)
            if attempt is not None and attempt.run_id is not None:
                await self._follow(session, attempt, attempt.run_id, experiment)

    async def origin_of(self, attempt_id: str) -> tuple[str, str] | None:
        """The first run's id and the one that it means now; None for an attempt that never moved."""
        async with self._database.transaction() as session:
            attempt = await repository.find_live_attempt(session, attempt_id)
        if attempt is None or attempt.run_id is None:
            return None
        if attempt.run_id not in self._origins:
            run = await self._mlflow.runs.get(attempt.project_id, attempt.run_id)
            self._remember(run.id, run.tags.get(MOVED_FROM_TAG))
        origin = self._origins[attempt.run_id]
        return None if origin is None else (origin, attempt.run_id)

    async def _follow(self, session: AsyncSession, attempt: LiveAttempt, run_id: str, experiment: str) -> None:
        project_id = attempt.project_id
        run = await self._mlflow.runs.get(project_id, run_id)
        if await self._mlflow.experiments.name_of(project_id, run.experiment_id) == experiment:
            return
        if not run.is_empty or await self._mlflow.runs.has_artifacts(project_id, run_id):
            return
        experiment_id = await self._mlflow.experiments.ensure(project_id, experiment)
        old_parent = await self._find(project_id, run.parent_id)
        parent = await self._copy(project_id, old_parent or run, experiment_id, attempt.job_id, {})
        origin = run.tags.get(MOVED_FROM_TAG, run_id)
        more = {PARENT_TAG: parent.id, MOVED_FROM_TAG: origin}
        moved = await self._copy(project_id, run, experiment_id, attempt.attempt_id, more)
        await repository.replace_runs(session, attempt, moved.id, parent.id)
        self._remember(moved.id, origin)
        await self._mlflow.runs.delete(project_id, run_id)
        if old_parent is not None and not await self._mlflow.runs.count_children(
            project_id, old_parent.experiment_id, old_parent.id
        ):
            await self._mlflow.runs.delete(project_id, old_parent.id)

    async def _copy(self, project_id: str, run: Run, experiment_id: str, identity: str, more: dict[str, str]) -> Run:
        """The same run in the other experiment, found again where an earlier try made it."""
        known = await self._mlflow.runs.find(project_id, experiment_id, IDENTITY_TAG, identity)
        if known is not None:
            return known
        tags = {key: value for key, value in run.tags.items() if key not in _NOT_COPIED}
        tags |= {**more, IDENTITY_TAG: identity}
        return await self._mlflow.runs.create(project_id, experiment_id, run.name, tags, self._clock.now())

    async def _find(self, project_id: str, run_id: str | None) -> Run | None:
        if run_id is None:
            return None
        try:
            return await self._mlflow.runs.get(project_id, run_id)
        except NotFound:
            return None

    def _remember(self, run_id: str, origin: str | None) -> None:
        self._origins[run_id] = origin
        self._origins.move_to_end(run_id)
        while len(self._origins) > _KEPT:
            self._origins.popitem(last=False)
