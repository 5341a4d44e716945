"""Named clusters: asked for, shown, stopped; names are unique while they live."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import func, update

from mlp_core.tables import ClusterRow, JobRow
from support.tenants import Tenant


def path(tenant: Tenant, rest: str = "") -> str:
    return f"/api/v1/projects/{tenant.scope.slug}/clusters{rest}"


async def make(tenant: Tenant, name: str = "shared", **resources: Any) -> dict[str, Any]:
    answer = await tenant.owner.http.post(path(tenant), json={"name": name, "resources": resources})
    assert answer.status_code == 201, answer.text
    return answer.json()


async def test_a_cluster_is_queued_with_its_pools_filled_in(tenant: Tenant) -> None:
    cluster = await make(tenant, groups=[{"name": "train", "gpu": 1, "replicas": "2..4"}])
    assert (cluster["phase"], cluster["nodes_wanted"]) == ("queued", 3)
    assert cluster["resources"]["groups"][0]["pool"] == "gpu"
    for name in ("shared", cluster["id"]):
        assert (await tenant.viewer.http.get(path(tenant, f"/{name}"))).json() == cluster
    events = (await tenant.owner.http.get(path(tenant, "/shared/events"))).json()["items"]
    assert [event["reason"] for event in events] == ["Requested"]


async def test_a_name_is_free_again_once_its_cluster_has_ended(tenant: Tenant) -> None:
    body = {"name": "shared"}
    answers = await asyncio.gather(*(tenant.owner.http.post(path(tenant), json=body) for _ in range(5)))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409, 409]
    async with tenant.api.platform.database.transaction() as session:
        ended = {"phase": "stopped", "ended_at": func.now()}
        statement = update(ClusterRow).where(ClusterRow.project_id == tenant.scope.project_id)
        await session.execute(statement.values(ended))
    again = await make(tenant)
    assert (await tenant.owner.http.get(path(tenant, "/shared"))).json()["id"] == again["id"]
    assert len((await tenant.owner.http.get(path(tenant))).json()["items"]) == 2
    assert len((await tenant.owner.http.get(path(tenant), params={"phase": "queued"})).json()["items"]) == 1


async def test_what_can_never_fit_is_refused(tenant: Tenant) -> None:
    answer = await tenant.owner.http.post(
        path(tenant), json={"name": "huge", "resources": {"groups": [{"name": "a", "cpu": 8, "replicas": 9}]}}
    )
    assert (answer.status_code, answer.json()["code"]) == (422, "can_never_fit")


async def test_stopping_is_asked_for_once(tenant: Tenant) -> None:
    await make(tenant)
    answers = [await tenant.owner.http.post(path(tenant, "/shared:stop")) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [202, 202]
    events = (await tenant.owner.http.get(path(tenant, "/shared/events"))).json()["items"]
    assert [event["reason"] for event in events] == ["Requested", "StopRequested"]


async def test_jobs_run_on_a_cluster_that_is_there(tenant: Tenant) -> None:
    cluster = await make(tenant)
    job = await tenant.submit(cluster="shared")
    assert job["spec"]["cluster"] == cluster["id"]
    assert (await tenant.owner.http.get(path(tenant, "/shared"))).json()["running_jobs"] == 1
    listed = await tenant.owner.http.get(tenant.path, params={"cluster": "shared"})
    assert [item["id"] for item in listed.json()["items"]] == [job["id"]]
    both = await tenant.post(cluster="shared", resources={"groups": [{"name": "a"}]})
    assert (both.status_code, both.json()["errors"][0]["field"]) == (422, "resources")
    await tenant.owner.http.post(path(tenant, "/shared:stop"))
    late = await tenant.post(cluster="shared")
    assert (late.status_code, late.json()["errors"][0]["field"]) == (422, "cluster")


async def test_a_job_whose_cluster_has_ended_is_not_tried_again(tenant: Tenant) -> None:
    cluster = await make(tenant)
    job = await tenant.submit(cluster="shared")
    async with tenant.api.platform.database.transaction() as session:
        ended = {"ended_at": func.now()}
        await session.execute(update(JobRow).where(JobRow.id == job["id"]).values(ended | {"phase": "cancelled"}))
        statement = update(ClusterRow).where(ClusterRow.id == cluster["id"])
        await session.execute(statement.values(ended | {"phase": "stopped"}))
    answer = await tenant.owner.http.post(f"{tenant.path}/{job['id']}:retry")
    assert (answer.status_code, answer.json()["code"]) == (409, "wrong_phase")


async def test_who_may_do_what(tenant: Tenant) -> None:
    await make(tenant)
    body = {"name": "other"}
    assert (await tenant.viewer.http.post(path(tenant), json=body)).status_code == 403
    assert (await tenant.viewer.http.post(path(tenant, "/shared:stop"))).status_code == 403
    assert (await tenant.api.client().get(path(tenant))).status_code == 401


@pytest.mark.parametrize(("method", "rest"), [("GET", ""), ("GET", "/events"), ("POST", ":stop")])
async def test_another_projects_member_finds_no_cluster(tenant: Tenant, method: str, rest: str) -> None:
    cluster = await make(tenant)
    own = await tenant.api.project(tenant.stranger)
    for project in (tenant.scope.slug, own.slug):
        for name in (cluster["id"], "shared"):
            answer = await tenant.stranger.http.request(method, f"/api/v1/projects/{project}/clusters/{name}{rest}")
            assert answer.status_code == 404
