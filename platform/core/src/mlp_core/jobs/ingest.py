"""What the processes of a live attempt hand in besides logs: metrics, samples, a result.

Each write holds the attempt against ending, so that a late one of an attempt that is over is refused: the attempt
is the fence.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Sequence
from datetime import datetime

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.agent import MetricsPost, ProcessReport, Sample
from mlp_core.domain.errors import AttemptOver, Invalid, LogGap, Unavailable
from mlp_core.gateways.mlflow import Mlflow, Point
from mlp_core.gateways.objects import ObjectStore
from mlp_core.jobs import clocks
from mlp_core.kit.database import Database, notify_due
from mlp_core.kit.fence import hold_live_attempt
from mlp_core.logs.repository import LogRepository
from mlp_core.samples.repository import SampleRepository
from mlp_core.tables import AttemptRow, JobRow


class AttemptIngest:
    """Opens short sessions of its own: none is held while MLflow or the object store work."""

    def __init__(self, database: Database, objects: ObjectStore, mlflow: Mlflow) -> None:
        self._database = database
        self._objects = objects
        self._mlflow = mlflow

    async def cursors(self, attempt_id: str) -> tuple[dict[str, int], int]:
        """First byte not stored yet, by log source, and of the metrics file.

        Raises:
            AttemptOver: the attempt has ended.
        """
        async with self._database.transaction() as session:
            attempt = await _live_attempt(session, attempt_id)
            extents = await LogRepository(session).extents(attempt_id)
        return {extent.source: extent.next_byte for extent in extents}, attempt.metrics_next_byte

    async def store_samples(
        self, attempt_id: str, node: str, samples: Sequence[Sample], sent_at: datetime | None = None
    ) -> None:
        """Keep samples of a node, and notice where its clock, read at `sent_at`, is off. Raises `AttemptOver`."""
        async with self._database.transaction() as session:
            await hold_live_attempt(session, attempt_id)
            await SampleRepository(session).add(attempt_id, node, samples)
            if sent_at is not None:
                await clocks.note_skew(session, attempt_id, node, sent_at)

    async def store_metrics(self, project_id: str, attempt_id: str, post: MetricsPost) -> int:
        """Log points into the attempt's run. Returns the first byte of the metrics file not taken yet.

        The run takes a point twice as one, and the count goes on only afterwards, so nothing is lost or doubled.

        Raises:
            LogGap: points before these are missing; `data.next_byte` says from where on.
            AttemptOver: the attempt has ended.
            Unavailable: MLflow does not answer, or the run is not made yet.
        """
        if post.end < post.start or (post.points and post.end == post.start):
            raise Invalid("The points end before they start.", fields={"end": "is not behind `start`"})
        async with self._database.transaction() as session:
            attempt = await _live_attempt(session, attempt_id)
        if post.start > attempt.metrics_next_byte:
            raise LogGap(
                f"Metrics are stored up to byte {attempt.metrics_next_byte:,}; these start at {post.start:,}.",
                hint="Send them again from `data.next_byte` on.",
                data={"next_byte": attempt.metrics_next_byte},
            )
        if post.start < attempt.metrics_next_byte or post.end == post.start:
            return attempt.metrics_next_byte
        if post.points:
            await self._log(project_id, attempt.run_id, post)
        return await self._advance(attempt_id, post)

    async def store_report(self, attempt_id: str, report: ProcessReport) -> None:
        """Keep how the attempt's process stands, and have the operator look at it now.

        One that has ended has ended: a report that was on its way meanwhile changes nothing.

        Raises:
            AttemptOver: the attempt has ended.
        """
        async with self._database.transaction() as session:
            await hold_live_attempt(session, attempt_id)
            attempt = await _live_attempt(session, attempt_id)
            if report.ended_at is None and (attempt.report or {}).get("ended_at") is not None:
                return
            attempt.report = report.model_dump(mode="json", exclude_none=True)
            await session.execute(
                update(JobRow)
                .where(JobRow.id == attempt.job_id, JobRow.due_at > func.now())
                .values(due_at=func.now())
                .execution_options(synchronize_session=False)
            )
            await notify_due(session)

    async def store_result(self, project_id: str, attempt_id: str, body: AsyncIterable[bytes]) -> int:
        """Keep what a remote function returned; the last one counts. Returns its bytes.

        Raises:
            AttemptOver: the attempt has ended.
        """
        key = result_key(project_id, attempt_id)
        size = await self._objects.put_stream(key, body)
        async with self._database.transaction() as session:
            await hold_live_attempt(session, attempt_id)
            job_id = select(AttemptRow.job_id).where(AttemptRow.id == attempt_id).scalar_subquery()
            await session.execute(
                update(JobRow).where(JobRow.id == job_id).values(result_key=key, updated_at=func.now())
            )
        return size

    async def _log(self, project_id: str, run_id: str | None, post: MetricsPost) -> None:
        if run_id is None:
            raise Unavailable("The attempt's run is not made yet.", hint="Send the points again in a moment.")
        points = [Point(point.key, point.value, point.step, point.at) for point in post.points]
        await self._mlflow.runs.log_metrics(project_id, run_id, points)

    async def _advance(self, attempt_id: str, post: MetricsPost) -> int:
        async with self._database.transaction() as session:
            await hold_live_attempt(session, attempt_id)
            await session.execute(
                update(AttemptRow)
                .where(AttemptRow.id == attempt_id, AttemptRow.metrics_next_byte == post.start)
                .values(metrics_next_byte=post.end)
            )
            return (await _live_attempt(session, attempt_id)).metrics_next_byte


def result_key(project_id: str, attempt_id: str) -> str:
    return f"results/{project_id}/{attempt_id}"


async def _live_attempt(session: AsyncSession, attempt_id: str) -> AttemptRow:
    statement = select(AttemptRow).where(AttemptRow.id == attempt_id, AttemptRow.ended_at.is_(None))
    row = await session.scalar(statement.execution_options(populate_existing=True))
    if row is None:
        raise AttemptOver("The attempt has ended; nothing more is taken from it.")
    return row
