"""Retention on the engine's disk: old things go, and never one that a job uses or is about to."""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select, update

from mlp_api.platform import Platform
from mlp_core.domain.execution import EnvironmentLock
from mlp_core.kit.ids import new_id
from mlp_core.scope import ProjectScope
from mlp_core.tables import JobRow
from mlp_operator.engines.local.locking import locked
from mlp_operator.engines.local.overlay import Overlays, lock_of
from mlp_operator.engines.local.retention import Retention
from mlp_operator.engines.local.settings import LocalSettings
from mlp_operator.engines.local.state import Layout, WorkRecord, write_record
from mlp_operator.retention import remove_checkpoints
from support.attempts import running_job
from support.platform import Api

KEEP = timedelta(days=30)
LONG = timedelta(days=40)
PYTHON = "3.11"


def now() -> datetime:
    return datetime.now(UTC)


def overlay(data: Path, digit: str, age: timedelta) -> Path:
    home = Layout(data).environments / (digit * 64)
    (home / "bin").mkdir(parents=True)
    then = (now() - age).timestamp()
    os.utime(home, (then, then))
    return home


def environment(home: Path) -> EnvironmentLock:
    return EnvironmentLock(digest=f"sha256:{home.name}", python=PYTHON, lock="")


def a_work(data: Path, lock: EnvironmentLock) -> None:
    where = Layout(data).cluster("att_1").work("att_1")
    where.engine.mkdir(parents=True)
    fields: dict[str, Any] = {
        "name": "att_1", "cluster": "att_1", "argv": None, "shell": "true", "variables": (), "grace_seconds": 1.0,
        "timeout_seconds": None, "checkpoint_key": "job_1", "api_url": "", "token": "", "package_digest": None,
    }  # fmt: skip
    write_record(WorkRecord(**fields, environment=lock), where.record)


async def test_environments_that_nobody_uses_any_more_go(tmp_path: Path) -> None:
    old, used, young = overlay(tmp_path, "a", LONG), overlay(tmp_path, "b", LONG), overlay(tmp_path, "c", timedelta(1))
    draft = overlay(tmp_path, "d", LONG)
    broken = draft.rename(draft.with_name(f".{draft.name}.77"))
    a_work(tmp_path, environment(used))
    retention = Retention(tmp_path)
    found = await asyncio.gather(*(retention.remove_overlays(KEEP, now()) for _ in "ab"))
    assert [name for names in found for name in names] == [old.name]
    assert [used.is_dir(), young.is_dir(), old.is_dir(), broken.is_dir()] == [True, True, False, False]
    assert [entry.name for entry in Layout(tmp_path).environments.iterdir() if entry.name.startswith(".")] == []


async def test_an_environment_taken_into_use_while_the_sweep_runs_stays(tmp_path: Path) -> None:
    home = overlay(tmp_path, "a", LONG)
    overlays = Overlays(home.parent, LocalSettings(data_dir=tmp_path, api_url=""))
    async with locked(lock_of(home)):
        taking = asyncio.create_task(overlays.ensure(environment(home), lambda _: None))
        sweeping = asyncio.create_task(Retention(tmp_path).remove_overlays(timedelta(0), now() - KEEP))
        await asyncio.sleep(0)
        os.utime(home)  # as by a third one that holds the lock and takes it into use
    assert await sweeping == []
    assert (await taking).parent.parent == home
    assert home.is_dir()


async def test_an_environment_removed_first_is_built_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = overlay(tmp_path, "a", LONG)
    built: list[Path] = []

    async def build(_: object, __: object, place: Path, ___: object) -> None:
        place.mkdir()  # noqa: ASYNC240 - an empty folder
        built.append(place)

    monkeypatch.setattr(Overlays, "_build", build)
    overlays = Overlays(home.parent, LocalSettings(data_dir=tmp_path, api_url=""))
    both = await asyncio.gather(
        *(overlays.ensure(environment(home), lambda _: None) for _ in range(5)),
        Retention(tmp_path).remove_overlays(KEEP, now()),
    )
    assert home.is_dir()
    assert built == ([home] if both[-1] else [])
    async with locked(lock_of(home)):
        removing = asyncio.create_task(Retention(tmp_path).remove_overlays(timedelta(0), now() + KEEP))
        using = asyncio.create_task(overlays.ensure(environment(home), lambda _: None))
        await asyncio.sleep(0)
    await asyncio.gather(removing, using)
    assert home.is_dir() or built[-1:] == [home]


@pytest.fixture
async def scope(api: Api) -> ProjectScope:
    return await api.project(await api.person())


async def ended(platform: Platform, scope: ProjectScope, data: Path, ago: timedelta | None) -> Path:
    """A job with a checkpoint, ended so long ago; None = it still runs."""
    job = await running_job(platform, scope)
    if ago is not None:
        async with platform.database.transaction() as session:
            values: dict[str, Any] = {"phase": "succeeded", "ended_at": func.now() - ago}
            await session.execute(update(JobRow).where(JobRow.id == job.id).values(values))
    return checkpoint(data, job.id, LONG)


def checkpoint(data: Path, key: str, age: timedelta) -> Path:
    folder = Layout(data).checkpoint(key)
    folder.mkdir(parents=True)
    (folder / "step-1").write_bytes(b"1")
    then = (now() - age).timestamp()
    os.utime(folder, (then, then))
    return folder


async def test_checkpoints_go_some_days_after_their_job(
    platform: Platform, scope: ProjectScope, tmp_path: Path
) -> None:
    old = await ended(platform, scope, tmp_path, LONG)
    young = await ended(platform, scope, tmp_path, timedelta(days=1))
    running = await ended(platform, scope, tmp_path, None)
    purged, unknown = checkpoint(tmp_path, new_id("job"), LONG), checkpoint(tmp_path, new_id("job"), timedelta(1))
    retention = Retention(tmp_path)
    removed = await remove_checkpoints(platform.database, retention, KEEP, now())
    assert set(removed) == {old.name, purged.name}
    assert set(old.parent.iterdir()) == {young, running, unknown}
    assert await remove_checkpoints(platform.database, retention, KEEP, now()) == []


async def test_checkpoints_of_a_job_that_is_being_tried_again_stay(
    platform: Platform, scope: ProjectScope, tmp_path: Path
) -> None:
    folder = await ended(platform, scope, tmp_path, LONG)
    retention = Retention(tmp_path)
    async with platform.database.transaction() as session:
        row = (await session.scalars(select(JobRow).where(JobRow.id == folder.name).with_for_update())).one()
        assert await remove_checkpoints(platform.database, retention, KEEP, now()) == []
        row.phase, row.ended_at = "queued", None
    assert await remove_checkpoints(platform.database, retention, KEEP, now()) == []
    assert (folder / "step-1").exists()


async def test_what_was_put_away_before_a_kill_is_removed_by_the_next(
    platform: Platform, scope: ProjectScope, tmp_path: Path
) -> None:
    folder = await ended(platform, scope, tmp_path, LONG)
    retention = Retention(tmp_path)
    retention.put_away_checkpoint(folder.name)
    checkpoint(tmp_path, folder.name, timedelta())  # the job was tried again meanwhile
    async with platform.database.transaction() as session:
        again = {"phase": "running", "ended_at": None}
        await session.execute(update(JobRow).where(JobRow.id == folder.name).values(again))
    assert await remove_checkpoints(platform.database, retention, KEEP, now()) == []
    assert list(folder.parent.iterdir()) == [folder]
