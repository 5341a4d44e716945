"""Purging a deleted project: all of it goes, wherever the worker is killed; nothing of its neighbour does."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import ColumnElement, func, or_, select, update

from mlp_api.platform import Platform
from mlp_core.gateways.mlflow import Point
from mlp_core.gateways.mlflow.tokens import workspace_of
from mlp_core.housekeeping import purge_repository, purging
from mlp_core.kit.ids import new_id
from mlp_core.outbox import service as outbox
from mlp_core.scope import ProjectScope
from mlp_core.tables import (
    ArtifactRow,
    Base,
    ClusterRow,
    DashboardRow,
    EnvironmentRow,
    LogSegmentRow,
    LogSourceRow,
    OutboxRow,
    PackageRow,
    ProjectRow,
    SampleRow,
    TokenRow,
)
from support.attempts import running_job
from support.mlflow_server import MlflowServer
from support.platform import Api, Person

GRACE = timedelta(days=7)
DIGEST = "sha256:" + "7" * 64
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Tenant:
    scope: ProjectScope
    attempt_ids: tuple[str, ...]
    run_id: str


async def tenant(api: Api, owner: Person, name: str | None = None) -> Tenant:
    """A project with something in every table and room, all of it ended."""
    platform = api.platform
    scope = await api.project(owner, name, viewer=await api.person())
    project: str = scope.project_id
    ended: dict[str, Any] = {"phase": "stopped", "ended_at": NOW}
    environment = EnvironmentRow(
        id=new_id("environment"), project_id=project, python="3.11", requirements=[], request_digest="r", created_by="x"
    )
    cluster = ClusterRow(id=new_id("cluster"), project_id=project, name="c", spec={}, created_by="x", **ended)
    async with platform.database.transaction() as session:
        session.add_all([environment, cluster, PackageRow(project_id=project, digest=DIGEST, size=1, created_by="x")])
        await session.flush()
        session.add(DashboardRow(id=cluster.id, cluster_id=cluster.id, url="http://10.0.0.2:8265", token="sealed"))
        session.add(
            TokenRow(
                id=new_id("token"),
                user_id=owner.id,
                project_id=project,
                name="ci",
                prefix="mlp_",
                sha256=new_id("token").encode()[-32:].rjust(32, b"0"),
                expires_at=NOW,
            )
        )
    attempts: list[str] = []
    for _ in range(3):
        job = await running_job(
            platform, scope, package_digest=DIGEST, environment_id=environment.id, cluster_id=cluster.id
        )
        attempt = await job.attempt()
        await attempt.track()
        attempts.append(attempt.id)
        async with platform.database.transaction() as session:
            session.add_all(_of_attempt(project, attempt.id))
        for room in ("logs", "results", "artifacts"):
            await platform.objects.put(f"{room}/{project}/{attempt.id}/x", b"1")
        await attempt.end()
        await job.end()
        run_id = attempt.run_id
    await platform.objects.put(f"packages/{project}/{'7' * 64}", b"1")
    await platform.mlflow.runs.log_metrics(project, run_id, [Point("loss", 0.5, 1, NOW)])  # pyright: ignore[reportPossiblyUnboundVariable]
    return Tenant(scope, tuple(attempts), run_id)  # pyright: ignore[reportPossiblyUnboundVariable]


def _of_attempt(project: str, attempt: str) -> list[Base]:
    return [
        LogSourceRow(attempt_id=attempt, source="driver", next_byte=1, next_line=1, segments=1),
        LogSegmentRow(
            attempt_id=attempt, source="driver", number=0, start_byte=0, end_byte=1, start_line=0, end_line=1,
            first_at=NOW, last_at=NOW, times=[0, 0], object_key=f"logs/{project}/{attempt}/x",
        ),
        ArtifactRow(
            id=new_id("artifact"), attempt_id=attempt, path="a", size=0, object_key=f"artifacts/{project}/{attempt}/x"
        ),
        DashboardRow(id=attempt, attempt_id=attempt, url="http://10.0.0.1:8265", token="sealed"),
        SampleRow(
            attempt_id=attempt, node="head", resolution=0, at=NOW, cpu_cores=1.0, memory_bytes=1, memory_limit_bytes=2
        ),
    ]  # fmt: skip


async def left_of(platform: Platform, server: MlflowServer, one: Tenant) -> dict[str, int]:
    """How many rows, objects and artifacts there are, by where; absent where there is none."""
    project = one.scope.project_id
    found: dict[str, int] = {}
    async with platform.database.transaction() as session:
        for table in (*purge_repository.CHILDREN_FIRST, ProjectRow):
            statement = select(func.count()).select_from(table).where(_is_of(table, one))
            found[table.__tablename__] = await session.scalar(statement) or 0
    for room in purging.PREFIXES:
        found[room] = len([key async for key in platform.objects.list(f"{room}/{project}")])
    folder = server.artifacts / "workspaces" / workspace_of(project)
    found["files of MLflow"] = len([file for file in folder.rglob("*") if file.is_file()])
    return {where: count for where, count in found.items() if count}


def _is_of(table: type[Base], one: Tenant) -> ColumnElement[bool]:
    columns = table.__table__.columns
    if table is ProjectRow:
        return columns["id"] == one.scope.project_id
    if "project_id" in columns:
        return columns["project_id"] == one.scope.project_id
    if table is DashboardRow:
        clusters = select(ClusterRow.id).where(ClusterRow.project_id == one.scope.project_id)
        return or_(DashboardRow.attempt_id.in_(one.attempt_ids), DashboardRow.cluster_id.in_(clusters))
    return columns["attempt_id"].in_(one.attempt_ids)


async def delete(platform: Platform, one: Tenant, ago: timedelta) -> None:
    async with platform.database.transaction() as session:
        gone = update(ProjectRow).where(ProjectRow.id == one.scope.project_id)
        await session.execute(gone.values(deleted_at=func.now() - ago))


def an_artifact(server: MlflowServer, one: Tenant, experiment: str) -> None:
    """A file where MLflow's server puts what runs log."""
    folder = (
        server.artifacts / "workspaces" / workspace_of(one.scope.project_id) / experiment / one.run_id / "artifacts"
    )
    folder.mkdir(parents=True)
    (folder / "model.bin").write_bytes(b"1")


class Killed(Exception):
    """Stands for the end of the process at this point."""


async def test_a_purge_killed_anywhere_ends_with_all_of_it_gone_and_nothing_of_others(
    api: Api, platform: Platform, mlflow_server: MlflowServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = await api.person()
    doomed, neighbour = await tenant(api, owner, "vision"), await tenant(api, owner)
    for one in (doomed, neighbour):
        run = await platform.mlflow.runs.get(one.scope.project_id, one.run_id)
        an_artifact(mlflow_server, one, run.experiment_id)
    before = await left_of(platform, mlflow_server, neighbour)
    assert set(before) == set(await left_of(platform, mlflow_server, doomed))
    assert {"log_segments", "samples", "artifacts", "jobs", "clusters", "events", "tokens", "files of MLflow"} <= set(
        before
    )
    await delete(platform, doomed, GRACE + timedelta(hours=1))
    killed_at = 0
    while not await _purge_until(platform, doomed, monkeypatch, killed_at):
        killed_at += 1
        assert await left_of(platform, mlflow_server, neighbour) == before
    assert killed_at > 15
    assert await left_of(platform, mlflow_server, doomed) == {}
    assert await left_of(platform, mlflow_server, neighbour) == before
    points = await platform.mlflow.runs.metric_history(neighbour.scope.project_id, neighbour.run_id, "loss")
    assert len(points) == 1
    assert not await _purge(platform, doomed)
    again = await tenant(api, owner, "vision")
    assert again.scope.project_id != doomed.scope.project_id


async def _purge(platform: Platform, one: Tenant) -> bool:
    return await purging.purge(
        platform.database, platform.objects, platform.mlflow, one.scope.project_id, GRACE, batch=2
    )


async def _purge_until(platform: Platform, one: Tenant, monkeypatch: pytest.MonkeyPatch, steps: int) -> bool:
    """Purge, and be killed behind `steps` of its steps, counted over rows, objects and MLflow. Whether it ended."""
    left = steps

    def counted(step: Any) -> Any:
        async def run(*arguments: Any, **named: Any) -> Any:
            nonlocal left
            if left <= 0:
                raise Killed
            left -= 1
            return await step(*arguments, **named)

        return run

    with monkeypatch.context() as patched:
        patched.setattr(purge_repository, "delete_some", counted(purge_repository.delete_some))
        patched.setattr(purge_repository, "delete_project", counted(purge_repository.delete_project))
        patched.setattr(platform.objects, "delete_prefix", counted(platform.objects.delete_prefix))
        patched.setattr(platform.mlflow.workspaces, "remove", counted(platform.mlflow.workspaces.remove))
        patched.setattr(platform.mlflow.workspaces, "_remove", counted(platform.mlflow.workspaces._remove))  # pyright: ignore[reportPrivateUsage]
        try:
            return await _purge(platform, one)
        except Killed:
            return False


async def test_a_project_that_lives_or_waits_or_still_runs_is_left_alone(api: Api, platform: Platform) -> None:
    owner = await api.person()
    alive, waiting, running = [await api.project(owner) for _ in range(3)]
    tenants = {name: Tenant(scope, (), "") for name, scope in (("w", waiting), ("r", running), ("a", alive))}
    await running_job(platform, running)
    await delete(platform, tenants["w"], GRACE - timedelta(hours=1))
    await delete(platform, tenants["r"], GRACE + timedelta(hours=1))
    for one in tenants.values():
        assert not await _purge(platform, one)
    async with platform.database.transaction() as session:
        await purging.ask_for_deleted(session, GRACE)
        asked = set(await session.scalars(select(OutboxRow.key).where(OutboxRow.kind == purging.PURGE)))
        kept = await session.scalars(
            select(ProjectRow.id).where(ProjectRow.id.in_([one.scope.project_id for one in tenants.values()]))
        )
        assert len(kept.all()) == 3
    assert asked.isdisjoint(one.scope.project_id for one in tenants.values())


async def test_a_project_past_its_grace_is_asked_for_once(api: Api, platform: Platform) -> None:
    one = Tenant(await api.project(await api.person()), (), "")
    await delete(platform, one, GRACE + timedelta(hours=1))
    for _ in range(2):
        async with platform.database.transaction() as session:
            await purging.ask_for_deleted(session, GRACE)
    async with platform.database.transaction() as session:
        rows = await session.scalars(
            select(OutboxRow).where(OutboxRow.key == one.scope.project_id, OutboxRow.kind == purging.PURGE)
        )
        [row] = rows.all()
        claim = await outbox.claim(session, row.id, "test")
    assert claim is not None
    assert await _purge(platform, one)


def test_no_table_of_projects_is_forgotten() -> None:
    """Each table that refers to a project or to one of its attempts is emptied."""
    referring = {
        table.name
        for table in Base.metadata.tables.values()
        for key in table.foreign_keys
        if key.column.table.name in ("projects", "attempts", "jobs")
    }
    assert referring == {table.__tablename__ for table in purge_repository.CHILDREN_FIRST}
