"""What an agent sends is stored exactly once, whatever it repeats, mixes up or is told."""

from __future__ import annotations

import asyncio
import gzip
import json

import pytest

from support.logged import LoggedJob
from support.segments import EPOCH_MS, Agent


async def test_a_segment_sent_again_is_the_same_segment(logged: LoggedJob) -> None:
    await logged.agent.write(b"one\ntwo\n")
    again = await logged.agent.put(b"one\ntwo\n", start=0)
    assert (again.status_code, again.json()) == (200, {"next_byte": 8})
    assert await logged.lines() == ["one", "two"]


async def test_another_cut_of_stored_bytes_is_a_repetition_too(logged: LoggedJob) -> None:
    await logged.agent.write(b"one\ntwo\n")
    longer = await logged.agent.put(b"one\ntwo\nthree\n", start=0)
    assert longer.json() == {"next_byte": 8}
    await logged.agent.write(b"three\n")
    assert await logged.lines() == ["one", "two", "three"]


async def test_a_gap_is_refused_with_the_byte_to_go_on_from(logged: LoggedJob) -> None:
    await logged.agent.write(b"one\n")
    gap = await logged.agent.put(b"three\n", start=8)
    assert gap.status_code == 409
    assert gap.json()["code"] == "log_gap"
    assert gap.json()["next_byte"] == gap.json()["data"]["next_byte"] == 4


async def test_twins_at_the_same_time_are_stored_once(logged: LoggedJob) -> None:
    answers = await asyncio.gather(*(logged.agent.put(b"one\ntwo\n", start=0) for _ in range(8)))
    assert [answer.json() for answer in answers] == [{"next_byte": 8}] * 8
    assert await logged.lines() == ["one", "two"]


async def test_two_cuts_at_the_same_time_lose_no_byte(logged: LoggedJob) -> None:
    short, long = b"one\n" * 100, b"one\n" * 250
    for _ in range(5):
        base = logged.agent.at.get("driver", 0)
        answers = await asyncio.gather(
            logged.agent.put(long, start=base), logged.agent.put(short, start=base), logged.agent.put(long, start=base)
        )
        assert all(answer.status_code == 200 for answer in answers)
        logged.agent.at["driver"] = max(answer.json()["next_byte"] for answer in answers)
    total = logged.agent.at["driver"]
    raw = await logged.owner.http.get(f"{logged.path}/raw", params={"source": "driver"})
    assert raw.content == b"one\n" * (total // 4)


async def test_cursors_tell_a_new_agent_where_to_go_on(logged: LoggedJob) -> None:
    await logged.agent.write(b"one\n")
    await logged.agent.write(b"worker", source="train-1/42/err")
    answer = await logged.agent.http.get("/api/v1/agent/cursors")
    assert answer.json() == {"sources": {"driver": 4, "train-1/42/err": 6}, "metrics": 0}


@pytest.mark.parametrize(
    ("headers", "field"),
    [
        ({"X-Log-Source": "../etc"}, "X-Log-Source"),
        ({"X-Log-Source": "Head/1"}, "X-Log-Source"),
        ({"X-Log-Start": "-1"}, "x-log-start"),
        ({"X-Log-Start": "much"}, "x-log-start"),
        ({"X-Log-Length": "0"}, "x-log-length"),
        ({"X-Log-Length": str(5 * 2**20)}, "x-log-length"),
        ({"X-Log-Times": "[[0]]"}, "X-Log-Times"),
        ({"X-Log-Times": "[[3, 1], [1, 2]]"}, "X-Log-Times"),
        ({"X-Log-Times": "[[0, -5]]"}, "X-Log-Times"),
        ({"X-Log-Times": "[[0, 99999999999999]]"}, "X-Log-Times"),
        ({"X-Log-Times": json.dumps([[i, i] for i in range(201)])}, "X-Log-Times"),
        ({"Content-Encoding": "br"}, "Content-Encoding"),
    ],
)
async def test_a_malformed_header_is_named(logged: LoggedJob, headers: dict[str, str], field: str) -> None:
    answer = await logged.agent.put(b"x" * 300, **headers)
    assert answer.status_code == 422, answer.text
    assert [error["field"] for error in answer.json()["errors"]] == [field]


@pytest.mark.parametrize(
    "body",
    [
        b"not gzip",
        b"",
        gzip.compress(b"1234"),
        gzip.compress(b"123") + b"rest",
        gzip.compress(b"12") + gzip.compress(b"3"),
    ],
)
async def test_a_body_of_another_length_than_declared_is_refused(logged: LoggedJob, body: bytes) -> None:
    answer = await logged.agent.http.put(
        "/api/v1/agent/segments",
        content=body,
        headers={"X-Log-Source": "driver", "X-Log-Start": "0", "X-Log-Length": "3", "X-Log-Times": "[]"},
    )
    assert answer.status_code == 422, answer.text
    assert await logged.lines() == []


async def test_a_bomb_is_unfolded_only_to_what_it_declares(logged: LoggedJob) -> None:
    bomb = gzip.compress(b"\0" * (1 << 30), 9)
    assert len(bomb) < 2 * 2**20
    answer = await logged.agent.http.put(
        "/api/v1/agent/segments",
        content=bomb,
        headers={"X-Log-Source": "driver", "X-Log-Start": "0", "X-Log-Length": "1000", "X-Log-Times": "[]"},
    )
    assert answer.status_code == 422


async def test_an_ended_attempt_takes_nothing_more(logged: LoggedJob) -> None:
    await logged.agent.write(b"one\n")
    await logged.attempt.end()
    late = await logged.agent.put(b"late\n")
    assert (late.status_code, late.json()["code"]) == (410, "attempt_over")
    assert await logged.lines() == ["one"]


async def test_an_overtaken_attempt_cannot_write_into_its_successor(logged: LoggedJob) -> None:
    await logged.attempt.end("failed")
    second = await logged.job.attempt()
    await Agent(logged.api.client(second.token)).write(b"second\n")
    assert (await logged.agent.put(b"first\n")).status_code == 410
    assert [chunk["attempt"] for chunk in (await logged.read(attempt=2))["items"]] == [2]


async def test_times_that_go_back_keep_the_order_of_lines(logged: LoggedJob) -> None:
    await logged.agent.write(b"one\n", times=[[0, EPOCH_MS + 9000]])
    await logged.agent.write(b"two\nthree\n", times=[[0, EPOCH_MS + 2000], [4, EPOCH_MS + 1000]])
    assert await logged.lines() == ["one", "two", "three"]


async def test_a_person_cannot_write_a_log(logged: LoggedJob) -> None:
    answer = await logged.owner.http.put(
        "/api/v1/agent/segments",
        content=gzip.compress(b"x"),
        headers={"X-Log-Source": "driver", "X-Log-Start": "0", "X-Log-Length": "1"},
    )
    assert answer.status_code == 403
