"""Case i5: a list that is paged gives each row once, ends only at its end, and takes no cursor of another list."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import httpx
import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from mlp_core.kit.ids import new_id
from mlp_core.kit.pages import CursorCodec, Order, PageRequest, SortKey, keyset_page
from mlp_core.tables import JobRow, UserRow
from support.platform import Api, Person

CODEC = CursorCodec("a secret of at least thirty-two characters")
AT = datetime(2026, 11, 30, 12, tzinfo=UTC)
NAMES = ("alpha", "Beta", "gamma")


@pytest.fixture(scope="module")
async def jobs(api: Api) -> str:
    """2,500 jobs with three names, one creation time and many without a start; returns their project's id."""
    scope = await api.project(await api.person())
    async with api.platform.database.transaction() as session:
        session.add_all(_job(scope.project_id, number) for number in range(2500))
    return scope.project_id


def _job(project_id: str, number: int) -> JobRow:
    return JobRow(
        id=new_id("job"),
        project_id=project_id,
        name=NAMES[number % 3],
        kind="script",
        spec={},
        created_by="x",
        created_by_id="x",
        created_at=AT,
        started_at=None if number % 2 else AT,
    )


ORDERS: dict[str, Order] = {
    f"{name}{'-' if down else '+'}": (
        SortKey(column, descending=down, nullable=name == "started_at"),
        SortKey(JobRow.id, descending=down != mixed),
    )
    for name, column, mixed in (
        ("name", JobRow.name, False),
        ("created_at", JobRow.created_at, False),
        ("started_at", JobRow.started_at, False),
        ("name-mixed", JobRow.name, True),
    )
    for down in (False, True)
}


@pytest.mark.parametrize("order", ORDERS)
async def test_i5_every_job_that_was_there_throughout_is_seen_once(api: Api, jobs: str, order: str) -> None:
    def statement():
        return select(JobRow).where(JobRow.project_id == jobs)

    async with api.platform.database.transaction() as session:
        before = set((await session.scalars(statement().with_only_columns(JobRow.id))).all())
    seen: list[str] = []
    cursor: str | None = None
    pages, gone = 0, set[str]()
    while True:
        async with api.platform.database.transaction() as session:
            found = await keyset_page(session, statement(), ORDERS[order], PageRequest(CODEC, order, cursor, 100))
            seen += [row.id for row in found.rows]
            pages += 1
            gone |= await _come_and_go(session, jobs, sorted(before - set(seen) - gone)[:2])
        if found.next is None:
            break
        assert len(found.rows) == 100
        cursor = found.next
    assert len(seen) == len(set(seen))
    assert before - gone <= set(seen)
    assert pages >= 25


async def _come_and_go(session: AsyncSession, project_id: str, going: list[str]) -> set[str]:
    """Two new jobs, and two of those not yet seen deleted."""
    session.add_all([_job(project_id, 0), _job(project_id, 1)])
    for id_ in going:
        row = await session.get(JobRow, id_)
        await session.delete(row)
    return set(going)


async def test_i5_next_is_null_only_at_the_real_end(api: Api, jobs: str) -> None:
    statement = select(JobRow).where(JobRow.project_id == jobs)
    async with api.platform.database.transaction() as session:
        total = len((await session.scalars(statement)).all())
        exact = await keyset_page(session, statement, ORDERS["name+"], PageRequest(CODEC, "x", None, total))
        short = await keyset_page(session, statement, ORDERS["name+"], PageRequest(CODEC, "x", None, total - 1))
    assert exact.next is None
    assert short.next is not None


@pytest.fixture(scope="module")
async def admin(api: Api) -> Person:
    person = await api.person(is_admin=True)
    async with api.platform.database.transaction() as session:
        for number in range(7):
            id_ = new_id("user")
            session.add(UserRow(id=id_, username=f"paged-{number}", subject=id_, created_at=AT))
    return person


@pytest.mark.parametrize("limit", ["0", "-1", "1000000000", "201", "x", "1.5"])
async def test_i5_limit_that_cannot_be_is_422(admin: Person, limit: str) -> None:
    answer = await admin.http.get("/api/v1/users", params={"limit": limit})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "limit"


async def _first_cursor(client: httpx.AsyncClient, path: str) -> str:
    return (await client.get(path, params={"limit": 2})).json()["next"]


async def test_i5_cursor_of_another_list_user_or_filter_is_422(api: Api, admin: Person) -> None:
    cursor = await _first_cursor(admin.http, "/api/v1/users")
    assert (await admin.http.get("/api/v1/users", params={"cursor": cursor})).status_code == 200
    other = await api.person(is_admin=True)
    refused = [
        await admin.http.get("/api/v1/tokens", params={"cursor": cursor}),
        await other.http.get("/api/v1/users", params={"cursor": cursor}),
        await admin.http.get("/api/v1/users", params={"cursor": cursor, "filter": "x"}),
        await admin.http.get("/api/v1/users", params={"cursor": cursor[:-2]}),
        await admin.http.get("/api/v1/users", params={"cursor": cursor[:-1] + ("A" if cursor[-1] != "A" else "B")}),
        await admin.http.get("/api/v1/users", params={"cursor": "é"}),
        await admin.http.get("/api/v1/users", params={"cursor": ""}),
    ]
    assert [answer.status_code for answer in refused] == [422] * len(refused)
    assert {answer.json()["errors"][0]["field"] for answer in refused} == {"cursor"}


async def test_i5_link_header_leads_to_the_end(admin: Person) -> None:
    url, seen = "/api/v1/users?limit=3", list[str]()
    while url:
        answer = await admin.http.get(url)
        seen += [user["id"] for user in answer.json()["items"]]
        link = re.fullmatch(r'<http://mlp\.test(.+)>; rel="next"', answer.headers.get("link", ""))
        assert (link is None) == (answer.json()["next"] is None)
        url = link[1] if link else ""
    assert len(seen) == len(set(seen)) >= 8
