"""How a page deep in a long list of jobs compares with the first one (case i5)."""

from __future__ import annotations

import time
from collections.abc import Callable

import httpx
from sqlalchemy import create_engine, make_url, text

from bench.creates import database_url
from bench.live import Live
from bench.report import Figure, Section
from bench.timing import Timing, in_turns
from mlp import config
from mlp.schemas.projects import ProjectCreate
from support.many_jobs import MANY_JOBS

JOBS = 100_000
DEEP = 25
LIMIT = 100
ROUNDS = 100
PROMISE = 1.3
PROJECT = "bench-pages"
TEXT = """A project of {jobs:,} jobs, listed newest first with {limit} to the page over one kept-alive connection:
page 1 and page {deep} in turns, {rounds} times each."""


def measure(live: Live) -> Section:
    project = live.client.projects.create(ProjectCreate(name=PROJECT))
    try:
        fill(live, project.id)
        first, deep = compare(live)
    finally:
        empty(live, project.id)
        live.client.projects.delete(live.client.projects.get(PROJECT))
    ratio = deep.quantile(0.95) / first.quantile(0.95)
    figure = Figure(
        f"p95 of page {DEEP}", _ms(deep.quantile(0.95)), "page 1", _ms(first.quantile(0.95)),
        f"{ratio:.2f}x", f"at most {PROMISE:g}x", ratio <= PROMISE,
    )  # fmt: skip
    said = TEXT.format(jobs=JOBS, limit=LIMIT, deep=DEEP, rounds=ROUNDS)
    notes = (f"Medians: page {DEEP} {_ms(deep.median)}, page 1 {_ms(first.median)}.",)
    return Section("pages", "Long lists", said, (figure,), notes)


def compare(live: Live) -> tuple[Timing, Timing]:
    connection = config.resolve(environ=live.user_environment())
    url = f"{connection.url}/api/v1/projects/{PROJECT}/jobs"
    with httpx.Client(headers={"Authorization": f"Bearer {connection.token}"}, timeout=30) as client:

        def page(cursor: str | None) -> str:
            answer = client.get(url, params={"limit": LIMIT} | ({"cursor": cursor} if cursor else {}))
            return answer.raise_for_status().json()["next"]

        def taking(cursor: str | None) -> Callable[[], float]:
            def run() -> float:
                started = time.perf_counter()
                page(cursor)
                return time.perf_counter() - started

            return run

        cursor: str | None = None
        for _ in range(DEEP - 1):
            cursor = page(cursor)
        taken = in_turns({"first": taking(None), "deep": taking(cursor)}, ROUNDS)
    return taken["first"], taken["deep"]


def fill(live: Live, project: str) -> None:
    """Straight into the platform's database: by the API it would take the better part of an hour."""
    engine = create_engine(make_url(database_url(live)))
    with engine.begin() as connection:
        connection.execute(text(MANY_JOBS), {"project": project, "jobs": JOBS})
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM ANALYZE jobs"))
    engine.dispose()


def empty(live: Live, project: str) -> None:
    engine = create_engine(make_url(database_url(live)))
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM jobs WHERE project_id = :project"), {"project": project})
    engine.dispose()


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"
