"""What a tenant can do in the MLflow server and what it cannot, in raw calls: the facts that the gateway relies on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import OctKey

from support.mlflow_server import MlflowServer, running_mlflow
from support.postgres import Postgres

ADMIN = "platform"
ARTIFACTS = "/api/2.0/mlflow-artifacts/artifacts"
WRITER = (("workspace", "USE"), ("experiment", "MANAGE"), ("registered_model", "MANAGE"), ("prompt", "MANAGE"))
READER = (("experiment", "READ"), ("registered_model", "READ"), ("prompt", "READ"))


class Server:
    """Mints tokens as the api does and makes tenants as the gateway does."""

    def __init__(self, running: MlflowServer) -> None:
        self.running = running
        self._key = OctKey.import_key(running.secret)
        self.admin = self.client(ADMIN, "*")

    def token(self, user: str, workspace: str, **claims: object) -> str:
        now = int(time.time())
        standard = {"iss": "mlp", "typ": "mlflow", "sub": user, "workspace": workspace, "iat": now, "exp": now + 300}
        return jwt.encode({"alg": "HS256"}, standard | claims, self._key)

    def client(self, user: str, workspace: str, header: str | None = None) -> httpx.Client:
        headers = {"Authorization": f"Bearer {self.token(user, workspace)}"}
        if header is not None:
            headers["X-MLFLOW-WORKSPACE"] = header
        return httpx.Client(base_url=self.running.base_url, headers=headers, timeout=60)

    def make_user(self, name: str, workspace: str, grants: tuple[tuple[str, str], ...]) -> httpx.Client:
        made = self.admin.post("/api/2.0/mlflow/users/create", json={"username": name, "password": "p" * 40})
        assert made.status_code == 200, made.text
        role = self.admin.post("/api/3.0/mlflow/roles/create", json={"name": name, "workspace": workspace})
        number = role.json()["role"]["id"]
        for kind, permission in grants:
            grant = {"role_id": number, "resource_type": kind, "resource_pattern": "*", "permission": permission}
            assert self.admin.post("/api/3.0/mlflow/roles/permissions/add", json=grant).status_code == 200
        assigned = self.admin.post("/api/3.0/mlflow/roles/assign", json={"username": name, "role_id": number})
        assert assigned.status_code == 200
        return self.client(name, workspace, workspace)


@dataclass
class Tenant:
    workspace: str
    member: httpx.Client
    reader: httpx.Client
    platform: httpx.Client
    experiment: str
    run: str

    @property
    def run_artifacts(self) -> str:
        return f"workspaces/{self.workspace}/{self.experiment}/{self.run}/artifacts"


def make_tenant(server: Server, workspace: str) -> Tenant:
    assert server.admin.post("/api/3.0/mlflow/workspaces", json={"name": workspace}).status_code == 201
    member = server.make_user(workspace, workspace, WRITER)
    reader = server.make_user(f"viewer-of-{workspace}", workspace, READER)
    platform = server.client(ADMIN, "*", workspace)
    experiment = platform.post("/api/2.0/mlflow/experiments/create", json={"name": "digits"}).json()["experiment_id"]
    tags = [{"key": "mlp.job", "value": "job_1"}]
    wanted = {"experiment_id": experiment, "run_name": "job_1", "start_time": 1, "tags": tags}
    run = platform.post("/api/2.0/mlflow/runs/create", json=wanted).json()["run"]["info"]["run_id"]
    return Tenant(workspace, member, reader, platform, experiment, run)


@pytest.fixture(scope="module")
def server(postgres: Postgres) -> Iterator[Server]:
    with running_mlflow(postgres) as running:
        yield Server(running)


@pytest.fixture(scope="module")
def a(server: Server) -> Tenant:
    return make_tenant(server, "project-a")


@pytest.fixture(scope="module")
def b(server: Server) -> Tenant:
    return make_tenant(server, "project-b")


def test_a_member_works_on_a_run_that_the_platform_made(a: Tenant) -> None:
    metric = {"key": "loss", "value": 0.5, "timestamp": 1, "step": 0}
    batch = {"run_id": a.run, "metrics": [metric], "params": [{"key": "depth", "value": "6"}]}
    assert a.member.post("/api/2.0/mlflow/runs/log-batch", json=batch).status_code == 200
    seen = a.member.get("/api/2.0/mlflow/runs/get", params={"run_id": a.run}).json()["run"]
    assert seen["data"]["params"] == [{"key": "depth", "value": "6"}]
    assert seen["info"]["artifact_uri"] == f"mlflow-artifacts:/{a.run_artifacts}"
    child = {"experiment_id": a.experiment, "tags": [{"key": "mlflow.parentRunId", "value": a.run}]}
    made = a.member.post("/api/2.0/mlflow/runs/create", json=child).json()["run"]["info"]["run_id"]
    ended = {"run_id": made, "status": "FINISHED", "end_time": 2}
    assert a.member.post("/api/2.0/mlflow/runs/update", json=ended).json()["run_info"]["status"] == "FINISHED"
    assert a.member.post("/api/2.0/mlflow/runs/delete", json={"run_id": made}).status_code == 200


def test_a_member_makes_experiments_of_its_own(a: Tenant) -> None:
    made = a.member.post("/api/2.0/mlflow/experiments/create", json={"name": "own"}).json()["experiment_id"]
    assert a.member.post("/api/2.0/mlflow/runs/create", json={"experiment_id": made}).status_code == 200
    elsewhere = {"name": "elsewhere", "artifact_location": "file:///etc"}
    refused = a.member.post("/api/2.0/mlflow/experiments/create", json=elsewhere)
    assert refused.status_code == 400


def test_a_member_stores_and_registers_a_model_of_a_run(a: Tenant) -> None:
    stored = a.member.put(f"{ARTIFACTS}/{a.run_artifacts}/model/MLmodel", content=b"flavors: {}")
    assert stored.status_code == 200
    assert a.member.get(f"{ARTIFACTS}/{a.run_artifacts}/model/MLmodel").content == b"flavors: {}"
    listed = a.member.get("/api/2.0/mlflow/artifacts/list", params={"run_id": a.run, "path": "model"}).json()
    assert [file["path"] for file in listed["files"]] == ["model/MLmodel"]
    assert a.member.post("/api/2.0/mlflow/registered-models/create", json={"name": "classifier"}).status_code == 200
    wanted = {
        "name": "classifier",
        "source": f"mlflow-artifacts:/{a.run_artifacts}/model",
        "run_id": a.run,
        "tags": [{"key": "mlp.job", "value": "job_1"}],
    }
    version = a.member.post("/api/2.0/mlflow/model-versions/create", json=wanted).json()["model_version"]
    assert (version["version"], version["status"], version["run_id"]) == ("1", "READY", a.run)
    alias = {"name": "classifier", "alias": "champion", "version": "1"}
    assert a.member.post("/api/2.0/mlflow/registered-models/alias", json=alias).status_code == 200


def test_a_logged_model_is_found_by_its_run_and_registered(a: Tenant) -> None:
    wanted = {"experiment_id": a.experiment, "name": "booster", "source_run_id": a.run}
    info = a.member.post("/api/2.0/mlflow/logged-models", json=wanted).json()["model"]["info"]
    path = info["artifact_uri"].removeprefix("mlflow-artifacts:/")
    assert a.member.put(f"{ARTIFACTS}/{path}/MLmodel", content=b"flavors: {}").status_code == 200
    ready = {"model_id": info["model_id"], "status": "LOGGED_MODEL_READY"}
    assert a.member.patch(f"/api/2.0/mlflow/logged-models/{info['model_id']}", json=ready).status_code == 200
    search = {"experiment_ids": [a.experiment], "filter": f"source_run_id = '{a.run}' AND name = 'booster'"}
    found = a.platform.post("/api/2.0/mlflow/logged-models/search", json=search).json()["models"]
    assert [model["info"]["model_id"] for model in found] == [info["model_id"]]
    a.platform.post("/api/2.0/mlflow/registered-models/create", json={"name": "boosters"})
    version = {"name": "boosters", "source": info["artifact_uri"], "run_id": a.run, "model_id": info["model_id"]}
    assert a.platform.post("/api/2.0/mlflow/model-versions/create", json=version).status_code == 200


def test_a_reader_sees_everything_and_changes_nothing(a: Tenant) -> None:
    assert a.reader.get("/api/2.0/mlflow/runs/get", params={"run_id": a.run}).status_code == 200
    found = a.reader.post("/api/2.0/mlflow/runs/search", json={"experiment_ids": [a.experiment]}).json()
    assert a.run in [run["info"]["run_id"] for run in found["runs"]]
    a.member.put(f"{ARTIFACTS}/{a.run_artifacts}/seen", content=b"seen")
    assert a.reader.get(f"{ARTIFACTS}/{a.run_artifacts}/seen").content == b"seen"
    for method, path, body in (
        ("POST", "/api/2.0/mlflow/experiments/create", {"name": "no"}),
        ("POST", "/api/2.0/mlflow/runs/create", {"experiment_id": a.experiment}),
        ("POST", "/api/2.0/mlflow/runs/update", {"run_id": a.run, "status": "FAILED"}),
        ("POST", "/api/2.0/mlflow/runs/set-tag", {"run_id": a.run, "key": "k", "value": "v"}),
        ("POST", "/api/2.0/mlflow/registered-models/create", {"name": "no"}),
        ("PUT", f"{ARTIFACTS}/{a.run_artifacts}/no", {}),
    ):
        assert a.reader.request(method, path, json=body).status_code == 403, path


def test_the_name_of_an_experiment_is_free_in_each_workspace(a: Tenant, b: Tenant) -> None:
    assert a.experiment != b.experiment


@pytest.mark.parametrize("header", [None, "", "default", "project-a"])
def test_a_token_is_refused_outside_its_workspace(server: Server, b: Tenant, a: Tenant, header: str | None) -> None:
    stranger = server.client(b.workspace, b.workspace, header)
    for path in ("/api/2.0/mlflow/runs/get", f"{ARTIFACTS}/{a.run_artifacts}/seen", "/graphql", "/get-artifact"):
        refused = stranger.get(path, params={"run_id": a.run})
        assert refused.status_code == 403, path
        assert "another workspace" in refused.text


def test_one_tenant_reaches_nothing_of_another_in_its_own_workspace(a: Tenant, b: Tenant) -> None:
    a.member.put(f"{ARTIFACTS}/{a.run_artifacts}/secret", content=b"secret")
    for path, parameters in (
        ("/api/2.0/mlflow/experiments/get", {"experiment_id": a.experiment}),
        ("/api/2.0/mlflow/runs/get", {"run_id": a.run}),
        ("/api/2.0/mlflow/artifacts/list", {"run_id": a.run}),
        ("/get-artifact", {"run_uuid": a.run, "path": "secret"}),
        ("/api/2.0/mlflow/metrics/get-history", {"run_id": a.run, "metric_key": "loss"}),
        (f"{ARTIFACTS}/{a.run_artifacts}/secret", {}),
        (f"{ARTIFACTS}/{a.experiment}/{a.run}/artifacts/secret", {}),
        (f"{ARTIFACTS}/{b.experiment}/%2e%2e/%2e%2e/{a.run_artifacts}/secret", {}),
        (f"{ARTIFACTS}/{b.experiment}/..%2f..%2f{a.run_artifacts}/secret", {}),
    ):
        answer = b.member.get(path, params=parameters)
        assert answer.status_code in (400, 403, 404), path
        assert b"secret" not in answer.content
    for path, body in (
        ("/api/2.0/mlflow/runs/log-metric", {"run_id": a.run, "key": "loss", "value": 1, "timestamp": 1}),
        ("/api/2.0/mlflow/runs/update", {"run_id": a.run, "status": "FAILED"}),
        ("/api/2.0/mlflow/runs/delete", {"run_id": a.run}),
        ("/api/2.0/mlflow/runs/create", {"experiment_id": a.experiment}),
    ):
        assert b.member.post(path, json=body).status_code == 403, path
    found = b.member.post("/api/2.0/mlflow/runs/search", json={"experiment_ids": [a.experiment, b.experiment]})
    assert a.run not in found.text
    query = f'query {{ mlflowGetRun(input: {{runId: "{a.run}"}}) {{ run {{ info {{ runId }} }} }} }}'
    assert b.member.post("/graphql", json={"query": query}).json()["data"]["mlflowGetRun"] is None


def test_a_model_version_cannot_point_at_what_its_maker_may_not_read(a: Tenant, b: Tenant) -> None:
    b.member.post("/api/2.0/mlflow/registered-models/create", json={"name": "thief"})
    for source in (
        f"mlflow-artifacts:/{a.run_artifacts}/model",
        f"runs:/{a.run}/model",
        f"mlflow-artifacts:/{b.experiment}/../../{a.run_artifacts}",
        "file:///etc",
        "/etc",
        "http://127.0.0.1/",
    ):
        for run in ({}, {"run_id": a.run}, {"run_id": b.run}):
            wanted = {"name": "thief", "source": source, **run}
            refused = b.member.post("/api/2.0/mlflow/model-versions/create", json=wanted)
            assert refused.status_code in (400, 403), (source, run, refused.text)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/2.0/mlflow/users/list"),
        ("POST", "/api/2.0/mlflow/users/create"),
        ("POST", "/api/3.0/mlflow/roles/create"),
        ("POST", "/api/3.0/mlflow/users/permissions/grant"),
        ("POST", "/api/3.0/mlflow/gateway/secrets/create"),
        ("POST", "/gateway/proxy/x/y"),
        ("GET", "/ajax-api/3.0/mlflow/assistant/config"),
        ("POST", "/ajax-api/3.0/mlflow/assistant/message"),
        ("POST", "/ajax-api/3.0/jobs/search"),
        ("POST", "/api/2.0/mlflow/webhooks"),
        ("GET", "/ajax-api/3.0/mlflow/mcp-servers"),
        ("POST", "/ajax-api/3.0/mlflow/demo/generate"),
        ("POST", "/ajax-api/2.0/mlflow/runs/create-promptlab-run"),
        ("POST", "/ajax-api/2.0/mlflow/gateway-proxy"),
    ],
)
def test_parts_that_the_platform_does_not_offer_are_closed(a: Tenant, method: str, path: str) -> None:
    refused = a.member.request(method, path, json={})
    assert refused.status_code == 403
    assert "does not offer" in refused.text


def test_a_workspace_is_made_by_the_platform_alone(a: Tenant) -> None:
    assert a.member.post("/api/3.0/mlflow/workspaces", json={"name": "project-x"}).status_code == 403
    listed = a.member.get("/api/3.0/mlflow/workspaces").json()["workspaces"]
    assert [workspace["name"] for workspace in listed] == [a.workspace]


def test_tokens_that_are_not_the_platforms_are_refused(server: Server, a: Tenant) -> None:
    now = int(time.time())
    other = jwt.encode({"alg": "HS256"}, {"iss": "mlp"}, OctKey.import_key("k" * 32))
    for token in (
        "rubbish",
        other,
        server.token(a.workspace, a.workspace, exp=now - 60),
        server.token(a.workspace, a.workspace, typ="job"),
        server.token(a.workspace, a.workspace, iss="other"),
        server.token(a.workspace, a.workspace, iat=now + 600),
    ):
        headers = {"Authorization": f"Bearer {token}", "X-MLFLOW-WORKSPACE": a.workspace}
        refused = httpx.get(f"{server.running.base_url}/api/2.0/mlflow/runs/get", headers=headers)
        assert refused.status_code == 401, token
    basic = httpx.get(f"{server.running.base_url}/", auth=("platform", "a-password-of-the-tests"))
    assert basic.status_code == 401


def test_making_the_same_tenant_again_says_that_it_exists(server: Server, a: Tenant) -> None:
    for path, body in (
        ("/api/3.0/mlflow/workspaces", {"name": a.workspace}),
        ("/api/2.0/mlflow/users/create", {"username": a.workspace, "password": "p" * 40}),
        ("/api/3.0/mlflow/roles/create", {"name": a.workspace, "workspace": a.workspace}),
    ):
        again = server.admin.post(path, json=body)
        assert (again.status_code, again.json()["error_code"]) == (400, "RESOURCE_ALREADY_EXISTS")


def test_a_large_artifact_passes_without_being_held_in_memory(server: Server, a: Tenant) -> None:
    megabytes = 256
    before = server.running.resident_bytes()
    chunk = b"\0" * 2**20
    path = f"{ARTIFACTS}/{a.run_artifacts}/large"
    assert a.member.put(path, content=(chunk for _ in range(megabytes))).status_code == 200
    assert server.running.resident_bytes() - before < 64 * 2**20
    with a.member.stream("GET", path) as answer:
        assert sum(len(part) for part in answer.iter_bytes()) == megabytes * 2**20
    assert server.running.resident_bytes() - before < 64 * 2**20


def test_the_page_for_people_uses_only_relative_addresses(a: Tenant) -> None:
    page = a.member.get("/").text
    assert "static-files/" in page
    assert 'href="/' not in page
    assert 'src="/' not in page
