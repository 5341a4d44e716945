"""Housekeeping on real rows and objects: it keeps what is needed, and doing it twice is doing it once."""

from __future__ import annotations

import asyncio
import gzip
import random
from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import func, select, update

from mlp.schemas.artifacts import ArtifactStart
from mlp_api.platform import Platform
from mlp_core.domain.errors import NotFound
from mlp_core.housekeeping import compaction, objects, repository, retention
from mlp_core.kit.ids import new_id
from mlp_core.logs.reader import LogReader
from mlp_core.logs.segments import SegmentStore, segment_key
from mlp_core.logs.sources import SourceFilter
from mlp_core.outbox import service as outbox
from mlp_core.scope import ProjectScope
from mlp_core.tables import (
    AttemptRow,
    EnvironmentRow,
    EventRow,
    IdempotencyRow,
    JobRow,
    LogSegmentRow,
    LogSourceRow,
    OutboxRow,
    PackageRow,
    SampleRow,
)
from support.attempts import TestAttempt, running_job
from support.platform import Api

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)
KEEP = timedelta(days=90)
LONG_AGO = timedelta(days=100)


@pytest.fixture(scope="module")
async def scope(api: Api) -> ProjectScope:
    return await api.project(await api.person())


async def write_log(platform: Platform, attempt: TestAttempt, source: str, pieces: Sequence[bytes]) -> bytes:
    """Store `pieces` as the segments of a source, as the ingest does; the whole of them."""
    start = lines = 0
    async with platform.database.transaction() as session:
        for number, piece in enumerate(pieces):
            end, ended = start + len(piece), piece.count(b"\n")
            key = segment_key(attempt.job.scope.project_id, attempt.id, source, start, end)
            await platform.objects.put(key, gzip.compress(piece, 1))
            at = AT + timedelta(seconds=number)
            session.add(
                LogSegmentRow(
                    attempt_id=attempt.id,
                    source=source,
                    number=number,
                    start_byte=start,
                    end_byte=end,
                    start_line=lines,
                    end_line=lines + ended,
                    first_at=at,
                    last_at=at,
                    times=[0, round(at.timestamp() * 1000)],
                    object_key=key,
                )
            )
            start, lines = end, lines + ended
        session.add(
            LogSourceRow(attempt_id=attempt.id, source=source, next_byte=start, next_line=lines, segments=len(pieces))
        )
    return b"".join(pieces)


def some_pieces(count: int, seed: int, size: int = 400) -> list[bytes]:
    """Uneven pieces of numbered lines, cut anywhere."""
    chance = random.Random(seed)
    whole = b"".join(b"line %06d %s\n" % (n, b"x" * chance.randrange(size)) for n in range(count * 4))
    cuts = sorted(chance.sample(range(1, len(whole)), count - 1))
    return [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]


def reader_of(platform: Platform, attempt_id: str, source: str) -> LogReader:
    return LogReader(platform.database, SegmentStore(platform.objects), attempt_id, SourceFilter((source,)))


async def read_log(platform: Platform, attempt_id: str, source: str) -> bytes:
    """The log as readers get it."""
    found = [line async for piece in reader_of(platform, attempt_id, source).pieces() for line in piece.lines()]
    return "".join(f"{line}\n" for line in found).encode()


async def segments_of(platform: Platform, attempt_id: str) -> list[LogSegmentRow]:
    async with platform.database.transaction() as session:
        statement = select(LogSegmentRow).where(LogSegmentRow.attempt_id == attempt_id)
        return list(await session.scalars(statement.order_by(LogSegmentRow.source, LogSegmentRow.start_byte)))


async def keys_below(platform: Platform, prefix: str) -> set[str]:
    return {key async for key in platform.objects.list(prefix)}


async def removals(platform: Platform) -> list[dict[str, Any]]:
    """Carry out all removals that are asked for, and return them."""
    async with platform.database.transaction() as session:
        statement = select(OutboxRow).where(OutboxRow.kind == objects.DELETE_OBJECTS, OutboxRow.state == "pending")
        found = list(await session.scalars(statement))
        for row in found:
            row.state = "done"
    for row in found:
        await objects.delete(platform.objects, row.payload)
    return [row.payload for row in found]


# -- compaction ----------------------------------------------------------------------------------------------------


async def test_small_segments_become_large_ones_and_the_log_stays_the_same(
    platform: Platform, scope: ProjectScope
) -> None:
    attempt = await (await running_job(platform, scope)).attempt()
    driver = await write_log(platform, attempt, "driver", some_pieces(300, 1))
    worker = await write_log(platform, attempt, "head/12/err", some_pieces(50, 2))
    await attempt.end()
    assert await compaction.compact(platform.database, platform.objects, attempt.id) == 2
    assert await read_log(platform, attempt.id, "driver") == driver
    assert await read_log(platform, attempt.id, "head/12/err") == worker
    rows = await segments_of(platform, attempt.id)
    assert [(row.source, row.number, row.start_byte, row.end_byte) for row in rows] == [
        ("driver", 0, 0, len(driver)),
        ("head/12/err", 0, 0, len(worker)),
    ]
    assert rows[0].end_line == driver.count(b"\n")
    assert len(rows[0].times) == 600
    await removals(platform)
    kept = await keys_below(platform, f"logs/{scope.project_id}/{attempt.id}")
    assert kept == {row.object_key for row in rows}


async def test_a_merged_segment_is_closed_at_its_target(platform: Platform, scope: ProjectScope) -> None:
    attempt = await (await running_job(platform, scope)).attempt()
    pieces = [bytes([65 + n]) * (2**20 - 1) + b"\n" for n in range(10)]
    await write_log(platform, attempt, "driver", pieces)
    await attempt.end()
    await compaction.compact(platform.database, platform.objects, attempt.id)
    sizes = [row.end_byte - row.start_byte for row in await segments_of(platform, attempt.id)]
    assert sizes == [4 * 2**20, 4 * 2**20, 2 * 2**20]


async def test_the_log_of_a_live_attempt_is_left_alone(platform: Platform, scope: ProjectScope) -> None:
    attempt = await (await running_job(platform, scope)).attempt()
    await write_log(platform, attempt, "driver", some_pieces(10, 3))
    assert await compaction.compact(platform.database, platform.objects, attempt.id) == 0
    assert len(await segments_of(platform, attempt.id)) == 10


async def test_compacting_at_once_twice_and_again_is_compacting_once(platform: Platform, scope: ProjectScope) -> None:
    attempt = await (await running_job(platform, scope)).attempt()
    whole = await write_log(platform, attempt, "driver", some_pieces(200, 4))
    await attempt.end()
    made = await asyncio.gather(*(compaction.compact(platform.database, platform.objects, attempt.id) for _ in "ab"))
    assert sum(made) == 1
    assert await compaction.compact(platform.database, platform.objects, attempt.id) == 0
    await removals(platform)
    assert await read_log(platform, attempt.id, "driver") == whole


class Killed(Exception):
    """Stands for the end of the process at this point."""


async def test_killed_between_the_object_and_the_rows_nothing_is_lost(
    platform: Platform, scope: ProjectScope, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = await (await running_job(platform, scope)).attempt()
    whole = await write_log(platform, attempt, "driver", some_pieces(50, 10))
    await attempt.end()

    async def killed(*_: object) -> bool:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(repository, "replace_segments", killed)
        with pytest.raises(Killed):
            await compaction.compact(platform.database, platform.objects, attempt.id)
    assert await read_log(platform, attempt.id, "driver") == whole
    assert await compaction.compact(platform.database, platform.objects, attempt.id) == 1
    await removals(platform)
    assert await read_log(platform, attempt.id, "driver") == whole
    assert len(await keys_below(platform, f"logs/{scope.project_id}/{attempt.id}")) == 1


async def test_a_reader_in_the_middle_reads_on(platform: Platform, scope: ProjectScope) -> None:
    """Its rows are of before, its objects go under it: it looks again and goes on without a gap or a double."""
    attempt = await (await running_job(platform, scope)).attempt()
    whole = await write_log(platform, attempt, "driver", some_pieces(200, 5))
    await attempt.end()
    got: list[str] = []
    async for piece in reader_of(platform, attempt.id, "driver").pieces():
        if not got:
            await compaction.compact(platform.database, platform.objects, attempt.id)
            await removals(platform)
        got += piece.lines()
    assert "".join(f"{line}\n" for line in got).encode() == whole


async def test_a_damaged_part_stops_the_merge_and_loses_nothing(platform: Platform, scope: ProjectScope) -> None:
    attempt = await (await running_job(platform, scope)).attempt()
    await write_log(platform, attempt, "driver", some_pieces(10, 6))
    await attempt.end()
    before = await segments_of(platform, attempt.id)
    await platform.objects.put(before[3].object_key, gzip.compress(b"short"))
    assert await compaction.compact(platform.database, platform.objects, attempt.id) == 0
    await platform.objects.delete(before[3].object_key)
    with pytest.raises(NotFound):
        await compaction.compact(platform.database, platform.objects, attempt.id)
    assert [row.id for row in await segments_of(platform, attempt.id)] == [row.id for row in before]


async def test_neighbours_with_a_gap_are_never_merged_over_it(platform: Platform, scope: ProjectScope) -> None:
    attempt = await (await running_job(platform, scope)).attempt()
    await write_log(platform, attempt, "driver", some_pieces(10, 7))
    await attempt.end()
    rows = await segments_of(platform, attempt.id)
    async with platform.database.transaction() as session:
        await session.delete(await session.get_one(LogSegmentRow, rows[4].id))
    assert await compaction.compact(platform.database, platform.objects, attempt.id) == 2
    spans = [(row.start_byte, row.end_byte) for row in await segments_of(platform, attempt.id)]
    assert spans == [(0, rows[3].end_byte), (rows[5].start_byte, rows[9].end_byte)]


# -- logs past their time ------------------------------------------------------------------------------------------


async def end_long_ago(platform: Platform, attempt: TestAttempt, *, job_too: bool = True) -> None:
    await attempt.end()
    if job_too:
        await attempt.job.end()
    async with platform.database.transaction() as session:
        for row, id_ in ((AttemptRow, attempt.id), (JobRow, attempt.job.id)):
            await session.execute(
                update(row).where(row.id == id_, row.ended_at.is_not(None)).values(ended_at=func.now() - LONG_AGO)
            )


async def test_old_logs_go_and_say_so(platform: Platform, scope: ProjectScope) -> None:
    old = await (await running_job(platform, scope)).attempt()
    live = await (await running_job(platform, scope)).attempt()
    for attempt in (old, live):
        await write_log(platform, attempt, "driver", some_pieces(5, 8))
    await end_long_ago(platform, old)
    done = await asyncio.gather(*(retention.remove_old_logs(platform.database, KEEP) for _ in "ab"))
    assert sum(done) == 1
    await removals(platform)
    assert await keys_below(platform, f"logs/{scope.project_id}/{old.id}") == set()
    assert len(await keys_below(platform, f"logs/{scope.project_id}/{live.id}")) == 5
    assert await read_log(platform, old.id, "driver") == b""
    async with platform.database.transaction() as session:
        event = await session.scalar(select(EventRow).where(EventRow.resource_id == old.job.id))
    assert event is not None
    assert (event.reason, event.attempt) == ("LogsRemoved", 1)


async def test_old_artifacts_go_also_where_there_is_no_log(platform: Platform, scope: ProjectScope) -> None:
    old, live = [await (await running_job(platform, scope)).attempt() for _ in range(2)]
    for attempt in (old, live):
        row = await platform.artifacts.start(scope.project_id, attempt.id, ArtifactStart(path="a", size=5))
        await platform.artifacts.put_part(attempt.id, row.id, 0, pieces_of(b"hello"))
    await end_long_ago(platform, old)
    assert await retention.remove_old_logs(platform.database, KEEP) == 1
    assert await retention.remove_old_logs(platform.database, KEEP) == 0
    await removals(platform)
    assert await keys_below(platform, f"artifacts/{scope.project_id}/{old.id}") == set()
    assert len(await keys_below(platform, f"artifacts/{scope.project_id}/{live.id}")) == 1


async def pieces_of(content: bytes) -> AsyncGenerator[bytes]:
    yield content


async def test_an_old_attempt_of_a_job_that_still_runs_keeps_its_log(platform: Platform, scope: ProjectScope) -> None:
    attempt = await (await running_job(platform, scope)).attempt()
    await write_log(platform, attempt, "driver", some_pieces(5, 9))
    await end_long_ago(platform, attempt, job_too=False)
    assert await retention.remove_old_logs(platform.database, KEEP) == 0


# -- packages ------------------------------------------------------------------------------------------------------


async def add_package(platform: Platform, scope: ProjectScope, **more: Any) -> str:
    digest = "sha256:" + "".join(random.choices("0123456789abcdef", k=64))
    values = {"completed_at": func.now(), "files": 3, "last_used_at": func.now() - LONG_AGO, **more}
    async with platform.database.transaction() as session:
        row = PackageRow(
            project_id=scope.project_id,
            digest=digest,
            size=5,
            created_by="ada",
            created_at=AT - timedelta(days=400),
        )
        for name, value in values.items():
            setattr(row, name, value)
        session.add(row)
    await platform.objects.put(content_key(scope, digest), b"bytes")
    return digest


def content_key(scope: ProjectScope, digest: str) -> str:
    return f"packages/{scope.project_id}/{digest.removeprefix('sha256:')}"


async def package(platform: Platform, scope: ProjectScope, digest: str) -> PackageRow | None:
    async with platform.database.transaction() as session:
        return await session.get(PackageRow, (scope.project_id, digest))


async def sweep(platform: Platform) -> None:
    await asyncio.gather(*(retention.remove_old_packages(platform.database, platform.objects, KEEP) for _ in "ab"))


async def test_a_package_that_nothing_uses_goes_whole(platform: Platform, scope: ProjectScope) -> None:
    digest = await add_package(platform, scope)
    await sweep(platform)
    assert await package(platform, scope, digest) is None
    assert await platform.objects.size(content_key(scope, digest)) is None


async def test_a_package_of_a_live_job_stays(platform: Platform, scope: ProjectScope) -> None:
    digest = await add_package(platform, scope)
    await running_job(platform, scope, package_digest=digest)
    await sweep(platform)
    row = await package(platform, scope, digest)
    assert row is not None
    assert row.completed_at is not None
    assert await platform.objects.get(content_key(scope, digest)) == b"bytes"


async def test_a_package_of_history_loses_its_content_and_keeps_its_row(
    platform: Platform, scope: ProjectScope
) -> None:
    digest = await add_package(platform, scope)
    job = await running_job(platform, scope, package_digest=digest)
    await job.end()
    await sweep(platform)
    await sweep(platform)
    row = await package(platform, scope, digest)
    assert row is not None
    assert (row.completed_at, row.received, row.files) == (None, [], None)
    assert await platform.objects.size(content_key(scope, digest)) is None


async def test_killed_between_content_and_row_a_package_is_emptied_by_the_next(
    platform: Platform, scope: ProjectScope, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = await add_package(platform, scope)

    async def killed(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(repository, "forget_package", killed)
        with pytest.raises(Killed):
            await retention.remove_old_packages(platform.database, platform.objects, KEEP)
    row = await package(platform, scope, digest)
    assert row is not None
    assert row.completed_at is None, "a row never claims content that is gone"
    await sweep(platform)
    assert await package(platform, scope, digest) is None


async def test_a_package_that_was_used_lately_stays(platform: Platform, scope: ProjectScope) -> None:
    digest = await add_package(platform, scope, last_used_at=func.now())
    await sweep(platform)
    assert await platform.objects.size(content_key(scope, digest)) == 5


async def test_an_upload_that_was_given_up_goes_and_one_under_way_stays(
    platform: Platform, scope: ProjectScope
) -> None:
    unfinished = {"completed_at": None, "files": None, "received": [1, 2]}
    given_up = await add_package(platform, scope, **unfinished)
    under_way = await add_package(platform, scope, **unfinished, last_used_at=func.now())
    for digest in (given_up, under_way):
        await platform.objects.put(content_key(scope, digest) + ".parts/1", b"part")
    await sweep(platform)
    assert await package(platform, scope, given_up) is None
    assert await keys_below(platform, content_key(scope, given_up) + ".parts") == set()
    assert await package(platform, scope, under_way) is not None
    assert len(await keys_below(platform, content_key(scope, under_way) + ".parts")) == 1


# -- the rest ------------------------------------------------------------------------------------------------------


async def test_environments_go_only_when_nothing_refers_to_them(platform: Platform, scope: ProjectScope) -> None:
    ids = {name: new_id("environment") for name in ("unused", "used", "named", "fresh")}
    async with platform.database.transaction() as session:
        for name, id_ in ids.items():
            session.add(
                EnvironmentRow(
                    id=id_,
                    project_id=scope.project_id,
                    name="kept" if name == "named" else None,
                    python="3.11",
                    requirements=["six"],
                    request_digest=f"sha256:{name}",
                    created_by="ada",
                    last_used_at=AT if name == "fresh" else AT - timedelta(days=400),
                )
            )
            await session.flush()
            if name == "fresh":
                await session.execute(
                    update(EnvironmentRow).where(EnvironmentRow.id == id_).values(last_used_at=func.now())
                )
    await running_job(platform, scope, environment_id=ids["used"])
    done = await asyncio.gather(*(retention.remove_old_environments(platform.database, KEEP) for _ in "ab"))
    async with platform.database.transaction() as session:
        left = set(await session.scalars(select(EnvironmentRow.id).where(EnvironmentRow.id.in_(ids.values()))))
    assert sum(done) == 1
    assert left == {ids["used"], ids["named"], ids["fresh"]}


async def test_idempotency_keys_live_for_a_day(platform: Platform) -> None:
    async with platform.database.transaction() as session:
        for key, age in (("old", 25), ("young", 23)):
            session.add(
                IdempotencyRow(
                    subject="usr_1",
                    key=key,
                    fingerprint=b"x" * 32,
                    created_at=await session.scalar(select(func.now() - timedelta(hours=age))),
                )
            )
    await asyncio.gather(*(retention.sweep_keys(platform.database) for _ in "ab"))
    async with platform.database.transaction() as session:
        left = await session.scalars(select(IdempotencyRow.key).where(IdempotencyRow.subject == "usr_1"))
        assert list(left) == ["young"]


async def test_old_samples_become_minutes_and_young_ones_stay(platform: Platform, scope: ProjectScope) -> None:
    attempt = await (await running_job(platform, scope)).attempt()
    minute = (datetime.now(UTC) - timedelta(hours=2)).replace(second=0, microsecond=0)
    async with platform.database.transaction() as session:
        for n in range(12):
            session.add(sample(attempt.id, minute + timedelta(seconds=5 * n), cpu=float(n), memory=n * 100))
        session.add(sample(attempt.id, datetime.now(UTC), cpu=7.0, memory=7))
    await asyncio.gather(*(retention.roll_up_samples(platform.database) for _ in "ab"))
    await retention.roll_up_samples(platform.database)
    async with platform.database.transaction() as session:
        statement = select(SampleRow).where(SampleRow.attempt_id == attempt.id).order_by(SampleRow.at)
        old, young = list(await session.scalars(statement))
    assert (old.resolution, old.at, old.cpu_cores, old.memory_bytes) == (60, minute, 5.5, 1100)
    assert (young.resolution, young.cpu_cores) == (0, 7.0)


async def test_a_sample_that_comes_after_its_minute_is_counted_in(platform: Platform, scope: ProjectScope) -> None:
    attempt = await (await running_job(platform, scope)).attempt()
    minute = (datetime.now(UTC) - timedelta(hours=2)).replace(second=0, microsecond=0)
    for seconds, memory in ((1, 100), (2, 900)):
        async with platform.database.transaction() as session:
            session.add(sample(attempt.id, minute + timedelta(seconds=seconds), cpu=1.0, memory=memory))
        await retention.roll_up_samples(platform.database)
    async with platform.database.transaction() as session:
        [row] = await session.scalars(select(SampleRow).where(SampleRow.attempt_id == attempt.id))
    assert (row.resolution, row.memory_bytes, row.cpu_cores, row.gpu_utilisation) == (60, 900, 1.0, None)


def sample(attempt_id: str, at: datetime, *, cpu: float, memory: int) -> SampleRow:
    return SampleRow(
        attempt_id=attempt_id,
        node="head",
        resolution=0,
        at=at,
        cpu_cores=cpu,
        memory_bytes=memory,
        memory_limit_bytes=5000,
    )


async def test_a_removal_is_asked_for_in_the_transaction_that_needs_it(platform: Platform) -> None:
    await platform.objects.put("results/p/a", b"1")
    await platform.objects.put("results/p/below/b", b"1")
    async with platform.database.transaction() as session:
        await objects.ask_to_delete(
            session, "a test", keys=["results/p/a", "results/p/gone"], prefix="results/p/below/"
        )
    async with platform.database.transaction() as session:
        due = await outbox.list_due(session)
    assert objects.DELETE_OBJECTS in [kind for _, kind in due]
    await removals(platform)
    assert await keys_below(platform, "results/p") == set()
