"""Runs of jobs and attempts: made once, closed for certain, curves of all attempts on the job's run."""

# The gateway has no call that deletes experiments: a test uses its transport for that.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from mlp.schemas.phases import AttemptOutcome
from mlp_api.platform import Platform
from mlp_core.gateways.mlflow import Point, RunStatus
from mlp_core.scope import ProjectScope
from mlp_core.tables import ProjectRow
from mlp_core.tracking import closing
from mlp_core.tracking.moving import Moves
from mlp_core.tracking.runs import finish_attempt_run
from support.attempts import TestAttempt, running_job
from support.platform import Api


@pytest.fixture(scope="module")
async def scope(api: Api) -> ProjectScope:
    """Its workspace is not made on purpose: the first attempt does it."""
    return await api.project(await api.person())


async def log(platform: Platform, attempt: TestAttempt, key: str, steps: range, value: float) -> None:
    project, at = attempt.job.scope.project_id, attempt.created_at
    points = [Point(key, value + step, step, at + timedelta(seconds=step)) for step in steps]
    await platform.mlflow.runs.log_metrics(project, attempt.run_id, points)


async def test_an_attempt_has_a_run_below_the_jobs_run(platform: Platform, scope: ProjectScope) -> None:
    attempt = await (await running_job(platform, scope)).attempt()
    started = await attempt.track(
        tags={"team": "vision", "mlp.job": "forged", "mlflow.parentRunId": "forged"},
        package_digest="sha256:" + "a" * 64,
        environment_digest="sha256:" + "b" * 64,
    )
    run = await platform.mlflow.runs.get(scope.project_id, started.run_id)
    assert run.parent_id == started.parent_run_id
    assert run.tags["mlp.job"] == attempt.job.id
    assert run.tags["mlp.attempt"] == attempt.id
    assert run.tags["mlp.url"].endswith(attempt.job.id)
    assert run.tags["mlp.package"] == "sha256:" + "a" * 64
    assert run.tags["mlp.environment_digest"] == "sha256:" + "b" * 64
    assert run.tags["team"] == "vision"
    assert await platform.mlflow.experiments.name_of(scope.project_id, started.experiment_id) == "Default"


async def test_starting_again_after_a_crash_finds_the_same_runs(platform: Platform, scope: ProjectScope) -> None:
    attempt = await (await running_job(platform, scope)).attempt()
    first = await attempt.track(experiment="iris")
    attempt.job.parent_run_id = None  # the operator died before it wrote it down
    assert await attempt.track(experiment="iris") == first


async def test_an_experiment_that_was_deleted_a_moment_ago_is_made_anew(
    platform: Platform, scope: ProjectScope
) -> None:
    first = await (await (await running_job(platform, scope)).attempt()).track(experiment="brief")
    body = {"experiment_id": first.experiment_id}
    await platform.mlflow.experiments._transport.post(scope.project_id, "/api/2.0/mlflow/experiments/delete", body)
    second = await (await (await running_job(platform, scope)).attempt()).track(experiment="brief")
    assert second.experiment_id != first.experiment_id


async def test_a_crash_between_the_two_runs_makes_no_third(platform: Platform, scope: ProjectScope) -> None:
    attempt = await (await running_job(platform, scope)).attempt()
    first = await attempt.track(experiment="halves")
    await platform.mlflow.runs.delete(scope.project_id, first.run_id)
    attempt.job.parent_run_id = None
    again = await attempt.track(experiment="halves")
    assert again.parent_run_id == first.parent_run_id
    runs = await platform.mlflow.runs.list_tagged(scope.project_id, first.experiment_id, "mlp.job", attempt.job.id)
    assert {run.id for run in runs} == {again.parent_run_id, again.run_id}


async def test_attempts_share_the_jobs_run_and_its_experiment(platform: Platform, scope: ProjectScope) -> None:
    job = await running_job(platform, scope)
    attempt = await job.attempt()
    first = await attempt.track(experiment="shared")
    await attempt.end("failed")
    now = platform.clock.now()
    await platform.mlflow.runs.close(scope.project_id, first.parent_run_id, RunStatus.FAILED, now)
    second = await (await job.attempt()).track(experiment="shared")
    assert second.parent_run_id == first.parent_run_id
    assert second.run_id != first.run_id
    assert (await platform.mlflow.runs.get(scope.project_id, first.parent_run_id)).status == "RUNNING"


async def test_a_job_whose_run_was_deleted_gets_another_one(platform: Platform, scope: ProjectScope) -> None:
    job = await running_job(platform, scope)
    attempt = await job.attempt()
    first = await attempt.track()
    await attempt.end("failed")
    await platform.mlflow.runs.delete(scope.project_id, first.parent_run_id)
    second = await (await job.attempt()).track()
    assert second.parent_run_id != first.parent_run_id


@pytest.mark.parametrize(
    ("outcome", "status"),
    [("succeeded", "FINISHED"), ("failed", "FAILED"), ("cancelled", "KILLED"), ("preempted", "KILLED")],
)
async def test_the_run_ends_as_the_attempt_did(
    platform: Platform, scope: ProjectScope, outcome: str, status: str
) -> None:
    attempt = await (await running_job(platform, scope)).attempt()
    started = await attempt.track()
    await closing.close_attempt(platform.database, platform.mlflow, attempt.id)
    assert (await platform.mlflow.runs.get(scope.project_id, started.run_id)).status == "RUNNING"
    await attempt.end(outcome)
    await asyncio.gather(*(closing.close_attempt(platform.database, platform.mlflow, attempt.id) for _ in range(2)))
    assert (await platform.mlflow.runs.get(scope.project_id, started.run_id)).status == status


async def test_closing_at_once_and_again_by_the_worker_is_closing_once(platform: Platform, scope: ProjectScope) -> None:
    attempt = await (await running_job(platform, scope)).attempt()
    started = await attempt.track()
    await attempt.end("failed")
    now = platform.clock.now()
    await finish_attempt_run(platform.mlflow, scope.project_id, started.run_id, AttemptOutcome.FAILED, now)
    await closing.close_attempt(platform.database, platform.mlflow, attempt.id)
    assert (await platform.mlflow.runs.get(scope.project_id, started.run_id)).status == "FAILED"


async def test_the_jobs_run_gets_one_clean_curve_of_all_attempts(platform: Platform, scope: ProjectScope) -> None:
    job = await running_job(platform, scope)
    first = await job.attempt()
    await first.track()
    await log(platform, first, "loss", range(0, 100), 1000)
    await platform.mlflow.runs.log_params(scope.project_id, first.run_id, {"lr": "0.1", "host": "a"})
    await first.end("failed")
    second = await job.attempt()
    await second.track()
    await log(platform, second, "loss", range(80, 200), 2000)
    await log(platform, second, "eval", range(0, 10), 0)
    await platform.mlflow.runs.log_params(scope.project_id, second.run_id, {"lr": "0.1", "host": "b"})
    await second.end("succeeded")
    await job.end()
    for _ in range(2):
        await closing.close_job(platform.database, platform.mlflow, job.id)
    parent = await platform.mlflow.runs.get(scope.project_id, job.parent_run_id or "")
    loss = await platform.mlflow.runs.metric_history(scope.project_id, parent.id, "loss")
    assert sorted(point.step for point in loss) == list(range(200))
    assert {point.value - point.step for point in loss if point.step >= 80} == {2000}
    assert {point.value - point.step for point in loss if point.step < 80} == {1000}
    assert len(await platform.mlflow.runs.metric_history(scope.project_id, parent.id, "eval")) == 10
    assert parent.params == {"lr": "0.1", "host": "b"}
    assert parent.status == "FINISHED"


async def test_a_job_that_has_not_ended_is_left_alone(platform: Platform, scope: ProjectScope) -> None:
    job = await running_job(platform, scope)
    await (await job.attempt()).track()
    await closing.close_job(platform.database, platform.mlflow, job.id)
    assert (await platform.mlflow.runs.get(scope.project_id, job.parent_run_id or "")).status == "RUNNING"


async def test_all_ranks_that_name_an_experiment_at_once_move_the_run_once(
    platform: Platform, scope: ProjectScope
) -> None:
    attempt = await (await running_job(platform, scope)).attempt()
    started = await attempt.track()
    ranks = [Moves(platform.database, platform.mlflow, platform.clock) for _ in range(4)]
    await asyncio.gather(*(moves.follow(attempt.id, "named by all") for moves in ranks))
    row = await attempt.row()
    moved = await platform.mlflow.runs.get(scope.project_id, row.run_id or "")
    assert await platform.mlflow.experiments.name_of(scope.project_id, moved.experiment_id) == "named by all"
    assert await platform.mlflow.runs.count_children(scope.project_id, moved.experiment_id, moved.parent_id or "") == 1
    for moves in ranks:
        assert await moves.origin_of(attempt.id) == (started.run_id, moved.id)


async def test_a_run_that_holds_something_stays_where_it_is(platform: Platform, scope: ProjectScope) -> None:
    attempt = await (await running_job(platform, scope)).attempt()
    started = await attempt.track()
    await log(platform, attempt, "loss", range(1), 0)
    moves = Moves(platform.database, platform.mlflow, platform.clock)
    await moves.follow(attempt.id, "too late")
    assert (await attempt.row()).run_id == started.run_id
    assert await moves.origin_of(attempt.id) is None


async def test_a_workspace_is_noted_on_the_project(platform: Platform, api: Api) -> None:
    scope = await api.project(await api.person())
    await closing.ensure_workspace(platform.database, platform.mlflow, scope.project_id)
    async with platform.database.transaction() as session:
        assert (await session.get_one(ProjectRow, scope.project_id)).mlflow_ready_at is not None
