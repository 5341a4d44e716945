"""Pools: admins keep them, everyone sees them, and none goes while something runs in it."""

from __future__ import annotations

import pytest

from mlp_core.kit.ids import new_id
from mlp_core.tables import AttemptRow, ClusterRow, JobRow
from support.platform import Api, Person

SHAPE = {"cpu": 8, "memory": "32Gi"}


@pytest.fixture(scope="module")
async def admin(api: Api) -> Person:
    return await api.person(is_admin=True)


async def test_pool_is_made_shown_and_listed(admin: Person, api: Api) -> None:
    wanted = {"name": "a100", "cpu": "500m", "memory": "1.5Gi", "gpu": 4, "accelerator": "nvidia-a100", "machines": 3}
    made = await admin.http.post("/api/v1/pools", json=wanted)
    assert made.status_code == 201
    assert made.json()["cpu"] == 0.5
    assert made.json()["memory"] == "1536Mi"
    person = await api.person()
    assert (await person.http.get("/api/v1/pools/a100")).json() == made.json()
    assert "a100" in [pool["name"] for pool in (await person.http.get("/api/v1/pools")).json()["items"]]
    assert (await person.http.post("/api/v1/pools", json=wanted)).status_code == 403


@pytest.mark.parametrize(
    ("labels", "status"),
    [
        ({"cloud.google.com/gke-nodepool": "gpu-a100", "zone": "europe_west.4A"}, 201),
        ({"mlp.dev/pool": ""}, 201),
        ({"/nodepool": "a"}, 422),
        ({"two/slashes/here": "a"}, 422),
        ({"zone": "-a"}, 422),
        ({"k" * 64: "a"}, 422),
    ],
)
async def test_labels_are_those_of_kubernetes_nodes(admin: Person, labels: dict[str, str], status: int) -> None:
    name = f"labels-{new_id('pool')[-8:].lower()}"
    made = await admin.http.post("/api/v1/pools", json={"name": name, "labels": labels, **SHAPE})
    assert made.status_code == status, made.text
    if status == 201:
        assert made.json()["labels"] == labels


async def test_name_is_taken(admin: Person) -> None:
    await admin.http.post("/api/v1/pools", json={"name": "taken", **SHAPE})
    again = await admin.http.post("/api/v1/pools", json={"name": "taken", **SHAPE})
    assert again.status_code == 409


async def test_new_default_replaces_the_one_of_its_sort(admin: Person) -> None:
    async def defaults() -> set[str]:
        pools = (await admin.http.get("/api/v1/pools", params={"limit": 200})).json()["items"]
        return {pool["name"] for pool in pools if pool["is_default"]}

    await admin.http.post("/api/v1/pools", json={"name": "cpu-1", "is_default": True, **SHAPE})
    await admin.http.post("/api/v1/pools", json={"name": "gpu-1", "is_default": True, "gpu": 1, **SHAPE})
    assert await defaults() == {"cpu-1", "gpu-1"}
    await admin.http.post("/api/v1/pools", json={"name": "cpu-2", "is_default": True, **SHAPE})
    assert await defaults() == {"cpu-2", "gpu-1"}
    await admin.http.patch("/api/v1/pools/cpu-1", json={"is_default": True})
    assert await defaults() == {"cpu-1", "gpu-1"}
    await admin.http.patch("/api/v1/pools/cpu-1", json={"gpu": 1})
    assert await defaults() == {"cpu-1"}


async def test_change_takes_only_what_is_given(admin: Person) -> None:
    made = await admin.http.post("/api/v1/pools", json={"name": "changing", "accelerator": "x", **SHAPE})
    url = "/api/v1/pools/changing"
    changed = await admin.http.patch(
        url, json={"memory": "64Gi", "accelerator": None}, headers={"If-Match": made.headers["etag"]}
    )
    assert changed.status_code == 200
    assert changed.json()["memory"] == "64Gi"
    assert changed.json()["accelerator"] is None
    assert changed.json()["cpu"] == 8
    late = await admin.http.patch(url, json={"cpu": 1}, headers={"If-Match": made.headers["etag"]})
    assert late.status_code == 412
    assert (await admin.http.patch(url, json={})).status_code == 422


@pytest.mark.parametrize("place", ["head", "groups"])
async def test_pool_in_use_shows_what_and_stays(api: Api, admin: Person, place: str) -> None:
    name = f"used-{place}"
    await admin.http.post("/api/v1/pools", json={"name": name, **SHAPE})
    scope = await api.project(await api.person())
    head = {"cpu": 1, "memory": "1Gi", "pool": name if place == "head" else "other"}
    group = {"name": "w", "replicas": "2", "cpu": 2, "memory": "2Gi", "pool": name if place == "groups" else "other"}
    await admin.http.post("/api/v1/pools", json={"name": "other", **SHAPE})
    spec = {"resources": {"head": head, "groups": [group]}}
    job = JobRow(
        id=new_id("job"),
        project_id=scope.project_id,
        name="j",
        kind="script",
        spec=spec,
        phase="running",
        created_by="x",
        created_by_id="x",
    )
    attempt = AttemptRow(id=new_id("attempt"), job_id=job.id, project_id=scope.project_id, number=1, phase="running")
    async with api.platform.database.transaction() as session:
        session.add(job)
        await session.flush()
        session.add(attempt)
    shown = (await admin.http.get(f"/api/v1/pools/{name}")).json()
    assert shown["in_use"]["cpu"] == (1 if place == "head" else 4)
    refused = await admin.http.delete(f"/api/v1/pools/{name}")
    assert refused.status_code == 409
    assert refused.json()["data"]["jobs"] == [job.id]


async def test_pool_of_a_cluster_stays(api: Api, admin: Person) -> None:
    await admin.http.post("/api/v1/pools", json={"name": "clustered", **SHAPE})
    scope = await api.project(await api.person())
    spec = {"head": {"cpu": 1, "memory": "1Gi", "pool": "clustered"}, "groups": []}
    cluster = ClusterRow(id=new_id("cluster"), project_id=scope.project_id, name="c", spec=spec, created_by="x")
    async with api.platform.database.transaction() as session:
        session.add(cluster)
    assert (await admin.http.delete("/api/v1/pools/clustered")).status_code == 409


async def test_free_pool_goes(admin: Person) -> None:
    await admin.http.post("/api/v1/pools", json={"name": "free", **SHAPE})
    assert (await admin.http.delete("/api/v1/pools/free")).status_code == 204
    assert (await admin.http.get("/api/v1/pools/free")).status_code == 404


@pytest.mark.parametrize(
    ("wrong", "field"),
    [({"memory": "1 GB"}, "memory"), ({"cpu": -1}, "cpu"), ({"gpu": 0.5}, "gpu"), ({"machines": 10**9}, "machines")],
)
async def test_wrong_shape_names_the_field(admin: Person, wrong: dict[str, object], field: str) -> None:
    answer = await admin.http.post("/api/v1/pools", json={"name": "wrong", **SHAPE, **wrong})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == field
