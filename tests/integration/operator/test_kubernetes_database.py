"""What the Kubernetes engine reads from the database and writes to it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select

from mlp_core.domain.execution import ArtifactsObserved
from mlp_core.kit.ids import new_id
from mlp_core.tables import EventRow, JobRow, PoolRow, ProjectRow
from mlp_operator.engines.kubernetes.database import StoredPools, StoredReports, StoredTenants, bring_forward
from support.logged import LoggedJob, logged_job
from support.platform import Api

GIB = 2**30
STARTED = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
async def running(api: Api) -> LoggedJob:
    return await logged_job(api)


async def report(running: LoggedJob, **body: object) -> int:
    answer = await running.agent.http.put("/api/v1/agent/report", json=body)
    return answer.status_code


async def test_a_report_of_the_process_reaches_the_engine_and_an_end_is_an_end(running: LoggedJob) -> None:
    reports = StoredReports(running.api.platform.database)
    assert await reports.of(running.attempt.id) is None
    assert await report(running, setting_up="Fetching code.") == 204
    told = await reports.of(running.attempt.id)
    assert told is not None
    assert (told.setting_up, told.started_at) == ("Fetching code.", None)
    ended = {"started_at": STARTED.isoformat(), "ended_at": (STARTED + timedelta(seconds=9)).isoformat()}
    assert await report(running, **ended, exit_code=3, oom_kills=1, shipped=True) == 204
    assert await report(running, started_at=STARTED.isoformat()) == 204
    told = await reports.of(running.attempt.id)
    assert told is not None
    assert (told.started_at, told.exit_code, told.oom_kills, told.shipped) == (STARTED, 3, 1, True)


async def test_how_far_artifacts_are_stored_reaches_the_engine(running: LoggedJob) -> None:
    artifacts = {"files": 2, "files_stored": 1, "bytes": 9, "bytes_stored": 5, "missing": ["b"]}
    assert await report(running, artifacts=artifacts | {"until": STARTED.isoformat()}) == 204
    told = await StoredReports(running.api.platform.database).of(running.attempt.id)
    assert told is not None
    assert told.artifacts == ArtifactsObserved(2, 1, 9, 5, STARTED, missing=("b",))
    assert await report(running, artifacts=artifacts) == 422


async def test_a_process_that_cannot_start_says_why(running: LoggedJob) -> None:
    failure = {"failure_class": "environment", "message": "No such package: x", "last_lines": ["x"]}
    assert await report(running, failure=failure) == 204
    told = await StoredReports(running.api.platform.database).of(running.attempt.id)
    assert told is not None
    assert told.trouble is not None
    assert (told.trouble.is_final, told.trouble.message) == (True, "No such package: x")
    assert await report(running, exit_code=999) == 422


async def test_what_is_heard_of_a_job_makes_it_due(running: LoggedJob) -> None:
    database = running.api.platform.database
    async with database.transaction() as session:
        (await session.get_one(JobRow, running.job.id)).due_at = func.now() + timedelta(hours=1)  # pyright: ignore[reportAttributeAccessIssue]
    await bring_forward(database, {running.job.id, "cls_unknown"})
    async with database.transaction() as session:
        due = await session.scalar(select(JobRow.due_at <= func.now()).where(JobRow.id == running.job.id))
    assert due is True


async def test_tenants_are_projects_with_their_team_and_deleted_ones_by_id(running: LoggedJob) -> None:
    database = running.api.platform.database
    async with database.transaction() as session:
        session.add(
            PoolRow(
                id=new_id("pool"), name="a100x", cpu=8, memory_bytes=64 * GIB, gpu=4, machines=2,
                labels={"pool": "gpu"},
            )
        )  # fmt: skip
        project = await session.get_one(ProjectRow, running.scope.project_id)
        project.limits = {"cpu": 4, "memory_gib": 8}
    tenants = await StoredTenants(database).load()
    ours = next(one for one in tenants.projects if one.id == running.scope.project_id)
    assert (ours.slug, ours.limits.cpu, ours.limits.memory_bytes) == (running.scope.slug, 4, 8 * GIB)
    pool = next(one for one in tenants.pools if one.name == "a100x")
    assert (pool.capacity.gpu, pool.placement.node_labels) == (8, {"pool": "gpu"})
    assert (await StoredPools(database).placements())["a100x"].tolerations
    async with database.transaction() as session:
        (await session.get_one(ProjectRow, running.scope.project_id)).deleted_at = func.now()  # pyright: ignore[reportAttributeAccessIssue]
    tenants = await StoredTenants(database).load()
    assert running.scope.project_id in tenants.deleted
    assert running.scope.project_id not in {one.id for one in tenants.projects}


async def test_two_operators_tell_the_same_repair_once(running: LoggedJob) -> None:
    database = running.api.platform.database
    source = StoredTenants(database)
    project = next(one for one in (await source.load()).projects if one.id == running.scope.project_id)
    for _ in range(2):
        await source.note(project, "DriftRepaired", "LocalQueue default was missing and has been made again.")
    async with database.transaction() as session:
        told = await session.scalars(select(EventRow.message).where(EventRow.reason == "DriftRepaired"))
        assert len(list(told)) == 1
