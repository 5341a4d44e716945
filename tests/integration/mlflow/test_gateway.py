"""The gateway on a real MLflow: idempotent, isolated, errors in our own words."""

# The gateway has no call that lists or deletes experiments: the tests use its transport for that.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import asyncio
import math
from datetime import UTC, datetime, timedelta

import pytest

from mlp_core.domain.errors import Invalid, NotFound, Unavailable
from mlp_core.gateways.mlflow import Mlflow, Point, Run, RunStatus, WorkspaceMissing
from mlp_core.kit.ids import new_id
from support.mlflow_server import MlflowServer

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
async def mlflow(mlflow_server: MlflowServer) -> Mlflow:
    return Mlflow(base_url=mlflow_server.base_url, public_url="http://mlp.test", secret=mlflow_server.secret)


@pytest.fixture(scope="module")
async def project(mlflow: Mlflow) -> str:
    made = new_id("project")
    await mlflow.workspaces.ensure(made)
    return made


@pytest.fixture
async def run(mlflow: Mlflow, project: str) -> Run:
    experiment = await mlflow.experiments.ensure(project, "runs")
    return await mlflow.runs.create(project, experiment, "a run", {"who": "ada"}, AT)


async def experiments(mlflow: Mlflow, project: str) -> dict[str, str]:
    """Name to life-cycle stage of every experiment, deleted ones included."""
    body = {"max_results": 1000, "view_type": "ALL"}
    answer = await mlflow.experiments._transport.post(project, "/api/2.0/mlflow/experiments/search", body)
    return {found["name"]: found["lifecycle_stage"] for found in answer["experiments"]}


async def delete_experiment(mlflow: Mlflow, project: str, experiment: str) -> None:
    body = {"experiment_id": experiment}
    await mlflow.experiments._transport.post(project, "/api/2.0/mlflow/experiments/delete", body)


# -- workspaces ----------------------------------------------------------------------------------------------------


async def test_a_project_without_workspace_is_told_apart(mlflow: Mlflow) -> None:
    with pytest.raises(WorkspaceMissing):
        await mlflow.experiments.ensure(new_id("project"), "iris")


async def test_a_workspace_is_made_once_however_often_and_at_once(mlflow: Mlflow) -> None:
    project = new_id("project")
    await asyncio.gather(*(mlflow.workspaces.ensure(project) for _ in range(3)))
    await mlflow.workspaces.ensure(project)
    assert await mlflow.experiments.ensure(project, "iris")


async def test_two_projects_may_use_one_name_and_see_nothing_of_each_other(mlflow: Mlflow, run: Run) -> None:
    other = new_id("project")
    await mlflow.workspaces.ensure(other)
    assert await mlflow.experiments.ensure(other, "runs") != run.experiment_id
    with pytest.raises(NotFound):
        await mlflow.runs.get(other, run.id)
    assert await mlflow.runs.find(other, run.experiment_id, "who", "ada") is None


# -- experiments ---------------------------------------------------------------------------------------------------


async def test_an_experiment_is_made_once_by_eight_at_once(mlflow: Mlflow, project: str) -> None:
    made = await asyncio.gather(*(mlflow.experiments.ensure(project, "at once") for _ in range(8)))
    assert len(set(made)) == 1


async def test_a_deleted_experiment_gives_its_name_back_and_can_be_restored(mlflow: Mlflow, project: str) -> None:
    first = await mlflow.experiments.ensure(project, "iris")
    await delete_experiment(mlflow, project, first)
    second = await mlflow.experiments.ensure(project, "iris")
    assert second != first
    assert await mlflow.experiments.ensure(project, "iris") == second
    deleted = {name for name, stage in (await experiments(mlflow, project)).items() if stage == "deleted"}
    assert [name.startswith("iris (deleted ") for name in deleted] == [True]
    assert (await mlflow.experiments.name_of(project, first)) in deleted


async def test_many_at_once_find_one_experiment_after_a_deletion(mlflow: Mlflow, project: str) -> None:
    first = await mlflow.experiments.ensure(project, "crowd")
    await delete_experiment(mlflow, project, first)
    made = await asyncio.gather(*(mlflow.experiments.ensure(project, "crowd") for _ in range(6)))
    live = [name for name, stage in (await experiments(mlflow, project)).items() if stage == "active"]
    assert len(set(made)) == 1
    assert live.count("crowd") == 1


@pytest.mark.parametrize("name", ["a/b", "😀", "x" * 250, 'quo\'te "s"', "Default"])
async def test_odd_names_are_names(mlflow: Mlflow, project: str, name: str) -> None:
    made = await mlflow.experiments.ensure(project, name)
    assert await mlflow.experiments.name_of(project, made) == name


async def test_a_name_that_mlflow_refuses_is_invalid(mlflow: Mlflow, project: str) -> None:
    with pytest.raises(Invalid):
        await mlflow.experiments.ensure(project, "x" * 600)


# -- runs ----------------------------------------------------------------------------------------------------------


async def test_a_run_is_found_by_its_tag(mlflow: Mlflow, project: str, run: Run) -> None:
    tagged = await mlflow.runs.create(project, run.experiment_id, "b", {"mlp.run": run.id}, AT)
    found = await mlflow.runs.find(project, run.experiment_id, "mlp.run", run.id)
    assert found is not None
    assert (found.id, found.tags["mlp.run"], found.status) == (tagged.id, run.id, "RUNNING")


async def test_a_run_is_closed_once(mlflow: Mlflow, project: str, run: Run) -> None:
    await mlflow.runs.close(project, run.id, RunStatus.FAILED, AT)
    await mlflow.runs.close(project, run.id, RunStatus.FAILED, AT + timedelta(hours=1))
    assert (await mlflow.runs.get(project, run.id)).status == "FAILED"


async def test_closing_what_a_person_deleted_or_never_was_is_no_error(mlflow: Mlflow, project: str, run: Run) -> None:
    await mlflow.runs.delete(project, run.id)
    await mlflow.runs.close(project, run.id, RunStatus.KILLED, AT)
    await mlflow.runs.close(project, "0" * 32, RunStatus.KILLED, AT)
    assert (await mlflow.runs.get(project, run.id)).is_deleted


async def test_every_point_of_a_long_curve_is_read_back(mlflow: Mlflow, project: str, run: Run) -> None:
    points = [Point("loss", 1 / (step + 1), step, AT + timedelta(seconds=step)) for step in range(2500)]
    await mlflow.runs.log_metrics(project, run.id, points)
    await mlflow.runs.log_metrics(project, run.id, points[:10])
    history = await mlflow.runs.metric_history(project, run.id, "loss")
    assert sorted(history, key=lambda point: point.step) == points
    assert len(await mlflow.runs.metric_history(project, run.id, "loss", limit=7)) == 7
    assert (await mlflow.runs.get(project, run.id)).metrics["loss"].step == 2499


async def test_values_that_json_has_no_number_for_pass(mlflow: Mlflow, project: str, run: Run) -> None:
    values = [math.nan, math.inf, -math.inf]
    await mlflow.runs.log_metrics(project, run.id, [Point("odd", v, i, AT) for i, v in enumerate(values)])
    stored = [p.value for p in await mlflow.runs.metric_history(project, run.id, "odd")]
    assert math.isnan(stored[0])
    assert stored[1] > 1e300
    assert stored[2] < -1e300


async def test_a_parameter_is_written_once(mlflow: Mlflow, project: str, run: Run) -> None:
    await mlflow.runs.log_params(project, run.id, {"lr": "0.1"})
    await mlflow.runs.log_params(project, run.id, {"lr": "0.1"})
    with pytest.raises(Invalid):
        await mlflow.runs.log_params(project, run.id, {"lr": "0.2"})


# -- models and errors ---------------------------------------------------------------------------------------------


async def test_a_run_without_the_model_says_how_to_log_one(mlflow: Mlflow, project: str, run: Run) -> None:
    with pytest.raises(NotFound, match="no model called 'model'") as raised:
        await mlflow.models.register(project, name="clf", run_id=run.id, artifact="model", tags={})
    assert "log_model" in (raised.value.hint or "")


async def test_a_server_that_is_away_is_unavailable() -> None:
    mlflow = Mlflow(base_url="http://127.0.0.1:9", public_url="http://mlp.test", secret="s" * 32)
    with pytest.raises(Unavailable):
        await mlflow.runs.get(new_id("project"), "0" * 32)
    with pytest.raises(Unavailable):
        await mlflow.workspaces.check()
    await mlflow.close()


async def test_a_key_that_the_server_does_not_know_is_unavailable_not_a_crash(
    mlflow_server: MlflowServer, project: str
) -> None:
    stranger = Mlflow(base_url=mlflow_server.base_url, public_url="http://mlp.test", secret="another key " * 4)
    with pytest.raises(Unavailable, match="401"):
        await stranger.experiments.ensure(project, "iris")
    await stranger.close()


async def test_a_server_that_answers_passes_its_check(mlflow: Mlflow) -> None:
    await mlflow.workspaces.check()
