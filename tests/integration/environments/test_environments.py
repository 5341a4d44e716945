"""Environments: one for equal requests, named ones never change, used ones stay."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from mlp_core.tables import EnvironmentRow
from support.tenants import Tenant


def path(tenant: Tenant, rest: str = "") -> str:
    return f"/api/v1/projects/{tenant.scope.slug}/environments{rest}"


async def test_an_environment_is_asked_for_and_shown(tenant: Tenant) -> None:
    answer = await tenant.owner.http.post(path(tenant), json={"name": "boost", "requirements": ["xgboost-cpu==3.2.0"]})
    made = answer.json()
    assert (answer.status_code, made["phase"], made["digest"], made["lock"]) == (201, "resolving", None, None)
    for name in ("boost", made["id"]):
        assert (await tenant.viewer.http.get(path(tenant, f"/{name}"))).json() == made
    again = await tenant.owner.http.post(path(tenant), json={"name": "boost", "requirements": ["other"]})
    assert (again.status_code, again.json()["code"]) == (409, "name_taken")


async def test_equal_requests_without_a_name_are_one_environment(tenant: Tenant) -> None:
    ids = {
        (await tenant.owner.http.post(path(tenant), json={"requirements": requirements})).json()["id"]
        for requirements in (["a", "b"], ["b", "a"], ["a", "b", "a"])
    }
    other = await tenant.owner.http.post(path(tenant), json={"requirements": ["a"]})
    assert len(ids) == 1
    assert other.json()["id"] not in ids


async def test_a_failed_request_is_made_anew_when_asked_again(tenant: Tenant) -> None:
    first = (await tenant.owner.http.post(path(tenant), json={"requirements": ["a"]})).json()
    async with tenant.api.platform.database.transaction() as session:
        await session.execute(update(EnvironmentRow).where(EnvironmentRow.id == first["id"]).values(phase="failed"))
    second = (await tenant.owner.http.post(path(tenant), json={"requirements": ["a"]})).json()
    assert second["id"] != first["id"]
    failed = await tenant.owner.http.get(path(tenant), params={"phase": "failed"})
    assert [item["id"] for item in failed.json()["items"]] == [first["id"]]


async def test_only_an_unused_environment_can_be_deleted(tenant: Tenant) -> None:
    for name in ("used", "unused"):
        await tenant.owner.http.post(path(tenant), json={"name": name, "requirements": ["a"]})
    await tenant.submit(environment={"name": "used"})
    used = await tenant.owner.http.delete(path(tenant, "/used"))
    assert (used.status_code, used.json()["code"]) == (409, "still_in_use")
    assert (await tenant.viewer.http.delete(path(tenant, "/unused"))).status_code == 403
    assert (await tenant.owner.http.delete(path(tenant, "/unused"))).status_code == 204
    assert (await tenant.owner.http.get(path(tenant, "/unused"))).status_code == 404
    assert (await tenant.owner.http.get(path(tenant, "/used"))).json()["used_by_jobs"] == 1


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_another_projects_member_finds_no_environment(tenant: Tenant, method: str) -> None:
    made = (await tenant.owner.http.post(path(tenant), json={"name": "hidden"})).json()
    own = await tenant.api.project(tenant.stranger)
    for project in (tenant.scope.slug, own.slug):
        for name in (made["id"], "hidden"):
            answer = await tenant.stranger.http.request(method, f"/api/v1/projects/{project}/environments/{name}")
            assert answer.status_code == 404
