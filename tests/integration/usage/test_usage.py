"""Use of machines is stacked by project, and names no project that the caller cannot see."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import delete, insert, update

from mlp.schemas.jobs import JobCreate
from mlp_core.kit.ids import new_id
from mlp_core.tables import AttemptRow, JobRow, OutboxRow, SampleRow
from support.platform import Api, Person
from support.tenants import Tenant, new_tenant

SPEC = JobCreate.model_validate(
    {
        "entrypoint": "true",
        "resources": {
            "head": {"pool": "cpu"},
            "groups": [{"name": "train", "pool": "cpu", "cpu": 2, "memory": "4Gi"}],
        },
    }
).model_dump(mode="json")
GIB = 2**30


@pytest.fixture(scope="module")
async def admin(api: Api) -> Person:
    admin = await api.person(is_admin=True)
    pool = {"name": "cpu", "cpu": 8, "memory": "32Gi", "machines": 4, "is_default": True}
    assert (await admin.http.post("/api/v1/pools", json=pool)).status_code == 201
    return admin


async def a_job(tenant: Tenant, *, running: bool) -> tuple[str, str]:
    """A job that holds a machine's part, or waits for it, and its attempt."""
    job, attempt = new_id("job"), new_id("attempt")
    values: dict[str, Any] = {
        "id": job,
        "project_id": tenant.scope.project_id,
        "name": f"job of {tenant.scope.slug}",
        "kind": "script",
        "spec": SPEC,
        "phase": "running" if running else "queued",
        "attempt_number": int(running),
        "created_by": "x",
        "created_by_id": "x",
    }
    async with tenant.api.platform.database.transaction() as session:
        await session.execute(insert(JobRow).values(values))
        if running:
            row = {"id": attempt, "job_id": job, "project_id": tenant.scope.project_id, "number": 1, "phase": "running"}
            await session.execute(insert(AttemptRow).values(row))
    return job, attempt


@pytest.fixture
async def two(api: Api, admin: Person) -> tuple[Tenant, Tenant]:
    tenants = await new_tenant(api), await new_tenant(api)
    async with api.platform.database.transaction() as session:
        await session.execute(delete(AttemptRow))
        await session.execute(delete(JobRow))
    return tenants


async def test_pools_are_stacked_by_project_and_strangers_have_no_name(
    admin: Person, two: tuple[Tenant, Tenant]
) -> None:
    mine, other = two
    for tenant, count in ((mine, 2), (other, 1)):
        for _ in range(count):
            await a_job(tenant, running=True)
    await a_job(other, running=False)
    for person, names in ((mine.viewer, {mine.scope.slug, None}), (admin, {mine.scope.slug, other.scope.slug})):
        usage = (await person.http.get("/api/v1/usage")).json()
        pool = next(pool for pool in usage["pools"] if pool["pool"] == "cpu")
        assert pool["capacity"] == {"cpu": 32, "memory_bytes": 128 * GIB, "gpu": 0}
        held = {share["project"]: share for share in pool["held"]}
        assert set(held) == names
        assert held[mine.scope.slug]["jobs"] == 2
        assert held[mine.scope.slug]["use"]["cpu"] == 2 * next(
            share["use"]["cpu"] for share in pool["held"] if share["project"] != mine.scope.slug
        )
        assert [share["jobs"] for share in pool["waiting"]] == [1]
    own = (await mine.viewer.http.get("/api/v1/usage")).json()["projects"]
    assert [project["project"] for project in own] == [mine.scope.slug]
    assert own[0]["held"]["cpu"] >= 4
    assert other.scope.slug not in (await mine.viewer.http.get("/api/v1/usage")).text


async def test_nodes_show_the_last_sample_of_live_jobs_that_the_caller_sees(
    admin: Person, two: tuple[Tenant, Tenant]
) -> None:
    mine, other = two
    now = mine.api.platform.clock.now()
    for tenant in two:
        _job, attempt = await a_job(tenant, running=True)
        samples = [
            {"node": node, "at": now - timedelta(seconds=age), "cpu_cores": cores, "memory_bytes": GIB}
            for node, age, cores in (("head", 60, 1.0), ("head", 5, 3.0), ("train-0", 900, 2.0))
        ]
        async with mine.api.platform.database.transaction() as session:
            rows = [{"attempt_id": attempt, "resolution": 0, **sample} for sample in samples]
            await session.execute(insert(SampleRow).values(rows))
    seen = (await mine.viewer.http.get("/api/v1/nodes")).json()
    assert [(node["project"], node["node"], node["cpu_cores"]) for node in seen["nodes"]] == [
        (mine.scope.slug, "head", 3.0)
    ]
    everything = (await admin.http.get("/api/v1/nodes")).json()["nodes"]
    assert {node["project"] for node in everything} == {mine.scope.slug, other.scope.slug}


async def test_health_tells_of_lag_and_of_what_is_stuck(admin: Person, two: tuple[Tenant, Tenant]) -> None:
    mine, _ = two
    late, _ = await a_job(mine, running=False)
    failing, _ = await a_job(mine, running=True)
    fine, _ = await a_job(mine, running=True)
    now = mine.api.platform.clock.now()
    async with mine.api.platform.database.transaction() as session:
        for job, due, failures in ((late, -600, 0), (failing, 60, 5), (fine, 60, 0)):
            changed = update(JobRow).where(JobRow.id == job)
            await session.execute(changed.values(due_at=now + timedelta(seconds=due), failures=failures))
        await session.execute(insert(OutboxRow).values(kind="test", key=late, state="dead"))
    health = (await admin.http.get("/api/v1/health")).json()
    queues = {queue["name"]: queue for queue in health["queues"]}
    assert set(queues) == {"job", "cluster", "environment", "outbox"}
    assert (queues["job"]["due"], queues["job"]["failing"]) == (1, 1)
    assert 590 < queues["job"]["lag_seconds"] < 700
    assert queues["outbox"]["failing"] == 1
    stuck = {one["id"]: one["why"] for one in health["stuck"]}
    assert set(stuck) == {late, failing}
    assert "5 times" in stuck[failing]
    assert health["status"] == "degraded"
    assert {one["name"]: one["ok"] for one in health["dependencies"]}["redis"] is False
    assert health["versions"]["schema_revision"]
    assert (await mine.owner.http.get("/api/v1/health")).status_code == 403
