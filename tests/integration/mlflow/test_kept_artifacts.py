"""A file that an attempt left goes into its MLflow run later, by one command (case g5)."""

from __future__ import annotations

import hashlib

import pytest

from mlp.schemas.artifacts import PART_BYTES
from mlp_api.platform import Platform
from mlp_core.artifacts import log_to_run
from mlp_core.domain.errors import Unavailable
from mlp_core.gateways.mlflow import Mlflow
from mlp_core.outbox import service as outbox
from mlp_core.scope import ProjectScope
from mlp_core.tracking import closing
from support.attempts import running_job
from support.mlflow_server import MlflowServer
from support.platform import NOBODY_LISTENS, Api, Person

CONTENT = b"weights" * (PART_BYTES // 4)


@pytest.fixture(scope="module")
async def owner(api: Api) -> Person:
    return await api.person()


@pytest.fixture(scope="module")
async def scope(api: Api, owner: Person, platform: Platform) -> ProjectScope:
    made = await api.project(owner)
    await closing.ensure_workspace(platform.database, platform.mlflow, made.project_id)
    return made


async def test_g5_a_kept_file_is_uploaded_later_with_one_command(
    api: Api, platform: Platform, owner: Person, scope: ProjectScope, mlflow_server: MlflowServer
) -> None:
    job = await running_job(platform, scope)
    attempt = await job.attempt()
    await attempt.track()
    agent = api.client(attempt.token)
    begun = (await agent.post("/api/v1/agent/artifacts", json={"path": "a b/ü.bin", "size": len(CONTENT)})).json()
    url = f"/api/v1/projects/{scope.slug}/jobs/{job.id}/artifacts:log"
    early = await owner.http.post(url, json={"path": "a b/ü.bin"})
    assert (early.status_code, early.json()["code"]) == (409, "wrong_phase")
    for number in range(begun["parts"]):
        piece = CONTENT[number * PART_BYTES : (number + 1) * PART_BYTES]
        await agent.put(f"/api/v1/agent/artifacts/{begun['id']}/parts/{number}", content=piece)
    sha256 = hashlib.sha256(CONTENT).hexdigest()
    await agent.post(f"/api/v1/agent/artifacts/{begun['id']}:complete", json={"sha256": sha256})
    await attempt.end()

    assert (await owner.http.post(url, json={"path": "none"})).status_code == 404
    assert (await owner.http.post(url, json={"path": "a b/ü.bin", "to": "kept/ü.bin"})).status_code == 202
    async with platform.database.transaction() as session:
        due = [row_id for row_id, kind in await outbox.list_due(session) if kind == log_to_run.LOG_ARTIFACT]
        claim = await outbox.claim(session, due[0], "tests")
    assert claim is not None
    assert claim.key == begun["id"]
    away = Mlflow.of(platform.settings.model_copy(update={"mlflow_url": f"http://{NOBODY_LISTENS}"}))
    with pytest.raises(Unavailable):
        await log_to_run.log(platform.database, platform.objects, away, claim.key, claim.payload)
    await away.close()
    for _ in range(2):
        await log_to_run.log(platform.database, platform.objects, platform.mlflow, claim.key, claim.payload)

    (stored,) = mlflow_server.artifacts.rglob("kept/ü.bin")
    assert hashlib.sha256(stored.read_bytes()).hexdigest() == sha256
    assert attempt.run_id in str(stored)
    events = (await owner.http.get(url.removesuffix("/artifacts:log") + "/events")).json()["items"]
    assert {event["message"] for event in events if event["reason"] == "ArtifactLogged"} == {
        "'a b/ü.bin' is now 'kept/ü.bin' in the MLflow run."
    }
