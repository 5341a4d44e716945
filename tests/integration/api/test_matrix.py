"""Who may call what: every route of the OpenAPI document, as everyone.

The table names the rule of each route by its operation id. A route without an entry fails, so a new one cannot be
forgotten.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any

import pytest

from mlp.schemas.jobs import JobCreate
from mlp_core.gateways.jobtokens import JobToken
from mlp_core.kit.ids import new_id
from mlp_core.tables import AttemptRow, JobRow
from support.asgi import first_answer
from support.platform import Api, Person


class Rule(StrEnum):
    PUBLIC = "anybody"
    SIGNED_IN = "everyone with a token"
    PERSON = "people, not jobs"
    ADMIN = "platform admins"
    VIEWER = "members from viewer up"
    EDITOR = "members from editor up"
    OWNER = "owners"
    JOB = "processes of a live attempt"


RULES = {
    "healthz": Rule.PUBLIC,
    "readyz": Rule.PUBLIC,
    "get_client_page": Rule.PUBLIC,
    "get_client_wheel": Rule.PUBLIC,
    "login": Rule.PUBLIC,
    "create_session": Rule.PUBLIC,
    "end_session": Rule.PUBLIC,
    "create_session_link": Rule.PERSON,
    "get_me": Rule.SIGNED_IN,
    "change_password": Rule.PERSON,
    "list_tokens": Rule.PERSON,
    "create_token": Rule.PERSON,
    "get_token": Rule.PERSON,
    "revoke_token": Rule.PERSON,
    "list_users": Rule.ADMIN,
    "create_user": Rule.ADMIN,
    "get_user": Rule.ADMIN,
    "change_user": Rule.ADMIN,
    "list_projects": Rule.SIGNED_IN,
    "create_project": Rule.ADMIN,
    "get_project": Rule.VIEWER,
    "change_project": Rule.OWNER,
    "delete_project": Rule.OWNER,
    "list_members": Rule.VIEWER,
    "put_member": Rule.OWNER,
    "remove_member": Rule.OWNER,
    "get_usage": Rule.SIGNED_IN,
    "list_nodes": Rule.SIGNED_IN,
    "get_health": Rule.ADMIN,
    "list_pools": Rule.SIGNED_IN,
    "get_pool": Rule.SIGNED_IN,
    "create_pool": Rule.ADMIN,
    "change_pool": Rule.ADMIN,
    "delete_pool": Rule.ADMIN,
    "list_packages": Rule.VIEWER,
    "create_package": Rule.EDITOR,
    "get_package": Rule.VIEWER,
    "put_package_part": Rule.EDITOR,
    "complete_package": Rule.EDITOR,
    "get_package_content": Rule.VIEWER,
    "list_package_files": Rule.VIEWER,
    "get_package_file": Rule.VIEWER,
    "delete_package": Rule.EDITOR,
    "list_environments": Rule.VIEWER,
    "create_environment": Rule.EDITOR,
    "get_environment": Rule.VIEWER,
    "delete_environment": Rule.EDITOR,
    "list_jobs": Rule.VIEWER,
    "count_jobs": Rule.VIEWER,
    "get_home": Rule.VIEWER,
    "create_job": Rule.EDITOR,
    "get_job": Rule.VIEWER,
    "cancel_job": Rule.EDITOR,
    "retry_job": Rule.EDITOR,
    "list_attempts": Rule.VIEWER,
    "list_job_events": Rule.VIEWER,
    "list_events": Rule.VIEWER,
    "read_logs": Rule.VIEWER,
    "download_logs": Rule.VIEWER,
    "list_log_sources": Rule.VIEWER,
    "get_metrics": Rule.VIEWER,
    "get_samples": Rule.VIEWER,
    "get_job_run": Rule.VIEWER,
    "get_job_environment": Rule.VIEWER,
    "list_models": Rule.VIEWER,
    "get_model": Rule.VIEWER,
    "list_model_versions": Rule.VIEWER,
    "get_result": Rule.VIEWER,
    "log_artifact": Rule.EDITOR,
    "list_artifacts": Rule.VIEWER,
    "get_artifact_content": Rule.VIEWER,
    "explain_job": Rule.VIEWER,
    "list_clusters": Rule.VIEWER,
    "create_cluster": Rule.EDITOR,
    "get_cluster": Rule.VIEWER,
    "list_cluster_events": Rule.VIEWER,
    "stop_cluster": Rule.EDITOR,
    "follow_events": Rule.SIGNED_IN,
    "get_cursors": Rule.JOB,
    "put_segment": Rule.JOB,
    "post_samples": Rule.JOB,
    "post_metrics": Rule.JOB,
    "put_report": Rule.JOB,
    "put_result": Rule.JOB,
    "start_artifact": Rule.JOB,
    "put_artifact_part": Rule.JOB,
    "complete_artifact": Rule.JOB,
}

SPEC = JobCreate(entrypoint="true").model_dump(mode="json")
CALLERS = ("anonymous", "stranger", "viewer", "editor", "owner", "admin", "foreign_job", "own_job")
ALLOWED = "allowed"
_EVERYONE = dict.fromkeys(CALLERS, ALLOWED)
_WITH_TOKEN = _EVERYONE | {"anonymous": "401"}
_MEMBERS = _WITH_TOKEN | {"stranger": "404", "foreign_job": "404"}
EXPECTED: dict[Rule, dict[str, str]] = {
    Rule.PUBLIC: _EVERYONE,
    Rule.SIGNED_IN: _WITH_TOKEN,
    Rule.PERSON: _WITH_TOKEN | {"foreign_job": "403", "own_job": "403"},
    Rule.ADMIN: dict.fromkeys(CALLERS, "403") | {"anonymous": "401", "admin": ALLOWED},
    Rule.VIEWER: _MEMBERS,
    Rule.EDITOR: _MEMBERS | {"viewer": "403"},
    Rule.OWNER: _MEMBERS | {"viewer": "403", "editor": "403", "own_job": "403"},
    Rule.JOB: dict.fromkeys(CALLERS, "403") | {"anonymous": "401", "foreign_job": ALLOWED, "own_job": ALLOWED},
}
ABSENT = {
    "job": "job_00000000000000000000000000",
    "cluster": "cls_00000000000000000000000000",
    "environment": "env_00000000000000000000000000",
    "token": "tok_00000000000000000000000000",
    "pool": "no-such-pool",
    "user": "no-such-user",
    "digest": "sha256:" + "0" * 64,
    "number": "0",
    "file": "no-such-file",
    "path": "no/such/file.py",
    "model": "no-such-model",
    "artifact": "art_00000000000000000000000000",
}
"""What paths name beside the project: nothing that exists, so that no allowed call changes anything."""


@dataclass(frozen=True)
class World:
    """One project with a member of each role, strangers, and jobs here and elsewhere."""

    project: str
    tokens: dict[str, str | None]


@pytest.fixture(scope="module")
async def world(api: Api) -> World:
    people = {name: await api.person(is_admin=name == "admin") for name in CALLERS if not name.endswith("_job")}
    scope = await api.project(people["owner"], viewer=people["viewer"], editor=people["editor"])
    foreign = await api.project(people["stranger"])
    tokens: dict[str, str | None] = {name: person.token for name, person in people.items()}
    tokens["anonymous"] = None
    tokens["own_job"] = await _job_token(api, scope.project_id, scope.slug)
    tokens["foreign_job"] = await _job_token(api, foreign.project_id, foreign.slug)
    return World(scope.slug, tokens)


async def _job_token(api: Api, project_id: Any, slug: str) -> str:
    now = api.platform.clock.now() - timedelta(seconds=5)
    job = JobRow(
        id=new_id("job"), project_id=project_id, name="j", kind="script", spec=SPEC, created_by="x", created_by_id="x"
    )
    attempt = AttemptRow(
        id=new_id("attempt"), job_id=job.id, project_id=project_id, number=1, phase="running", created_at=now
    )
    async with api.platform.database.transaction() as session:
        session.add(job)
        await session.flush()
        session.add(attempt)
    return api.platform.job_tokens.sign(JobToken(attempt.id, job.id, project_id, slug, now))  # pyright: ignore[reportArgumentType]


def _operations(api: Api) -> dict[str, tuple[str, str]]:
    """(method, path) of every operation of the document, by its id."""
    return {
        operation["operationId"]: (method.upper(), path)
        for path, operations in api.app.openapi()["paths"].items()
        for method, operation in operations.items()
    }


def test_every_route_has_a_rule_and_every_rule_a_route(api: Api) -> None:
    assert set(_operations(api)) == set(RULES)


def test_operation_ids_are_unique(api: Api) -> None:
    ids = [
        operation["operationId"]
        for operations in api.app.openapi()["paths"].values()
        for operation in operations.values()
    ]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("operation", RULES)
async def test_route_answers_each_caller_as_its_rule_says(api: Api, world: World, operation: str) -> None:
    method, template = _operations(api)[operation]
    path = template.format(project=world.project, **ABSENT)
    expected = EXPECTED[RULES[operation]]
    found: dict[str, str] = {}
    for caller in CALLERS:
        found[caller] = await _outcome(api, method, path, world.tokens[caller])
    assert found == expected


async def _outcome(api: Api, method: str, path: str, token: str | None) -> str:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    if method in {"POST", "PUT", "PATCH"}:
        headers["content-type"] = "application/json"
    body = b'{"no such field": 1}' if method in {"POST", "PUT", "PATCH"} else b""
    answer = await first_answer(api.app, method, path, headers, body)
    assert answer.status < 500 or answer.status == 503, answer.body
    if answer.status in (401, 403):
        assert answer.problem["code"] in {"not_signed_in", "not_allowed"}
        return ALLOWED if path.endswith("/login") else str(answer.status)
    if answer.status == 404 and answer.problem["detail"].startswith("There is no project"):
        return "404"
    return ALLOWED


async def test_token_of_an_ended_attempt_is_gone(api: Api, world: World) -> None:
    async with api.platform.database.transaction() as session:
        person = await api.person()
        scope = await api.project(person)
        now = api.platform.clock.now()
        job = JobRow(
            id=new_id("job"),
            project_id=scope.project_id,
            name="j",
            kind="script",
            spec=SPEC,
            phase="succeeded",
            ended_at=now,
            created_by="x",
            created_by_id="x",
        )
        session.add(job)
        await session.flush()
        attempt = AttemptRow(
            id=new_id("attempt"),
            job_id=job.id,
            project_id=scope.project_id,
            number=1,
            phase="succeeded",
            outcome="succeeded",
            ended_at=now,
            created_at=now,
        )
        session.add(attempt)
    token = api.platform.job_tokens.sign(JobToken(attempt.id, job.id, scope.project_id, scope.slug, now))  # pyright: ignore[reportArgumentType]
    answer = await api.client(token).get("/api/v1/me")
    assert answer.status_code == 410
    assert answer.json()["code"] == "attempt_over"


async def test_m5_job_token_of_a_machine_whose_clock_is_ahead_works(api: Api) -> None:
    person: Person = await api.person()
    scope = await api.project(person)
    job = JobRow(
        id=new_id("job"),
        project_id=scope.project_id,
        name="j",
        kind="script",
        spec=SPEC,
        created_by="x",
        created_by_id="x",
    )
    ahead = api.platform.clock.now() + timedelta(seconds=55)
    attempt = AttemptRow(
        id=new_id("attempt"), job_id=job.id, project_id=scope.project_id, number=1, phase="running", created_at=ahead
    )
    async with api.platform.database.transaction() as session:
        session.add(job)
        await session.flush()
        session.add(attempt)

    def token(at: Any) -> str:
        return api.platform.job_tokens.sign(JobToken(attempt.id, job.id, scope.project_id, scope.slug, at))  # pyright: ignore[reportArgumentType]

    answers = await asyncio.gather(
        api.client(token(ahead)).get("/api/v1/me"),
        api.client(token(ahead - timedelta(days=31))).get("/api/v1/me"),
        api.client(token(ahead)[:-3] + "abc").get("/api/v1/me"),
    )
    assert [answer.status_code for answer in answers] == [200, 401, 401]
