"""Resource samples and metrics as agents hand them in, and as people read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from support.logged import LoggedJob, logged_job
from support.platform import Api

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
async def running(api: Api) -> LoggedJob:
    return await logged_job(api)


def a_sample(second: int, **more: Any) -> dict[str, Any]:
    return {"at": (AT + timedelta(seconds=second)).isoformat(), "cpu_cores": 1.5, "memory_bytes": 1000 + second} | more


async def post(running: LoggedJob, samples: list[dict[str, Any]], node: str = "head") -> int:
    answer = await running.agent.http.post("/api/v1/agent/samples", json={"node": node, "samples": samples})
    return answer.status_code


async def read(running: LoggedJob, **params: Any) -> list[dict[str, Any]]:
    path = running.path.removesuffix("/logs") + "/samples"
    answer = await running.owner.http.get(path, params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()["nodes"]


async def test_samples_come_back_by_node_and_time_each_once(running: LoggedJob) -> None:
    gpus = [
        {"index": 0, "utilisation": 50, "memory_bytes": 10},
        {"index": 1, "utilisation": 100, "memory_bytes": 20},
    ]
    for _ in range(2):
        assert await post(running, [a_sample(0), a_sample(5)]) == 204
        assert await post(running, [a_sample(1, gpus=gpus, memory_limit_bytes=5000)], "train-1") == 204
    head, train = await read(running)
    assert (head["node"], [point["memory_bytes"] for point in head["points"]]) == ("head", [1000, 1005])
    (point,) = train["points"]
    assert (point["gpu_utilisation"], point["gpu_memory_bytes"], point["memory_limit_bytes"]) == (75, 30, 5000)
    assert [node["node"] for node in await read(running, node="train-1")] == ["train-1"]


async def test_many_samples_are_thinned_and_peaks_of_memory_stay(running: LoggedJob) -> None:
    samples = [a_sample(second) for second in range(0, 1000)]
    samples[333]["memory_bytes"] = 999_999
    assert await post(running, samples) == 204
    ((head),) = await read(running, max_points=50)
    assert len(head["points"]) == 50
    assert max(point["memory_bytes"] for point in head["points"]) == 999_999
    times = [point["at"] for point in head["points"]]
    assert times == sorted(times)


async def test_m5_a_node_whose_clock_is_off_is_named_once(running: LoggedJob) -> None:
    now = datetime.now(UTC)
    for node, seconds in (("head", 45), ("a-0", 600), ("a-0", 601), ("b-0", -75), ("head", -45)):
        sent_at = (now + timedelta(seconds=seconds)).isoformat()
        body = {"node": node, "samples": [a_sample(0)], "sent_at": sent_at}
        assert (await running.agent.http.post("/api/v1/agent/samples", json=body)).status_code == 204
    events = (await running.owner.http.get(running.path.removesuffix("/logs") + "/events")).json()["items"]
    said = {event["data"]["node"]: event["message"] for event in events if event["reason"] == "ClockSkew"}
    assert len([event for event in events if event["reason"] == "ClockSkew"]) == 2
    assert "ahead of" in said["a-0"]
    assert "behind" in said["b-0"]


@pytest.mark.parametrize(
    "body",
    [
        {"node": "Head", "samples": [a_sample(0)]},
        {"node": "head", "samples": []},
        {"node": "head", "samples": [a_sample(0, cpu_cores=-1)]},
        {"node": "head", "samples": [a_sample(0, at="2026-11-30T12:00:00")]},
        {"node": "head", "samples": [a_sample(0, gpu=1)]},
    ],
)
async def test_malformed_samples_are_refused(running: LoggedJob, body: dict[str, Any]) -> None:
    answer = await running.agent.http.post("/api/v1/agent/samples", json=body)
    assert (answer.status_code, len(answer.json()["errors"]) > 0) == (422, True)


async def test_an_ended_attempt_hands_in_nothing(running: LoggedJob) -> None:
    await running.attempt.end()
    assert await post(running, [a_sample(0)]) == 410
    points = {"start": 0, "end": 10, "points": [{"key": "loss", "value": 1, "at": AT.isoformat()}]}
    assert (await running.agent.http.post("/api/v1/agent/metrics", json=points)).status_code == 410
    assert (await running.agent.http.get("/api/v1/agent/cursors")).status_code == 410


async def test_metrics_wait_for_the_run_and_a_gap_is_refused(running: LoggedJob) -> None:
    points = [{"key": "loss", "value": 1, "at": AT.isoformat()}]
    early = await running.agent.http.post("/api/v1/agent/metrics", json={"start": 0, "end": 10, "points": points})
    assert (early.status_code, early.json()["code"]) == (503, "unavailable")
    gap = await running.agent.http.post("/api/v1/agent/metrics", json={"start": 10, "end": 20, "points": points})
    assert (gap.status_code, gap.json()["code"], gap.json()["next_byte"]) == (409, "log_gap", 0)
    backwards = await running.agent.http.post("/api/v1/agent/metrics", json={"start": 0, "end": 0, "points": points})
    assert backwards.status_code == 422
    # Bytes that held no point, such as a broken line, are stepped over without MLflow.
    skipped = await running.agent.http.post("/api/v1/agent/metrics", json={"start": 0, "end": 7, "points": []})
    assert skipped.json() == {"next_byte": 7}
    again = await running.agent.http.post("/api/v1/agent/metrics", json={"start": 0, "end": 10, "points": points})
    assert again.json() == {"next_byte": 7}


async def test_metrics_of_a_job_without_runs_are_none(running: LoggedJob) -> None:
    answer = await running.owner.http.get(running.path.removesuffix("/logs") + "/metrics")
    assert answer.json() == {"series": [], "keys": []}
