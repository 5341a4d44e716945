"""Nodes whose clocks disagree with Postgres's, which judges every lease, deadline and expiry.

Up to a minute is tolerated everywhere. More than that shows only in the times of a node's log lines, and is said once.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import DateTime, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from mlp_core.events import service as events
from mlp_core.kit.clock import skew_in_words
from mlp_core.tables import AttemptRow, EventRow, JobRow

CLOCK_SKEW = "ClockSkew"


async def note_skew(session: AsyncSession, attempt_id: str, node: str, sent_at: datetime) -> None:
    """Record an event where the node's clock, read at `sent_at`, is off; once per attempt and node."""
    now = await session.scalar(select(func.clock_timestamp(type_=DateTime(timezone=True))))
    skew = 0.0 if now is None else (sent_at - now).total_seconds()
    words = skew_in_words(skew)
    if words is None:
        return
    found = await session.execute(
        select(JobRow, AttemptRow.number)
        .join(AttemptRow, AttemptRow.job_id == JobRow.id)
        .where(AttemptRow.id == attempt_id)
    )
    job, number = found.one()
    said = select(EventRow.id).where(
        EventRow.resource_id == job.id,
        EventRow.attempt == number,
        EventRow.reason == CLOCK_SKEW,
        EventRow.data["node"].astext == node,
    )
    if await session.scalar(said.limit(1)) is not None:
        return
    await events.record(
        session,
        project_id=job.project_id,
        resource="job",
        resource_id=job.id,
        resource_name=job.name,
        attempt=number,
        reason=CLOCK_SKEW,
        message=f"The clock of node '{node}' is {words} the platform's: its lines bear wrong times.",
        actor="agent",
        data={"node": node, "skew_seconds": round(skew, 1)},
    )
