"""Case i5: a page deep in a list of 100,000 jobs is read as the first one is, by an index and nothing else."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event, text

from support.many_jobs import MANY_JOBS
from support.platform import Api
from support.tenants import Tenant, new_tenant

JOBS = 100_000
DEEP = 25
LIMIT = 50


@pytest.fixture(scope="module")
async def full(api: Api) -> Tenant:
    """A project of so many jobs beside one of a tenth of them."""
    tenants = [await new_tenant(api) for _ in range(2)]
    async with api.platform.database.transaction() as session:
        # So many rows at once are no request of the platform, and take their time on a busy machine.
        await session.execute(text("SET LOCAL statement_timeout = '5min'"))
        for tenant, jobs in zip(tenants, (JOBS, JOBS // 10), strict=True):
            await session.execute(text(MANY_JOBS), {"project": tenant.scope.project_id, "jobs": jobs})
        await session.execute(text("ANALYZE jobs"))
    return tenants[0]


@contextmanager
def statements_on(tenant: Tenant) -> Generator[list[tuple[str, Any]]]:
    """Every statement about jobs that runs meanwhile, with its parameters."""
    seen: list[tuple[str, Any]] = []
    engine = tenant.api.platform.database.engine.sync_engine

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if "FROM jobs" in statement:
            seen.append((statement, parameters))

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(engine, "before_cursor_execute", note)


async def plans_of(tenant: Tenant, statements: list[tuple[str, Any]]) -> list[str]:
    found: list[str] = []
    async with tenant.api.platform.database.transaction() as session:
        connection = await session.connection()
        for statement, parameters in statements:
            lines = await connection.exec_driver_sql(f"EXPLAIN (ANALYZE, BUFFERS) {statement}", parameters)
            found.append("\n".join(row[0] for row in lines))
    return found


def pages_read(plan: str) -> int:
    """Of the whole statement, from memory and from disk."""
    first = re.search(r"Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?", plan)
    return sum(int(pages or 0) for pages in first.groups()) if first else 0


COLUMNS = ("created_at", "name", "phase", "kind", "created_by", "started_at", "ended_at")


@pytest.mark.parametrize("order_by", [f"{sign}{column}" for column in COLUMNS for sign in ("", "-")])
async def test_i5_no_page_is_scanned_or_sorted_for(full: Tenant, order_by: str) -> None:
    page: dict[str, Any] = {"next": None}
    for number in range(1, DEEP + 1):
        cursor = {"cursor": page["next"]} if page["next"] else {}
        with statements_on(full) as seen:
            answer = await full.owner.http.get(full.path, params={"order_by": order_by, "limit": LIMIT} | cursor)
        page = answer.json()
        assert len(page["items"]) == LIMIT
        if number in (1, 2, DEEP):
            *listings, total = await plans_of(full, seen)
            assert listings
            for listing in listings:
                assert "Index Scan" in listing, listing
                assert "Seq Scan" not in listing, listing
                assert "Sort" not in listing, listing
                assert "Rows Removed by Filter" not in listing, listing
            # What is read to count the total is the same on every page, and stops at the most that is counted.
            assert "rows=10001" in total, total


async def test_i5_pages_of_rare_phases_read_no_others(full: Tenant) -> None:
    params: dict[str, Any] = {"phase": ["failed", "running", "cancelled"], "limit": LIMIT}
    page: dict[str, Any] = {"next": None}
    for _ in range(3):
        cursor = {"cursor": page["next"]} if page["next"] else {}
        with statements_on(full) as seen:
            page = (await full.owner.http.get(full.path, params=params | cursor)).json()
        assert len(page["items"]) == LIMIT
        listing = (await plans_of(full, seen[:1]))[0]
        assert "Seq Scan on jobs" not in listing, listing
        assert "Rows Removed by Filter" not in listing, listing
        assert pages_read(listing) < 1000, listing


async def test_i5_counts_and_the_first_page_stay_small(full: Tenant) -> None:
    with statements_on(full) as seen:
        counts = (await full.owner.http.get(f"{full.path}:count")).json()
        home = await full.owner.http.get(full.path.removesuffix("jobs") + "home")
    assert counts["phases"]["succeeded"] == counts["most"] == 10_000
    assert (counts["phases"]["failed"], home.status_code) == (0, 200)
    # Some ten thousand rows of each phase at most, of the 110,000 that there are; the whole table has 4,000 pages.
    for plan in await plans_of(full, seen):
        assert pages_read(plan) < 2000, plan
