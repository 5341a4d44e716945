"""An operator over a real database and an engine without machines."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest
from sqlalchemy import func, select

from mlp_api.platform import Platform
from mlp_core.kit.ids import new_id
from mlp_core.settings import Settings
from mlp_core.tables import AttemptRow, JobRow, PoolRow
from mlp_operator.engines.simulated import SimulatedEngine
from support.operators import GIB, RecordedTracking, World
from support.platform import Api


@pytest.fixture
async def world(settings: Settings, platform: Platform, api: Api) -> AsyncGenerator[World]:
    owner = await api.person()
    project = await api.project(owner)
    async with platform.database.transaction() as session:
        if await session.scalar(select(PoolRow).where(PoolRow.name == "cpu")) is None:
            session.add(PoolRow(id=new_id("pool"), name="cpu", cpu=4, memory_bytes=8 * GIB, is_default=True))
    made = World(platform, settings, project, SimulatedEngine(), RecordedTracking())
    yield made
    await made.stop_operators()
    async with platform.database.transaction() as session:
        live = await session.scalars(select(JobRow).where(JobRow.ended_at.is_(None)))
        for row in live:
            row.due_at = None
            for attempt in await session.scalars(
                select(AttemptRow).where(AttemptRow.job_id == row.id, AttemptRow.ended_at.is_(None))
            ):
                attempt.outcome, attempt.ended_at = "cancelled", func.now()  # pyright: ignore[reportAttributeAccessIssue]
            row.phase, row.ended_at = "cancelled", func.now()  # pyright: ignore[reportAttributeAccessIssue]
