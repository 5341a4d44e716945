"""Metrics of jobs, from the agent's metrics file through a real MLflow to the series that people read."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from mlp_api.platform import Platform
from mlp_core.scope import ProjectScope
from support.attempts import TestAttempt, running_job
from support.platform import Api, Person


@pytest.fixture(scope="module")
async def owner(api: Api) -> Person:
    return await api.person()


@pytest.fixture(scope="module")
async def scope(api: Api, owner: Person) -> ProjectScope:
    return await api.project(owner)


def a_point(at: datetime, key: str, step: int, value: float | str) -> dict[str, Any]:
    return {"key": key, "step": step, "value": value, "at": (at + timedelta(seconds=step)).isoformat()}


async def post(api: Api, attempt: TestAttempt, start: int, end: int, points: list[dict[str, Any]]) -> dict[str, Any]:
    answer = await api.client(attempt.token).post(
        "/api/v1/agent/metrics", json={"start": start, "end": end, "points": points}
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


async def read(owner: Person, of: TestAttempt, **params: Any) -> dict[str, Any]:
    path = f"/api/v1/projects/{of.job.scope.slug}/jobs/{of.job.id}/metrics"
    answer = await owner.http.get(path, params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_points_handed_in_twice_are_there_once(
    api: Api, platform: Platform, scope: ProjectScope, owner: Person
) -> None:
    attempt = await (await running_job(platform, scope)).attempt()
    await attempt.track()
    points = [a_point(attempt.created_at, "loss", step, 10 - step) for step in range(5)]
    assert await post(api, attempt, 0, 500, points) == {"next_byte": 500}
    assert await post(api, attempt, 0, 500, points) == {"next_byte": 500}
    assert await post(api, attempt, 500, 600, [a_point(attempt.created_at, "accuracy", 0, 0.5)]) == {"next_byte": 600}
    found = await read(owner, attempt)
    assert found["keys"] == ["accuracy", "loss"]
    loss = found["series"][1]
    assert [(point["step"], point["value"]) for point in loss["points"]] == [(step, 10 - step) for step in range(5)]
    assert (loss["total"], loss["last"], loss["min"], loss["max"]) == (5, 6, 6, 10)
    assert [series["key"] for series in (await read(owner, attempt, key="loss"))["series"]] == ["loss"]


async def test_a_later_attempt_goes_on_with_the_same_series(
    api: Api, platform: Platform, scope: ProjectScope, owner: Person
) -> None:
    job = await running_job(platform, scope)
    first = await job.attempt()
    await first.track()
    await post(api, first, 0, 10, [a_point(first.created_at, "loss", step, 1.0) for step in range(8)])
    await first.end("failed")
    second = await job.attempt()
    await second.track()
    await post(api, second, 0, 10, [a_point(second.created_at, "loss", step, 2.0) for step in range(5, 10)])
    (merged,) = (await read(owner, second))["series"]
    assert [point["value"] for point in merged["points"]] == [1.0] * 5 + [2.0] * 5
    (alone,) = (await read(owner, second, attempt=1))["series"]
    assert (alone["total"], alone["attempt"]) == (8, 1)


async def test_what_is_no_number_is_spelled(api: Api, platform: Platform, scope: ProjectScope, owner: Person) -> None:
    attempt = await (await running_job(platform, scope)).attempt()
    await attempt.track()
    values = [1.0, "NaN", "Infinity", "-Infinity"]
    points = [a_point(attempt.created_at, "loss", step, value) for step, value in enumerate(values)]
    await post(api, attempt, 0, 10, points)
    (loss,) = (await read(owner, attempt))["series"]
    assert loss["points"][1]["value"] == "NaN"
    assert (loss["min"], loss["max"]) == (1.0, 1.0)


async def test_a_long_series_is_thinned_and_its_spike_stays(
    api: Api, platform: Platform, scope: ProjectScope, owner: Person
) -> None:
    attempt = await (await running_job(platform, scope)).attempt()
    await attempt.track()
    points = [a_point(attempt.created_at, "loss", step, 99.0 if step == 123 else 1.0) for step in range(1000)]
    await post(api, attempt, 0, 10, points)
    (loss,) = (await read(owner, attempt, max_points=20))["series"]
    assert (loss["total"], loss["max"]) == (1000, 99.0)
    assert len(loss["points"]) <= 20
    assert 123 in [point["step"] for point in loss["points"]]
