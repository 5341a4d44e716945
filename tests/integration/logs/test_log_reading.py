"""Reading what was stored: pages, tails, searches, sources, raw bytes; always whole and in order."""

from __future__ import annotations

import io
import tarfile
from datetime import UTC, datetime
from itertools import pairwise

import pytest

from support.logged import LoggedJob
from support.segments import EPOCH_MS


async def test_lines_of_all_sources_come_by_time(logged: LoggedJob) -> None:
    at = EPOCH_MS
    await logged.agent.write(b"d1\nd2\n", times=[[0, at + 1000], [3, at + 3000]])
    await logged.agent.write(b"w1\nw2\n", source="train-1/7", times=[[0, at + 2000], [3, at + 4000]])
    page = await logged.read()
    assert [(chunk["source"], chunk["start"], chunk["lines"]) for chunk in page["items"]] == [
        ("driver", 0, ["d1"]),
        ("train-1/7", 0, ["w1"]),
        ("driver", 1, ["d2"]),
        ("train-1/7", 1, ["w2"]),
    ]
    assert (page["next"], page["complete"]) == (None, False)


async def test_pages_hold_every_line_once_whatever_the_limit(logged: LoggedJob) -> None:
    written = [f"line {number}" for number in range(50)]
    for low, high in pairwise([0, 3, 20, 21, 49, 50]):
        await logged.agent.write("".join(f"{line}\n" for line in written[low:high]).encode())
    for limit in (1, 7, 49, 50, 51):
        found: list[str] = []
        cursor: dict[str, object] = {}
        while True:
            page = await logged.read(limit=limit, **cursor)
            lines = [line for chunk in page["items"] for line in chunk["lines"]]
            assert len(lines) <= limit
            found += lines
            if page["next"] is None:
                break
            cursor = {"cursor": page["next"]}
        assert found == written


async def test_a_line_cut_into_segments_is_one_line(logged: LoggedJob) -> None:
    for piece in (b"he", b"llo ", "wör".encode()[:3], "wör".encode()[3:], b"ld\nnext"):
        await logged.agent.write(piece)
    page = await logged.read()
    assert [(chunk["lines"], chunk["partial"]) for chunk in page["items"]] == [
        (["hello wörld"], False),
        (["next"], True),
    ]


@pytest.mark.parametrize("count", [0, 1, 5, 99, 100, 150])
async def test_tail_gives_the_last_lines(logged: LoggedJob, count: int) -> None:
    written = [f"{number}" for number in range(100)]
    for low in range(0, 100, 10):
        await logged.agent.write("".join(f"{line}\n" for line in written[low : low + 10]).encode())
    assert await logged.lines(tail=count) == written[100 - min(count, 100) :]


async def test_tail_looks_across_sources(logged: LoggedJob) -> None:
    for number in range(10):
        await logged.agent.write(f"d{number}\n".encode())
        await logged.agent.write(f"w{number}\n".encode(), source="head/9")
    assert await logged.lines(tail=3) == ["w8", "d9", "w9"]
    assert await logged.lines(tail=2, source="driver") == ["d8", "d9"]


async def test_lines_by_number_of_one_source(logged: LoggedJob) -> None:
    for low in range(0, 50, 10):
        await logged.agent.write("".join(f"{n}\n" for n in range(low, low + 10)).encode())
    assert await logged.lines(source="driver", start_line=17, end_line=33) == [str(n) for n in range(17, 33)]
    assert await logged.lines(source="driver", start_line=48) == ["48", "49"]
    assert await logged.lines(source="driver", start_line=50) == []
    await logged.agent.write(b"w\n", source="head/1")
    answer = await logged.owner.http.get(logged.path, params={"start_line": 3})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "source")


async def test_since_and_until_bound_by_time(logged: LoggedJob) -> None:
    for second in range(10):
        await logged.agent.write(f"s{second}\n".encode(), times=[[0, EPOCH_MS + second * 1000]])
    since = datetime.fromtimestamp(EPOCH_MS / 1000 + 3, UTC).isoformat()
    until = datetime.fromtimestamp(EPOCH_MS / 1000 + 6, UTC).isoformat()
    assert await logged.lines(since=since, until=until) == ["s3", "s4", "s5"]
    assert await logged.lines(since=since) == [f"s{second}" for second in range(3, 10)]


async def test_a_line_that_began_before_since_is_shown_whole(logged: LoggedJob) -> None:
    await logged.agent.write(b"old\nbegun ", times=[[0, EPOCH_MS]])
    await logged.agent.write(b"and ended\n", times=[[0, EPOCH_MS + 5000]])
    since = datetime.fromtimestamp(EPOCH_MS / 1000 + 2, UTC).isoformat()
    page = await logged.read(since=since)
    assert [(chunk["start"], chunk["lines"]) for chunk in page["items"]] == [(1, ["begun and ended"])]


async def test_search_finds_lines_under_their_numbers(logged: LoggedJob) -> None:
    bad = "\x1b[31mERR\x1b[0mOR"
    text = "".join(f"{bad if n % 7 == 0 else 'fine'} {n}\n" for n in range(30))
    await logged.agent.write(text.encode())
    page = await logged.read(grep="ERROR")
    assert [chunk["start"] for chunk in page["items"]] == [0, 7, 14, 21, 28]
    assert await logged.lines(grep="error") == []
    assert len(await logged.lines(grep="error", ignore_case=True)) == 5
    first = await logged.read(grep="ERROR", limit=2)
    rest = await logged.read(grep="ERROR", limit=10, cursor=first["next"])
    assert [chunk["start"] for chunk in rest["items"]] == [14, 21, 28]


async def test_sources_are_chosen_by_kind_node_process_or_name(logged: LoggedJob) -> None:
    for source in ("driver", "head/1", "head/1/err", "train-0/2", "train-0/3"):
        await logged.agent.write(f"{source}\n".encode(), source=source)
    assert await logged.lines(source="driver") == ["driver"]
    assert await logged.lines(source="worker") == ["head/1", "head/1/err", "train-0/2", "train-0/3"]
    assert await logged.lines(source="head") == ["driver", "head/1", "head/1/err"]
    assert await logged.lines(source="head/1") == ["head/1", "head/1/err"]
    assert await logged.lines(source=["train-0/2", "driver"]) == ["driver", "train-0/2"]
    assert await logged.lines(source="train") == []
    answer = await logged.owner.http.get(f"{logged.path}/sources")
    assert [source["source"] for source in answer.json()["items"]] == [
        "driver", "head/1", "head/1/err", "train-0/2", "train-0/3",
    ]  # fmt: skip


async def test_b3_a_progress_bar_is_its_last_state_and_the_raw_bytes_stay(logged: LoggedJob) -> None:
    bars = "".join(f"\repoch: {percent:3d}%|{'#' * (percent // 10)}" for percent in range(101))
    written = f"start\n{bars}\n\x1b[32mepoch 0 done\x1b[0m\n\x1b]0;title\x07\x1b[2Jend\n".encode()
    for low in range(0, len(written), 97):
        await logged.agent.write(written[low : low + 97])
    assert await logged.lines() == ["start", "epoch: 100%|##########", "\x1b[32mepoch 0 done\x1b[0m", "end"]
    raw = await logged.owner.http.get(f"{logged.path}/raw", params={"source": "driver"})
    assert raw.content == written
    assert raw.headers["content-length"] == str(len(written))


async def test_b5_lines_that_look_alike_are_all_there(logged: LoggedJob) -> None:
    for pid in range(10):
        await logged.agent.write(f"v {pid}\n".encode(), source=f"train-{pid % 3}/{pid + 100}")
    assert sorted(await logged.lines()) == [f"v {n}" for n in range(10)]


async def test_raw_bytes_by_range_and_all_sources_as_a_tar(logged: LoggedJob) -> None:
    await logged.agent.write(b"\xff\x00raw\r")
    await logged.agent.write(b" bytes\n")
    await logged.agent.write(b"w\n", source="head/1/err")
    params = {"source": "driver", "start": 2, "end": 8}
    assert (await logged.owner.http.get(f"{logged.path}/raw", params=params)).content == b"raw\r b"
    archive = await logged.owner.http.get(f"{logged.path}/raw")
    with tarfile.open(fileobj=io.BytesIO(archive.content)) as tar:
        found = {member.name: tar.extractfile(member).read() for member in tar.getmembers()}
    assert found == {"driver.log": b"\xff\x00raw\r bytes\n", "head/1/err.log": b"w\n"}


async def test_an_endless_line_is_read_at_its_ends(logged: LoggedJob) -> None:
    await logged.agent.write(b"first\n")
    for _ in range(40):
        await logged.agent.write(b"." * 1000)
    await logged.agent.write(b"end\nlast\n")
    first, endless, last = await logged.lines()
    assert (first, last) == ("first", "last")
    assert endless.startswith("....")
    assert "bytes more on this line" in endless


async def test_each_attempt_has_its_own_log(logged: LoggedJob) -> None:
    await logged.agent.write(b"first attempt\n")
    await logged.attempt.end("failed")
    assert (await logged.read(attempt=1))["complete"] is True
    second = await logged.job.attempt()
    assert (await logged.owner.http.get(logged.path, params={"attempt": 3})).status_code == 404
    assert second.number == 2
    assert await logged.lines(attempt=1) == ["first attempt"]


@pytest.mark.parametrize("cursor", ["nonsense", "e30", "AAAA"])
async def test_a_cursor_of_nothing_is_refused(logged: LoggedJob, cursor: str) -> None:
    answer = await logged.owner.http.get(logged.path, params={"cursor": cursor})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "cursor")


async def test_a_cursor_of_another_log_is_refused(logged: LoggedJob) -> None:
    await logged.agent.write(b"one\n")
    resume = (await logged.read())["resume"]
    await logged.attempt.end("failed")
    await logged.job.attempt()
    answer = await logged.owner.http.get(logged.path, params={"cursor": resume, "attempt": 2})
    assert answer.status_code == 422


@pytest.mark.parametrize("route", ["", "/sources", "/raw", "?follow=true"])
async def test_another_projects_member_finds_no_log(logged: LoggedJob, route: str) -> None:
    await logged.agent.write(b"secret\n")
    own = await logged.api.project(logged.stranger)
    for project in (logged.scope.slug, own.slug):
        path = f"/api/v1/projects/{project}/jobs/{logged.job.id}/logs{route}"
        assert (await logged.stranger.http.get(path)).status_code == 404
