"""The stock `mlflow` client on the platform: unchanged code of users, in processes of their own."""

from __future__ import annotations

import asyncio
import json
from functools import partial

import pytest

from mlp_api.platform import Platform
from mlp_core.gateways.mlflow_main import HALF_UPLOADED
from mlp_core.scope import ProjectScope
from mlp_core.tracking import closing
from mlp_core.tracking.runs import DEFAULT_EXPERIMENT
from support.attempts import TestAttempt, running_job
from support.mlflow_server import MlflowServer
from support.platform import Api, Person

from .conftest import Script

LOGS_EVERYTHING = """
import mlflow, os, json
from pathlib import Path
mlflow.set_experiment("iris")
with mlflow.start_run(run_name="first") as run:
    mlflow.log_params({"lr": 0.1, "note": "ä/%"})
    for step in range(5):
        mlflow.log_metric("loss", 1 / (step + 1), step=step)
    Path("report ä.txt").write_text("hello")
    Path("big.bin").write_bytes(os.urandom(3_000_000))
    mlflow.log_artifact("report ä.txt", "sub folder")
    mlflow.log_artifact("big.bin")
    mlflow.log_text("not a model, but it lies like one", "model/MLmodel")
got = mlflow.artifacts.download_artifacts(run_id=run.info.run_id, artifact_path="big.bin", dst_path="down")
assert Path(got).read_bytes() == Path("big.bin").read_bytes()
client = mlflow.MlflowClient()
client.create_registered_model("clf")
version = client.create_model_version("clf", f"{run.info.artifact_uri}/model", run.info.run_id)
client.set_registered_model_alias("clf", "champion", version.version)
found = mlflow.search_runs(experiment_names=["iris"])
print(json.dumps({"run": run.info.run_id, "version": version.version, "runs": len(found),
                  "paths": sorted(a.path for a in client.list_artifacts(run.info.run_id))}))
"""
LOGS_A_MODEL = """
import mlflow
from sklearn.linear_model import LinearRegression
with mlflow.start_run():
    model = LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0])
    mlflow.sklearn.log_model(model, name="model", pip_requirements=["scikit-learn"])
"""
RESUMES = """
import mlflow, os
n = int(os.environ["MLP_ATTEMPT"])
mlflow.set_experiment("resumed")
mlflow.log_params({"lr": 0.1, "host": f"machine-{n}"})
for step in range(0 if n == 1 else 40, 100):
    mlflow.log_metric("loss", step + n / 10, step=step)
    if n == 1 and step == 50:
        os._exit(1)
for step in range(10):
    mlflow.log_metric("eval", step, step=step)
mlflow.log_metric("late", 1.0, step=5)
print(mlflow.active_run().info.run_id)
"""
TRIES_TO_WRITE = """
import mlflow
mlflow.set_experiment("by a viewer")
"""


@pytest.fixture(scope="module")
async def owner(api: Api) -> Person:
    return await api.person()


@pytest.fixture(scope="module")
async def viewer(api: Api) -> Person:
    return await api.person()


@pytest.fixture(scope="module")
async def scope(api: Api, owner: Person, viewer: Person, platform: Platform) -> ProjectScope:
    made = await api.project(owner, viewer=viewer)
    await closing.ensure_workspace(platform.database, platform.mlflow, made.project_id)
    return made


def of_job(attempt: TestAttempt) -> dict[str, str]:
    """The variables that the operator gives a job for MLflow."""
    return {
        "MLP_ATTEMPT": str(attempt.number),
        "MLFLOW_RUN_ID": attempt.run_id,
        "MLFLOW_EXPERIMENT_NAME": DEFAULT_EXPERIMENT,
        "MLFLOW_WORKSPACE": attempt.job.scope.slug,
    }


async def test_params_metrics_artifacts_and_versions_of_plain_code(
    script: Script, owner: Person, scope: ProjectScope, platform: Platform
) -> None:
    ran = await script(scope.slug, owner.token, LOGS_EVERYTHING)
    assert ran.code == 0, ran.err
    said = json.loads(ran.out.splitlines()[-1])
    assert said["paths"] == ["big.bin", "model", "sub folder"]
    assert said["version"] == "1"
    run = await platform.mlflow.runs.get(scope.project_id, said["run"])
    assert run.params == {"lr": "0.1", "note": "ä/%"}
    assert run.status == "FINISHED"
    assert [p.step for p in await platform.mlflow.runs.metric_history(scope.project_id, run.id, "loss")] == [*range(5)]
    register = partial(platform.mlflow.models.register, scope.project_id, run_id=run.id, artifact="model", tags={})
    assert await register(name="other") == await register(name="other")


async def test_a_viewer_may_read_and_not_write(script: Script, viewer: Person, scope: ProjectScope) -> None:
    ran = await script(scope.slug, viewer.token, TRIES_TO_WRITE)
    assert ran.code != 0
    assert "This needs the role editor" in ran.err


async def test_a_job_that_names_its_experiment_is_followed_there(
    script: Script, scope: ProjectScope, platform: Platform
) -> None:
    """Cases g3 and g7: two attempts, a changed parameter, steps that overlap, an experiment named in the code."""
    job = await running_job(platform, scope)
    first = await job.attempt()
    started = await first.track()
    ran = await script(scope.slug, first.token, RESUMES, **of_job(first))
    assert ran.code == 1, ran.err
    await first.end("failed")
    job.parent_run_id = await parent_of(platform, first)
    second = await job.attempt()
    await second.track()
    ran = await script(scope.slug, second.token, RESUMES, **of_job(second))
    assert ran.code == 0, ran.err
    await second.end()
    await job.end()

    moved = await platform.mlflow.runs.get(scope.project_id, (await first.row()).run_id or "")
    assert moved.id != started.run_id
    assert await platform.mlflow.experiments.name_of(scope.project_id, moved.experiment_id) == "resumed"
    assert moved.params["host"] == "machine-1"
    assert moved.tags["mlp.attempt"] == first.id
    assert (await platform.mlflow.runs.get(scope.project_id, started.run_id)).is_deleted
    assert ran.out.split()[0] == second.run_id

    for attempt in (first, second):
        await closing.close_attempt(platform.database, platform.mlflow, attempt.id)
    await closing.close_job(platform.database, platform.mlflow, job.id)
    parent_id = await parent_of(platform, second)
    loss = await platform.mlflow.runs.metric_history(scope.project_id, parent_id, "loss")
    assert sorted(point.step for point in loss) == list(range(100))
    assert {round(point.value - point.step, 1) for point in loss if point.step >= 40} == {0.2}
    parent = await platform.mlflow.runs.get(scope.project_id, parent_id)
    assert parent.params["host"] == "machine-2"
    assert {"eval", "late"} <= set(parent.metrics)
    statuses = [
        (await platform.mlflow.runs.get(scope.project_id, run_id)).status for run_id in (moved.id, second.run_id)
    ]
    assert statuses == ["FAILED", "FINISHED"]


async def test_the_model_of_a_job_is_registered_with_its_links(
    script: Script, scope: ProjectScope, platform: Platform
) -> None:
    attempt = await (await running_job(platform, scope)).attempt()
    await attempt.track()
    ran = await script(scope.slug, attempt.token, LOGS_A_MODEL, **of_job(attempt))
    assert ran.code == 0, ran.err
    made = await platform.mlflow.models.register(
        scope.project_id, name="digits", run_id=attempt.run_id, artifact="model", tags={"mlp.job": attempt.job.id}
    )
    assert (made.name, made.version, made.run_id) == ("digits", "1", attempt.run_id)


async def test_an_experiment_that_was_deleted_is_made_anew_by_the_same_code(
    script: Script, owner: Person, scope: ProjectScope
) -> None:
    """Case g1: the code is run, its experiment deleted, and the code run again; the default one as well."""
    code = """
import mlflow
for _ in range(2):
    with mlflow.start_run() as run: mlflow.log_metric("acc", 0.9)
    mlflow.MlflowClient().delete_experiment(run.info.experiment_id)
for _ in range(2):
    mlflow.set_experiment("flowers")
    with mlflow.start_run(): mlflow.log_metric("acc", 0.9)
    runs = mlflow.search_runs(experiment_names=["flowers"])
    mlflow.MlflowClient().delete_experiment(runs.experiment_id[0])
    print(len(runs))
gone = mlflow.search_experiments(view_type=mlflow.entities.ViewType.DELETED_ONLY)
old = [e for e in gone if e.name.startswith("flowers (deleted ")]
mlflow.MlflowClient().restore_experiment(old[0].experiment_id)
print(len(mlflow.search_runs(experiment_names=[old[0].name])))
"""
    ran = await script(scope.slug, owner.token, code)
    assert ran.code == 0, ran.err
    assert [line for line in ran.out.splitlines() if line.isdecimal()] == ["1", "1", "1"]


async def test_a_large_file_survives_a_restart_of_mlflow_in_the_middle(
    script: Script, owner: Person, scope: ProjectScope, mlflow_server: MlflowServer
) -> None:
    """Case g5, on a smaller file: stored once and whole, and never present but short."""
    code = """
import hashlib, mlflow, os
block = os.urandom(2**20)
with open("large.bin", "wb") as f:
    for n in range(800): f.write(n.to_bytes(4, "big") + block)
def digest(path): return hashlib.sha256(open(path, "rb").read()).hexdigest()
with mlflow.start_run() as run: mlflow.log_artifact("large.bin")
got = mlflow.artifacts.download_artifacts(run_id=run.info.run_id, artifact_path="large.bin", dst_path="down")
assert digest(got) == digest("large.bin")
print(len(mlflow.MlflowClient().list_artifacts(run.info.run_id)))
"""
    with mlflow_server.killed_under_an_upload(scope.project_id, at_bytes=20 * 2**20) as killer:
        running = asyncio.create_task(script(scope.slug, owner.token, code))
        await asyncio.to_thread(killer.wait, 120)
    mlflow_server.kill()
    kept = mlflow_server.artifacts_of(scope.project_id)
    assert not list(kept.rglob("large.bin"))
    half = list(kept.rglob(HALF_UPLOADED))
    assert half
    mlflow_server.start()
    ran = await running
    assert ran.code == 0, ran.err
    assert ran.out.split()[-1] == "1"
    assert not [path for path in half if path.exists()]


async def parent_of(platform: Platform, attempt: TestAttempt) -> str:
    run = await platform.mlflow.runs.get(attempt.job.scope.project_id, (await attempt.row()).run_id or "")
    return run.parent_id or ""
