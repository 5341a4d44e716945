"""Lists of jobs: every one exactly once, whatever comes and goes, in every order."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import delete, insert

from mlp.schemas.jobs import JobCreate
from mlp_core.jobs.repository import SORTABLE
from mlp_core.kit.ids import new_id
from mlp_core.tables import JobRow
from support.tenants import Tenant

ORDERS = [f"{sign}{column}" for column in SORTABLE for sign in ("", "-")]
PHASES = ("queued", "running", "succeeded", "failed", "cancelled")
AT = datetime(2026, 11, 1, tzinfo=UTC)
SPEC = JobCreate(entrypoint="true").model_dump(mode="json")


def a_row(tenant: Tenant, number: int, **more: Any) -> dict[str, Any]:
    """Many equal sort keys: three names, one moment of creation, three of ending, often none."""
    phase = PHASES[number % len(PHASES)]
    ended = AT + timedelta(hours=number % 3) if phase in PHASES[2:] else None
    return {
        "id": new_id("job"),
        "project_id": tenant.scope.project_id,
        "name": f"name-{number % 3}",
        "kind": "train" if number % 2 else "script",
        "spec": SPEC,
        "phase": phase,
        "ended_at": ended,
        "failure": {"class": "oom", "message": "m"} if phase == "failed" else None,
        "created_at": AT,
        "created_by": "ada" if number % 4 else "bob",
        "created_by_id": "usr_x",
        "due_at": None,
    } | more


async def add(tenant: Tenant, numbers: range, **more: Any) -> list[str]:
    rows = [a_row(tenant, number, **more) for number in numbers]
    async with tenant.api.platform.database.transaction() as session:
        for row in rows:
            await session.execute(insert(JobRow).values(row))
    return [row["id"] for row in rows]


async def ids_of(tenant: Tenant, **params: Any) -> list[str]:
    """All pages, one after the other."""
    found: list[str] = []
    page: dict[str, Any] = {}
    while not found or page["next"] is not None:
        cursor = {"cursor": page["next"]} if page else {}
        answer = await tenant.owner.http.get(tenant.path, params=params | cursor)
        assert answer.status_code == 200, answer.text
        page = answer.json()
        found += [item["id"] for item in page["items"]]
        if not page["items"]:
            break
    return found


@pytest.mark.parametrize("order_by", ORDERS)
async def test_i5_each_job_comes_once_while_others_come_and_go(tenant: Tenant, order_by: str) -> None:
    staying = set(await add(tenant, range(60)))
    leaving = await add(tenant, range(20))
    found: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = (await tenant.owner.http.get(tenant.path, params={"order_by": order_by, "limit": 13} | cursor)).json()
        found += [item["id"] for item in page["items"]]
        if page["next"] is None:
            break
        cursor = {"cursor": page["next"]}
        await add(tenant, range(5))
        async with tenant.api.platform.database.transaction() as session:
            await session.execute(delete(JobRow).where(JobRow.id.in_(leaving[:4])))
        leaving = leaving[4:]
    assert len(found) == len(set(found))
    assert staying <= set(found)


async def test_i5_the_last_of_2550_comes_too(tenant: Tenant) -> None:
    async with tenant.api.platform.database.transaction() as session:
        await session.execute(insert(JobRow), [a_row(tenant, number) for number in range(2550)])
    first = (await tenant.owner.http.get(tenant.path, params={"order_by": "name", "limit": 100})).json()
    assert first["total"] == 2550
    found = await ids_of(tenant, order_by="name", limit=100)
    assert (len(found), len(set(found))) == (2550, 2550)


async def test_the_order_is_that_of_the_column_with_nulls_last(tenant: Tenant) -> None:
    await add(tenant, range(30))
    for order_by in ORDERS:
        items = (await tenant.owner.http.get(tenant.path, params={"order_by": order_by, "limit": 200})).json()["items"]
        values = [item[order_by.removeprefix("-")] for item in items]
        filled = [value for value in values if value is not None]
        assert filled == sorted(filled, reverse=order_by.startswith("-"))
        assert values == filled + [None] * (len(values) - len(filled))


async def test_filters_narrow_the_list_and_its_total(tenant: Tenant) -> None:
    await add(tenant, range(20))
    late = await add(tenant, range(1), created_at=AT + timedelta(days=3), name="100%_done")
    cases: list[tuple[dict[str, Any], int]] = [
        ({}, 21),
        ({"phase": "queued"}, 5),
        ({"phase": ["queued", "failed"]}, 9),
        ({"kind": "train"}, 10),
        ({"name": "NAME-1"}, 7),
        ({"name": "%_"}, 1),
        ({"name": "nothing"}, 0),
        ({"created_by": "bob"}, 6),
        ({"since": (AT + timedelta(days=1)).isoformat()}, 1),
        ({"until": (AT + timedelta(days=1)).isoformat()}, 20),
        ({"package": "sha256:" + "0" * 64}, 0),
    ]
    for params, count in cases:
        page = (await tenant.owner.http.get(tenant.path, params=params | {"limit": 1})).json()
        assert (page["total"], len(await ids_of(tenant, **params))) == (count, count), params
    assert late[0] in await ids_of(tenant, since="366d")


async def test_words_are_searched_for_in_names_tags_and_ids(tenant: Tenant) -> None:
    tagged = JobCreate.model_validate({"entrypoint": "true", "run": {"tags": {"team": "Größe", "lr": "1e-3"}}})
    ids = await add(tenant, range(3))
    found = (await add(tenant, range(1), name="resnet 50%", spec=tagged.model_dump(mode="json")))[0]
    start = found[: len("job_") + 20]
    hits = ("resnet", "RESNET 50", "50%", "team", "GRÖSSE"[:3], "team=Größe", "resnet team=Größe", found, start.lower())
    for text in hits:
        assert found in await ids_of(tenant, search=text), text
    assert await ids_of(tenant, search="team=Größe") == [found]
    for text in ("resnet nothing", "team=größer", "50_", "job_", "%"):
        wanted = {found} if text == "%" else {found, *ids} if text == "job_" else set[str]()
        assert set(await ids_of(tenant, search=text)) == wanted, text


async def test_counts_tell_of_every_phase_what_the_other_filters_leave(tenant: Tenant) -> None:
    await add(tenant, range(20))
    for params, queued, failed in (({}, 4, 4), ({"phase": "queued"}, 4, 4), ({"kind": "train"}, 2, 2)):
        counts = (await tenant.owner.http.get(f"{tenant.path}:count", params=params)).json()["phases"]
        assert (counts["queued"], counts["failed"], counts["admitted"]) == (queued, failed, 0)
    assert len(await ids_of(tenant, failure="oom")) == 4
    assert await ids_of(tenant, failure="timeout") == []
    assert (await tenant.stranger.http.get(f"{tenant.path}:count")).status_code == 404


async def test_several_phases_come_in_one_order_over_all_pages(tenant: Tenant) -> None:
    for number in range(30):
        await add(tenant, range(number, number + 1), created_at=AT + timedelta(seconds=number))
    for order_by in ("created_at", "-created_at", "name", "-ended_at"):
        params: dict[str, Any] = {"order_by": order_by, "phase": ["failed", "running", "failed"]}
        whole = await ids_of(tenant, **params, limit=200)
        assert len(whole) == 12
        assert await ids_of(tenant, **params, limit=5) == whole


async def test_the_first_page_tells_what_runs_waits_and_failed(tenant: Tenant) -> None:
    now = datetime.now(UTC)
    await add(tenant, range(25), phase="queued", ended_at=None, failure=None)
    running = await add(tenant, range(2), phase="running", ended_at=None, failure=None)
    failed = {"phase": "failed", "failure": {"class": "oom", "message": "m"}}
    lately = await add(tenant, range(1), **failed, ended_at=now - timedelta(hours=1))
    await add(tenant, range(1), **failed, ended_at=now - timedelta(hours=25))
    path = f"/api/v1/projects/{tenant.scope.slug}/home"
    home = (await tenant.viewer.http.get(path)).json()
    assert {job["id"] for job in home["running"]} == set(running)
    assert ([job["id"] for job in home["failed"]], home["failures"]) == (lately, {"oom": 1})
    assert (len(home["waiting"]), home["counts"]["phases"]["queued"]) == (20, 25)
    assert home["ended"] == {"succeeded": 0, "failed": 1, "cancelled": 0}
    assert (await tenant.stranger.http.get(path)).status_code == 404


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": -1}, "limit"),
        ({"limit": 10**9}, "limit"),
        ({"order_by": "size"}, "order_by"),
        ({"phase": "happy"}, "phase.0"),
        ({"since": "yesterday"}, "since"),
        ({"since": "2026-11-01T00:00:00"}, "since"),
        ({"cursor": "nonsense"}, "cursor"),
    ],
)
async def test_i5_what_makes_no_sense_is_named(tenant: Tenant, params: dict[str, Any], field: str) -> None:
    answer = await tenant.owner.http.get(tenant.path, params=params)
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [field]


async def test_i5_a_cursor_of_another_list_order_or_person_is_refused(tenant: Tenant) -> None:
    await add(tenant, range(5))
    cursor = (await tenant.owner.http.get(tenant.path, params={"limit": 2})).json()["next"]
    for client, params in (
        (tenant.viewer.http, {}),
        (tenant.owner.http, {"order_by": "name"}),
        (tenant.owner.http, {"phase": "queued"}),
    ):
        answer = await client.get(tenant.path, params=params | {"limit": 2, "cursor": cursor})
        assert answer.status_code == 422


async def test_a_list_holds_jobs_of_its_project_alone(tenant: Tenant) -> None:
    await add(tenant, range(3))
    own = await tenant.api.project(tenant.stranger)
    assert (await tenant.stranger.http.get(f"/api/v1/projects/{own.slug}/jobs")).json()["items"] == []
    assert (await tenant.stranger.http.get(tenant.path)).status_code == 404
