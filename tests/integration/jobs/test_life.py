"""Showing, cancelling, trying again, and the reasons."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import func, update

from mlp_core.kit.ids import new_id
from mlp_core.tables import AttemptRow, JobRow
from support.attempts import running_job
from support.segments import Agent
from support.tenants import Tenant


async def set_phase(tenant: Tenant, job: str, phase: str, **more: Any) -> None:
    """As the operator leaves it."""
    values: dict[str, Any] = {"phase": phase} | more
    if phase in {"succeeded", "failed", "cancelled"}:
        values["ended_at"] = func.now()
    if phase == "failed":
        values["failure"] = {"class": "user_error", "message": "It exited with 3."}
    async with tenant.api.platform.database.transaction() as session:
        await session.execute(update(JobRow).where(JobRow.id == job).values(values))


async def test_a_job_is_found_by_id_and_by_name(tenant: Tenant) -> None:
    job = await tenant.submit(name="digits")
    for name in (job["id"], "digits"):
        answer = await tenant.owner.http.get(f"{tenant.path}/{name}")
        assert answer.json()["id"] == job["id"]
    assert (await tenant.owner.http.get(f"{tenant.path}/other")).status_code == 404
    assert (await tenant.owner.http.get(f"{tenant.path}/{new_id('job')}")).status_code == 404


async def test_of_equal_names_the_live_one_is_meant_else_the_newest(tenant: Tenant) -> None:
    jobs = [await tenant.submit(name="same") for _ in range(3)]
    several = await tenant.owner.http.get(f"{tenant.path}/same")
    assert (several.status_code, several.json()["code"]) == (409, "ambiguous_name")
    assert several.json()["data"]["ids"] == [job["id"] for job in reversed(jobs)]
    await set_phase(tenant, jobs[0]["id"], "succeeded")
    await set_phase(tenant, jobs[2]["id"], "failed")
    assert (await tenant.owner.http.get(f"{tenant.path}/same")).json()["id"] == jobs[1]["id"]
    await set_phase(tenant, jobs[1]["id"], "cancelled")
    assert (await tenant.owner.http.get(f"{tenant.path}/same")).json()["id"] == jobs[2]["id"]


async def test_an_etag_changes_with_what_is_seen(tenant: Tenant) -> None:
    job = await tenant.submit()
    path = f"{tenant.path}/{job['id']}"
    same = await tenant.owner.http.get(path, headers={"If-None-Match": job["etag"]})
    assert (same.status_code, same.content) == (304, b"")
    await set_phase(tenant, job["id"], "queued", message="Needs 1 GPU.")
    changed = await tenant.owner.http.get(path, headers={"If-None-Match": job["etag"]})
    assert (changed.status_code, changed.json()["message"]) == (200, "Needs 1 GPU.")


async def test_cancelling_is_asked_for_once(tenant: Tenant) -> None:
    job = await tenant.submit()
    path = f"{tenant.path}/{job['id']}:cancel"
    first, second = await asyncio.gather(
        tenant.owner.http.post(path, json={"grace": "5s"}), tenant.owner.http.post(path)
    )
    assert (first.status_code, second.status_code) == (202, 202)
    assert first.json()["stop_requested"] is second.json()["stop_requested"] is True
    events = (await tenant.owner.http.get(f"{tenant.path}/{job['id']}/events")).json()["items"]
    assert [event["reason"] for event in events] == ["Submitted", "CancelRequested"]
    async with tenant.api.platform.database.transaction() as session:
        row = await session.get_one(JobRow, job["id"])
        assert (row.generation, row.stop_requested_by) == (2, tenant.owner.username)
    await set_phase(tenant, job["id"], "cancelled")
    assert (await tenant.owner.http.post(path)).status_code == 200


async def test_the_grace_of_a_cancel_counts(tenant: Tenant) -> None:
    job = await tenant.submit()
    answer = await tenant.owner.http.post(f"{tenant.path}/{job['id']}:cancel", json={"grace": "1m30s"})
    assert answer.status_code == 202
    async with tenant.api.platform.database.transaction() as session:
        assert (await session.get_one(JobRow, job["id"])).stop_grace_seconds == 90


async def test_a_cancel_of_another_version_is_refused(tenant: Tenant) -> None:
    job = await tenant.submit()
    await set_phase(tenant, job["id"], "queued", message="Changed.")
    path = f"{tenant.path}/{job['id']}:cancel"
    refused = await tenant.owner.http.post(path, headers={"If-Match": job["etag"]})
    assert (refused.status_code, refused.json()["code"]) == (412, "version_conflict")
    assert (await tenant.owner.http.get(f"{tenant.path}/{job['id']}")).json()["stop_requested"] is False
    current = refused.json()["data"]["etag"]
    assert (await tenant.owner.http.post(path, headers={"If-Match": current})).status_code == 202


@pytest.mark.parametrize("phase", ["failed", "cancelled"])
async def test_trying_again_queues_the_same_job_afresh(tenant: Tenant, phase: str) -> None:
    job = await tenant.submit()
    await tenant.owner.http.post(f"{tenant.path}/{job['id']}:cancel")
    await set_phase(tenant, job["id"], phase, failures_used=3, attempt_number=4, exit_code=3, due_at=None)
    answer = await tenant.owner.http.post(f"{tenant.path}/{job['id']}:retry")
    again = answer.json()
    assert answer.status_code == 202
    assert (again["id"], again["phase"], again["attempt"]) == (job["id"], "queued", 4)
    assert (again["failure"], again["exit_code"], again["stop_requested"]) == (None, None, False)
    async with tenant.api.platform.database.transaction() as session:
        row = await session.get_one(JobRow, job["id"])
        assert (row.failures_used, row.ended_at) == (0, None)
        assert row.due_at is not None


@pytest.mark.parametrize("phase", ["queued", "running", "succeeded"])
async def test_trying_again_is_for_what_did_not_succeed(tenant: Tenant, phase: str) -> None:
    job = await tenant.submit()
    await set_phase(tenant, job["id"], phase)
    answer = await tenant.owner.http.post(f"{tenant.path}/{job['id']}:retry")
    assert (answer.status_code, answer.json()["code"]) == (409, "wrong_phase")


async def test_attempts_are_listed_with_how_they_ended(tenant: Tenant) -> None:
    job = await running_job(tenant.api.platform, tenant.scope)
    first = await job.attempt()
    await first.end("preempted")
    await job.attempt()
    found = (await tenant.owner.http.get(f"{tenant.path}/{job.id}/attempts")).json()["items"]
    assert [(attempt["number"], attempt["outcome"]) for attempt in found] == [(1, "preempted"), (2, None)]


async def test_the_usual_time_of_a_phase_is_the_median_of_this_project(tenant: Tenant) -> None:
    for seconds in (10, 20, 90):
        job = await running_job(tenant.api.platform, tenant.scope)
        attempt = await job.attempt()
        async with tenant.api.platform.database.transaction() as session:
            started = AttemptRow.created_at + func.make_interval(0, 0, 0, 0, 0, 0, seconds)
            await session.execute(update(AttemptRow).where(AttemptRow.id == attempt.id).values(started_at=started))
    job = await running_job(tenant.api.platform, tenant.scope, phase="provisioning")
    why = (await tenant.owner.http.get(f"{tenant.path}/{job.id}/why")).json()
    assert why["usual_seconds"] == 20.0


async def test_a_result_comes_back_byte_for_byte(tenant: Tenant) -> None:
    job = await running_job(tenant.api.platform, tenant.scope)
    attempt = await job.attempt()
    path = f"{tenant.path}/{job.id}/result"
    assert (await tenant.owner.http.get(path)).status_code == 404
    assert (await tenant.owner.http.get(f"{tenant.path}/{job.id}")).json()["has_result"] is False
    agent = Agent(tenant.api.client(attempt.token))
    body = bytes(range(256)) * 20_000
    assert (await agent.http.put("/api/v1/agent/result", content=body)).status_code == 204
    assert (await tenant.owner.http.get(f"{tenant.path}/{job.id}")).json()["has_result"] is True
    await attempt.end()
    answer = await tenant.owner.http.get(path)
    assert answer.content == body
    assert answer.headers["content-disposition"].startswith("attachment")
    assert (await agent.http.put("/api/v1/agent/result", content=b"late")).status_code == 410
    assert (await tenant.owner.http.get(path)).content == body


async def test_a_result_of_more_than_sixteen_megabytes_is_refused(tenant: Tenant) -> None:
    job = await running_job(tenant.api.platform, tenant.scope)
    attempt = await job.attempt()

    async def chunks() -> Any:
        for _ in range(17):
            yield b"x" * 2**20

    answer = await tenant.api.client(attempt.token).put("/api/v1/agent/result", content=chunks())
    assert answer.status_code == 413
    assert (await tenant.owner.http.get(f"{tenant.path}/{job.id}/result")).status_code == 404


@pytest.mark.parametrize(
    ("method", "route"),
    [
        ("GET", ""),
        ("POST", ":cancel"),
        ("POST", ":retry"),
        ("GET", "/attempts"),
        ("GET", "/events"),
        ("GET", "/why"),
        ("GET", "/metrics"),
        ("GET", "/samples"),
        ("GET", "/result"),
    ],
)
async def test_another_projects_member_finds_no_job(tenant: Tenant, method: str, route: str) -> None:
    job = await tenant.submit(name="hidden")
    own = await tenant.api.project(tenant.stranger)
    for project in (tenant.scope.slug, own.slug):
        for name in (job["id"], "hidden"):
            path = f"/api/v1/projects/{project}/jobs/{name}{route}"
            answer = await tenant.stranger.http.request(method, path)
            assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("route", [":cancel", ":retry"])
async def test_a_viewer_changes_nothing(tenant: Tenant, route: str) -> None:
    job = await tenant.submit()
    assert (await tenant.viewer.http.post(f"{tenant.path}/{job['id']}{route}")).status_code == 403
