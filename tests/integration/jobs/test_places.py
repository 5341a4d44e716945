"""How many-th a waiting job is, and who is before it as far as the reader may know. Alone in its database."""

from __future__ import annotations

from mlp_core.domain.admission import Verdict
from mlp_core.domain.places import Place
from mlp_core.scheduling.places import write_places
from mlp_core.tables import JobRow
from mlp_operator.engines.simulated import SimulatedEngine, SimulatedQueue
from mlp_operator.queue_places import QueuePlaces
from mlp_operator.verdicts import Verdicts
from support.tenants import Tenant

GPUS = {"groups": [{"name": "train", "gpu": 4}]}


async def keep(tenant: Tenant, engine: SimulatedEngine | None = None) -> None:
    database = tenant.api.platform.database
    await QueuePlaces(database, engine or SimulatedEngine(), Verdicts(database)).keep()


async def shown(tenant: Tenant, job: str, part: str = "") -> dict[str, object]:
    return (await tenant.owner.http.get(f"{tenant.path}/{job}{part}")).json()


async def test_a_job_says_how_many_th_it_is_and_names_only_what_its_reader_may_see(tenant: Tenant) -> None:
    first = await tenant.submit(name="first", resources=GPUS)
    elsewhere = await tenant.api.project(tenant.stranger)
    await tenant.stranger.http.post(
        f"/api/v1/projects/{elsewhere.slug}/jobs", json={"name": "secret", "entrypoint": "true", "resources": GPUS}
    )
    cores = await tenant.submit(name="cores", priority="low", resources={"groups": [{"name": "prep", "cpu": 1}]})
    mine = await tenant.submit(name="mine", resources=GPUS)
    assert (await shown(tenant, mine["id"]))["queue"] is None, "nobody has looked yet"
    await keep(tenant)
    assert (await shown(tenant, first["id"]))["queue"] is None, "the first one starts"
    assert (await shown(tenant, mine["id"]))["queue"] == {"pool": "gpu", "position": 2}
    assert (await shown(tenant, cores["id"]))["queue"] is None, "it fits, so it waits for nobody"
    why = await shown(tenant, mine["id"], "/why")
    assert (why["queue"], why["position"]) == ({"pool": "gpu", "position": 2}, 2)
    assert why["ahead"] == [{"kind": "job", "id": None, "name": "another project", "project": None, "since": None}]
    assert "secret" not in str(why)
    listed = (await tenant.owner.http.get(tenant.path)).json()["items"]
    assert [job["queue"] for job in listed if job["id"] == mine["id"]] == [{"pool": "gpu", "position": 2}]


async def test_an_engine_s_own_queue_gives_the_order(tenant: Tenant) -> None:
    engine, queue = SimulatedEngine(), SimulatedQueue()
    engine.queue = queue
    jobs = [(await tenant.submit(name=f"j{n}", resources=GPUS))["id"] for n in range(3)]
    queue.jobs.update({job: Verdict(False, "WaitingForQuota", "Waits.", 0) for job in reversed(jobs)})
    await keep(tenant, engine)
    assert [(await shown(tenant, job))["queue"] for job in jobs] == [
        {"pool": "gpu", "position": position} for position in (3, 2, 1)
    ]
    ahead = (await shown(tenant, jobs[0], "/why"))["ahead"]
    assert isinstance(ahead, list)
    assert [(one["id"], one["name"]) for one in ahead] == [(jobs[2], "j2"), (jobs[1], "j1")]
    # One that is not in that queue any more has no place.
    await queue.leave(jobs[1])
    await keep(tenant, engine)
    assert (await shown(tenant, jobs[1]))["queue"] is None


async def test_far_back_in_a_long_queue_not_every_step_is_written(tenant: Tenant) -> None:
    job = (await tenant.submit(resources=GPUS))["id"]
    database = tenant.api.platform.database

    async def placed(position: int) -> int | None:
        async with database.transaction() as session:
            await write_places(session, {job: Place("gpu", position)})
        async with database.transaction() as session:
            return (await session.get_one(JobRow, job)).queue_position

    assert [await placed(position) for position in (1000, 999, 960, 940, 939, 101, 100, 99)] == [
        1000, 1000, 1000, 940, 940, 101, 100, 99,
    ]  # fmt: skip


async def test_a_place_is_no_longer_told_once_a_job_has_left_the_queue(tenant: Tenant) -> None:
    job = (await tenant.submit(resources=GPUS))["id"]
    database = tenant.api.platform.database
    async with database.transaction() as session:
        await write_places(session, {job: Place("gpu", 1)})
    await tenant.owner.http.post(f"{tenant.path}/{job}:cancel", json={}, headers={"Idempotency-Key": "k"})
    async with database.transaction() as session:
        row = await session.get_one(JobRow, job)
        row.phase, row.ended_at = "cancelled", row.created_at
    assert (await shown(tenant, job))["queue"] is None
