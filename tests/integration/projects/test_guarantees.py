"""What projects are guaranteed of pools: given out by admins, each machine once."""

from __future__ import annotations

import asyncio

import pytest

from mlp_core.domain.packing import Shape
from mlp_core.kit.ids import new_id
from mlp_core.scheduling.snapshot import load_snapshot
from mlp_core.tables import AttemptRow, JobRow, PoolRow
from mlp_operator.engines.kubernetes.database import StoredTenants
from support.platform import Api, Person

GIB = 2**30


@pytest.fixture(scope="module")
async def admin(api: Api) -> Person:
    return await api.person(is_admin=True)


@pytest.fixture
async def pool(api: Api) -> str:
    """Four machines of 8 GPUs."""
    id_ = new_id("pool")
    name = f"g-{id_[-8:].lower()}"
    async with api.platform.database.transaction() as session:
        session.add(PoolRow(id=id_, name=name, cpu=16, memory_bytes=64 * GIB, gpu=8, machines=4))
    return name


async def test_an_admin_guarantees_machines_and_both_engines_know(api: Api, admin: Person, pool: str) -> None:
    scope = await api.project(await api.person())
    url = f"/api/v1/projects/{scope.slug}"
    changed = await admin.http.patch(url, json={"guarantees": {pool: 1.5}})
    assert changed.status_code == 200, changed.text
    assert changed.json()["guarantees"] == {pool: 1.5}
    assert (await admin.http.get(url)).json()["guarantees"] == {pool: 1.5}
    database = api.platform.database
    async with database.transaction() as session:
        snapshot = await load_snapshot(session)
    assert snapshot.guarantees[scope.project_id] == {pool: Shape(24, 96 * GIB, 12)}
    tenants = await StoredTenants(database).load()
    ours = next(one for one in tenants.projects if one.id == scope.project_id)
    assert ours.guarantees == ((pool, Shape(24, 96 * GIB, 12)),)
    taken_away = await admin.http.patch(url, json={"guarantees": {pool: 0}})
    assert taken_away.json()["guarantees"] == {}


async def test_a_project_can_be_made_with_its_share(api: Api, admin: Person, pool: str) -> None:
    name = f"made-{pool}"
    made = await admin.http.post("/api/v1/projects", json={"name": name, "guarantees": {pool: 2}})
    assert made.json()["guarantees"] == {pool: 2}
    refused = await admin.http.post("/api/v1/projects", json={"name": f"b-{pool}", "guarantees": {pool: 3}})
    assert refused.status_code == 422
    assert refused.json()["errors"][0] == {
        "field": f"guarantees.{pool}",
        "message": "has 4 machines, of which 2 are not guaranteed to others",
    }


async def test_owners_cannot_give_themselves_machines(api: Api, pool: str) -> None:
    owner = await api.person()
    scope = await api.project(owner)
    refused = await owner.http.patch(f"/api/v1/projects/{scope.slug}", json={"guarantees": {pool: 1}})
    assert refused.status_code == 403


async def test_two_admins_do_not_give_away_one_machine(api: Api, admin: Person, pool: str) -> None:
    owner = await api.person()
    scopes = [await api.project(owner) for _ in range(4)]
    answers = await asyncio.gather(
        *(admin.http.patch(f"/api/v1/projects/{scope.slug}", json={"guarantees": {pool: 3}}) for scope in scopes)
    )
    assert sorted(answer.status_code for answer in answers) == [200, 422, 422, 422]


@pytest.mark.parametrize("machines", [-1, "many", 1e9, None])
async def test_what_is_no_number_of_machines_is_refused(api: Api, admin: Person, pool: str, machines: object) -> None:
    scope = await api.project(await api.person())
    refused = await admin.http.patch(f"/api/v1/projects/{scope.slug}", json={"guarantees": {pool: machines}})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"].startswith("guarantees")


async def test_an_unknown_pool_is_named(api: Api, admin: Person) -> None:
    scope = await api.project(await api.person())
    refused = await admin.http.patch(f"/api/v1/projects/{scope.slug}", json={"guarantees": {"tpu-9": 1}})
    assert refused.json()["errors"][0] == {"field": "guarantees.tpu-9", "message": "does not exist"}


async def test_a_guaranteed_pool_stays_until_it_is_given_back(api: Api, admin: Person, pool: str) -> None:
    scope = await api.project(await api.person())
    url = f"/api/v1/projects/{scope.slug}"
    await admin.http.patch(url, json={"guarantees": {pool: 1}})
    refused = await admin.http.delete(f"/api/v1/pools/{pool}")
    assert (refused.status_code, refused.json()["data"]) == (409, {"projects": [scope.slug]})
    await admin.http.patch(url, json={"guarantees": {}})
    assert (await admin.http.delete(f"/api/v1/pools/{pool}")).status_code == 204


async def test_a_deleted_project_guarantees_nothing(api: Api, admin: Person, pool: str) -> None:
    scope = await api.project(await api.person())
    await admin.http.patch(f"/api/v1/projects/{scope.slug}", json={"guarantees": {pool: 4}})
    await admin.http.delete(f"/api/v1/projects/{scope.slug}")
    other = await api.project(await api.person())
    given = await admin.http.patch(f"/api/v1/projects/{other.slug}", json={"guarantees": {pool: 4}})
    assert given.status_code == 200
    async with api.platform.database.transaction() as session:
        assert scope.project_id not in (await load_snapshot(session)).guarantees


async def test_limits_below_what_runs_are_told_and_end_nothing(api: Api, admin: Person, pool: str) -> None:
    scope = await api.project(await api.person())
    url = f"/api/v1/projects/{scope.slug}"
    job, gib = new_id("job"), 2**30
    spec = {
        "entrypoint": "true",
        "resources": {
            "head": {"pool": pool, "cpu": 1, "memory": gib},
            "groups": [{"name": "t", "pool": pool, "gpu": 4, "cpu": 1, "memory": gib}],
        },
    }
    async with api.platform.database.transaction() as session:
        row = JobRow(
            id=job, project_id=scope.project_id, name="j", kind="script", spec=spec, phase="running", attempt_number=1,
            created_by="x", created_by_id="x",
        )  # fmt: skip
        session.add(row)
        await session.flush()
        session.add(
            AttemptRow(id=new_id("attempt"), job_id=job, project_id=scope.project_id, number=1, phase="running")
        )

    async def told() -> list[str]:
        events = (await admin.http.get(f"{url}/events")).json()["items"]
        return [event["message"] for event in events if event["reason"] == "LimitsBelowUse"]

    assert (await admin.http.patch(url, json={"limits": {"gpu": 4}})).status_code == 200
    assert await told() == []
    assert (await admin.http.patch(url, json={"limits": {"gpu": 2}})).status_code == 200
    assert await told() == [
        "The new limits are below what runs: 4 of 2 GPU in use. It goes on, and nothing new starts until enough ended."
    ]
    async with api.platform.database.transaction() as session:
        assert (await session.get_one(JobRow, job)).phase == "running"
