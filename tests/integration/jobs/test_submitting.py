"""Submitting: what is asked for is stored normalised, and what can never run is refused with what could."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import func, select, update

from mlp_core.kit.ids import new_id
from mlp_core.tables import EnvironmentRow, EventRow, JobRow, PackageRow
from support.tenants import Tenant

DIGEST = "sha256:" + "ab" * 32


async def test_a_job_is_queued_with_its_defaults_filled_in(tenant: Tenant) -> None:
    answer = await tenant.post(resources={"groups": [{"name": "train", "gpu": 1}]})
    job = answer.json()
    assert (job["phase"], job["reason"], job["attempt"], job["name"]) == ("queued", "Submitted", 0, "train")
    assert job["spec"]["resources"]["head"]["pool"] == "cpu"
    assert job["spec"]["resources"]["groups"][0]["pool"] == "gpu"
    assert job["created_by"] == tenant.owner.username
    assert answer.headers["etag"] == job["etag"]
    assert answer.headers["location"] == f"{tenant.path}/{job['id']}"
    events = (await tenant.owner.http.get(f"{tenant.path}/{job['id']}/events")).json()["items"]
    assert [(event["reason"], event["actor"]) for event in events] == [("Submitted", tenant.owner.username)]


@pytest.mark.parametrize(
    ("entrypoint", "name"),
    [
        ("python -u jobs/train.py --lr 1", "train"),
        (["python", "show.py", "--name", "a b"], "show"),
        ("cd code && ./run.sh | tee log", "run"),
        ("python -m package.main", "main"),
        (["python", "-c", "print(1)"], "python"),
        ("sleep 5", "sleep"),
        ("/usr/bin/env true", "env"),
    ],
)
async def test_a_job_without_a_name_gets_one_from_its_command(tenant: Tenant, entrypoint: Any, name: str) -> None:
    assert (await tenant.submit(entrypoint=entrypoint))["name"] == name


async def test_a3_argv_and_shell_line_are_stored_as_they_were_given(tenant: Tenant) -> None:
    argv = ["python", "show.py", "--name", "a b", "$HOME", "*.py", '{"lr": 0.1}', ""]
    line = "echo $((1+1)) && ls | wc -l"
    assert (await tenant.submit(entrypoint=argv))["spec"]["entrypoint"] == argv
    assert (await tenant.submit(entrypoint=line))["spec"]["entrypoint"] == line
    single = await tenant.post(entrypoint=["python show.py"])
    assert single.status_code == 422
    assert "--shell" in single.json()["errors"][0]["message"]


async def test_a11_a_dry_run_shows_exactly_what_will_run_and_keeps_nothing(tenant: Tenant) -> None:
    argv = ["python", "-c", "print(1)"]
    requirements = {"requirements": ["numpy==2.4.6"]}
    answer = await tenant.owner.http.post(
        tenant.path, params={"dry_run": "true"}, json={"entrypoint": argv, "environment": requirements}
    )
    found = answer.json()
    assert (answer.status_code, found["command"]) == (200, "python -c 'print(1)'")
    assert (found["fits_now"], found["message"]) == (True, "It would start now.")
    assert [(fit["group"], fit["pool"], fit["nodes"]) for fit in found["placements"]] == [("head", "cpu", 1)]
    assert found["price_per_hour"] == pytest.approx(0.05)
    async with tenant.api.platform.database.transaction() as session:
        for row in (JobRow, EnvironmentRow):
            statement = select(func.count()).select_from(row).where(row.project_id == tenant.scope.project_id)
            assert await session.scalar(statement) == 0


async def test_more_than_any_pool_has_is_refused_with_what_would_fit(tenant: Tenant) -> None:
    answer = await tenant.post(resources={"groups": [{"name": "train", "gpu": 8}]})
    assert (answer.status_code, answer.json()["code"]) == (422, "can_never_fit")
    assert answer.json()["data"]["largest"]["gpu"] == 4
    assert "4 GPU" in answer.json()["hint"]


async def test_a_pool_that_does_not_exist_is_refused_with_those_that_do(tenant: Tenant) -> None:
    answer = await tenant.post(resources={"groups": [{"name": "train", "pool": "tpu"}]})
    assert (answer.status_code, answer.json()["code"]) == (422, "can_never_fit")
    assert answer.json()["data"]["pools"] == ["cpu", "gpu"]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"package": DIGEST}, "package"),
        ({"environment": {"name": "nothing"}}, "environment.name"),
        ({"environment": {"name": "a", "requirements": ["b"]}}, "environment.requirements"),
        ({"cluster": "nothing"}, "cluster"),
        ({"deadline": "2020-01-01T00:00:00Z"}, "deadline"),
        ({"entrypoint": "  "}, "entrypoint"),
        ({"gpus": 1}, "gpus"),
        ({"timeout": "0s"}, "timeout"),
    ],
)
async def test_what_cannot_be_used_is_named(tenant: Tenant, fields: dict[str, Any], field: str) -> None:
    answer = await tenant.post(**fields)
    assert answer.status_code == 422, answer.text
    problem = answer.json()
    assert field in [error["field"] for error in problem["errors"]] or field in problem["detail"], problem


async def test_only_a_package_that_is_complete_in_this_project_can_run(tenant: Tenant) -> None:
    async with tenant.api.platform.database.transaction() as session:
        values = {"project_id": tenant.scope.project_id, "digest": DIGEST, "size": 1, "created_by": "x"}
        session.add(PackageRow(**values))
    partly = await tenant.post(package=DIGEST)
    assert (partly.status_code, partly.json()["errors"][0]["field"]) == (422, "package")
    async with tenant.api.platform.database.transaction() as session:
        await session.execute(update(PackageRow).where(PackageRow.digest == DIGEST).values(completed_at=func.now()))
    assert (await tenant.submit(package=DIGEST))["package"] == DIGEST
    other = await tenant.api.project(tenant.stranger)
    answer = await tenant.stranger.http.post(
        f"/api/v1/projects/{other.slug}/jobs", json={"entrypoint": "true", "package": DIGEST}
    )
    assert answer.status_code == 422


async def test_equal_requirements_share_an_environment_and_none_need_none(tenant: Tenant) -> None:
    for requirements in (["b==1", "a"], ["a", "b==1", "a "], []):
        await tenant.submit(environment={"requirements": requirements})
    async with tenant.api.platform.database.transaction() as session:
        ids = (
            await session.scalars(
                select(JobRow.environment_id)
                .where(JobRow.project_id == tenant.scope.project_id)
                .order_by(JobRow.created_at)
            )
        ).all()
    assert ids[0] is not None
    assert ids == [ids[0], ids[0], None]


async def test_equal_requirements_at_the_same_time_share_an_environment(tenant: Tenant) -> None:
    answers = await asyncio.gather(*(tenant.post(environment={"requirements": ["a"]}) for _ in range(6)))
    assert [answer.status_code for answer in answers] == [201] * 6
    path = f"/api/v1/projects/{tenant.scope.slug}/environments"
    found = (await tenant.owner.http.get(path)).json()["items"]
    assert [environment["used_by_jobs"] for environment in found] == [6]


async def test_a_projects_limit_of_unfinished_jobs_holds_against_twins(tenant: Tenant) -> None:
    admin = await tenant.api.person(is_admin=True)
    project = f"/api/v1/projects/{tenant.scope.slug}"
    assert (await admin.http.patch(project, json={"limits": {"jobs": 3}})).is_success
    answers = await asyncio.gather(*(tenant.post() for _ in range(8)))
    assert sorted(answer.status_code for answer in answers) == [201] * 3 + [429] * 5
    refused = next(answer.json() for answer in answers if answer.status_code == 429)
    assert (refused["code"], refused["data"]) == ("limit_reached", {"limit": 3, "live": 3, **_rest(refused)})


def _rest(problem: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in problem["data"].items() if key not in {"limit", "live"}}


async def test_ten_twins_with_one_key_make_one_job(tenant: Tenant) -> None:
    headers = {"Idempotency-Key": new_id("job")}
    body = {"entrypoint": "true", "name": "once"}
    answers = await asyncio.gather(
        *(tenant.owner.http.post(tenant.path, json=body, headers=headers) for _ in range(10))
    )
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1
    other = await tenant.owner.http.post(tenant.path, json=body | {"name": "twice"}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_mismatch")
    async with tenant.api.platform.database.transaction() as session:
        statement = select(func.count()).select_from(EventRow).where(EventRow.resource_name == "once")
        assert await session.scalar(statement) == 1


async def test_a_viewer_cannot_submit_and_a_stranger_finds_nothing(tenant: Tenant) -> None:
    assert (await tenant.viewer.http.post(tenant.path, json={"entrypoint": "true"})).status_code == 403
    assert (await tenant.stranger.http.post(tenant.path, json={"entrypoint": "true"})).status_code == 404
    assert (await tenant.api.client().post(tenant.path, json={"entrypoint": "true"})).status_code == 401


async def test_names_of_any_script_come_back_as_they_were(tenant: Tenant) -> None:
    name = "Größe 你好 'quoted' $HOME\n2"
    variables = {"QUOTES": "'\"`", "LINES": "a\nb", "DOLLAR": "$PATH"}
    job = await tenant.submit(name=name, environment={"variables": variables})
    assert (job["name"], job["spec"]["environment"]["variables"]) == (name, variables)
