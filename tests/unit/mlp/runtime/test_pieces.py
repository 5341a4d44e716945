"""The parts of launcher and agent that need no process."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlp.runtime import _cgroups, _points
from mlp.runtime._json import MalformedError
from mlp.runtime._process import process_table
from mlp.runtime._tail import MAX_TIMES, SEGMENT_BYTES, Tail
from mlp.runtime._transport import Answer, Backoff
from mlp.runtime.agent_config import AgentConfig, NodeConfig
from mlp.runtime.records import ExitRecord, LaunchSpec, Started, StopRequest
from mlp.runtime.workers import Ownership, WorkerFile, started_at, wrapper_script


def append(path: Path, content: bytes) -> None:
    with path.open("ab") as stream:
        stream.write(content)


# -- records --------------------------------------------------------------------------------------------------------


def test_records_come_back_as_they_were_written(tmp_path: Path) -> None:
    spec = LaunchSpec("/w", "/l", {"A": "\udcff\n$"}, argv=("a", ""), grace_seconds=1, timeout_seconds=2.5)
    exited = ExitRecord("2026-11-30T12:00:00Z", "2026-11-30T12:00:01Z", pid=1, signal=9, oom_kills=2, left_pids=(3,))
    for record in (spec, Started(1, 2, "2026-11-30T12:00:00Z"), StopRequest(0.0, "x"), exited):
        record.write(tmp_path)
        assert type(record).read(tmp_path) == record


def test_agent_configuration_comes_back_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    node = NodeConfig("head", ("/a/*",), {"X": "1"}, "/m", "/c", "/d", "N=1", 5, (0, 1))
    config = AgentConfig("http://x", "att", "/s", "secret", (node, NodeConfig("gpu-0")), "/log", "/metrics", 0.1)
    config.write(tmp_path / "agent.json")
    assert AgentConfig.read(tmp_path / "agent.json") == config
    assert (tmp_path / "agent.json").stat().st_mode & 0o777 == 0o600
    assert "secret" not in repr(config)


@pytest.mark.parametrize(
    "values", [{}, {"argv": ()}, {"argv": ("a",), "shell": "b"}, {"shell": "b", "grace_seconds": -1.0}]
)
def test_a_launch_that_means_nothing_is_refused(values: dict[str, object]) -> None:
    with pytest.raises(MalformedError):
        LaunchSpec("/w", "/l", {}, **values)  # type: ignore[arg-type]


# -- tails ----------------------------------------------------------------------------------------------------------


def drained(tail: Tail) -> bytes:
    found = b""
    while (segment := tail.next_segment()) is not None:
        assert segment.start == tail.cursor
        assert len(segment.data) <= SEGMENT_BYTES
        found += segment.data
        tail.go_to(segment.start + len(segment.data))
    return found


def test_a_missing_file_is_empty_until_it_comes(tmp_path: Path) -> None:
    tail = Tail("driver", str(tmp_path / "log"))
    tail.observe(1)
    assert tail.next_segment() is None
    append(tmp_path / "log", b"x")
    tail.observe(2)
    assert drained(tail) == b"x"


def test_a_full_segment_ends_with_a_line_and_a_line_longer_than_one_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "log"
    append(path, b"a" * (SEGMENT_BYTES - 10) + b"\n" + b"b" * (2 * SEGMENT_BYTES))
    tail = Tail("driver", str(path))
    tail.observe(1)
    first = tail.next_segment()
    assert first is not None
    assert first.data.endswith(b"a\n")
    tail.go_to(len(first.data))
    second = tail.next_segment()
    assert second is not None
    assert second.data == b"b" * SEGMENT_BYTES


def test_a_replaced_and_a_cut_file_go_on_as_one_stream(tmp_path: Path) -> None:
    path = tmp_path / "log"
    append(path, b"first\n")
    tail = Tail("driver", str(path))
    tail.observe(1)
    path.rename(tmp_path / "log.1")
    append(tmp_path / "log.1", b"late\n")
    append(path, b"second\n")
    tail.observe(2)
    tail.follow_replacement()
    found = drained(tail)
    tail.follow_replacement()
    tail.observe(3)
    found += drained(tail)
    assert found == b"first\nlate\nsecond\n"
    path.write_bytes(b"3\n")
    tail.observe(4)
    assert drained(tail) == b"3\n"
    assert (tail.cursor, tail.base) == (20, 18)


def test_a_server_that_forgot_what_is_gone_closes_the_stream_over_the_hole(tmp_path: Path) -> None:
    path = tmp_path / "log"
    append(path, b"kept")
    tail = Tail("driver", str(path), base=100, cursor=104, inode=path.stat().st_ino)
    tail.observe(1)
    tail.go_to(50)
    segment = tail.next_segment()
    assert segment is not None
    assert (segment.start, segment.data) == (50, b"kept")


def test_a_file_replaced_while_no_agent_ran_goes_on_where_the_server_is(tmp_path: Path) -> None:
    path = tmp_path / "log"
    append(path, b"new file")
    tail = Tail("driver", str(path), inode=path.stat().st_ino + 1)
    tail.observe(1)
    tail.go_to(1000)
    segment = tail.next_segment()
    assert segment is not None
    assert (segment.start, segment.data) == (1000, b"new file")


def test_a_file_that_lost_its_end_ships_what_is_appended(tmp_path: Path) -> None:
    path = tmp_path / "log"
    append(path, b"half")
    tail = Tail("driver", str(path))
    tail.observe(1)
    tail.go_to(10)
    append(path, b"new")
    tail.observe(2)
    segment = tail.next_segment()
    assert segment is not None
    assert (segment.start, segment.data) == (10, b"new")


def test_times_are_bounded_and_rise(tmp_path: Path) -> None:
    path = tmp_path / "log"
    tail = Tail("driver", str(path))
    for number in range(1000):
        append(path, b"x\n")
        os.utime(path, (number, number))
        tail.observe(10**12)
    segment = tail.next_segment()
    assert segment is not None
    assert 0 < len(segment.times) <= MAX_TIMES
    assert segment.times[0] == (0, 0)
    assert segment.times == sorted(segment.times)
    assert all(0 <= offset < len(segment.data) for offset, _ in segment.times)
    tail.go_to(1000)
    later = tail.next_segment()
    assert later is not None
    assert later.times[0] == (0, 500_000)


@settings(deadline=None)
@given(pieces=st.lists(st.binary(max_size=40), max_size=20), rewinds=st.lists(st.integers(0, 400), max_size=20))
def test_whatever_the_server_asks_for_it_gets_the_files_bytes(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], rewinds: list[int]
) -> None:
    path = tmp_path_factory.mktemp("tail") / "log"
    tail, stored = Tail("driver", str(path)), bytearray()
    for number, piece in enumerate(pieces):
        append(path, piece)
        tail.observe(number)
        if number < len(rewinds):
            del stored[rewinds[number] :]
            tail.go_to(len(stored))
        segment = tail.next_segment()
        if segment is not None:
            assert segment.start == len(stored)
            stored += segment.data
            tail.go_to(len(stored))
    assert bytes(stored) + drained(tail) == b"".join(pieces)
    tail.close()


# -- whose file ------------------------------------------------------------------------------------------------------


def test_names_of_worker_files() -> None:
    assert WorkerFile.of("/l/worker-ab-01000000-7.err") == WorkerFile(
        "/l/worker-ab-01000000-7.err", "ab", "01000000", 7, is_err=True
    )
    assert WorkerFile.of("/l/worker-ab-7.out") == WorkerFile("/l/worker-ab-7.out", "ab", None, 7, is_err=False)
    assert WorkerFile.of("/l/python core?.log").worker_id == "python_core_.log"


def test_a_mark_of_an_older_process_with_the_same_pid_is_not_believed(tmp_path: Path) -> None:
    (tmp_path / "77").write_text("")
    old, new = tmp_path / "worker-aa-77.out", tmp_path / "worker-ab-77.out"
    old.write_text("an earlier process")
    new.write_text("ours")
    os.utime(old, (1, 1))
    ownership = Ownership({"MLP_ATTEMPT_ID": "no process has this"}, str(tmp_path))
    ownership.refresh()
    assert ownership.owns(WorkerFile.of(str(old))) is None
    assert ownership.owns(WorkerFile.of(str(new))) is True


def test_a_process_younger_than_the_file_did_not_write_it(tmp_path: Path) -> None:
    file = tmp_path / f"worker-aa-01000000-{os.getpid()}.out"
    file.write_text("x")
    name, value = next((name, value) for name, value in os.environ.items() if name == "PATH")
    assert Ownership({name: value}, None).owns(WorkerFile.of(str(file))) is True
    os.utime(file, (1, 1))
    assert Ownership({name: value}, None).owns(WorkerFile.of(str(file))) is None
    assert Ownership({name: "other"}, None).owns(WorkerFile.of(str(file))) is None
    born = started_at(os.getpid())
    assert born is not None
    os.utime(file, (born + 5, born + 5))
    assert Ownership({name: "other"}, None).owns(WorkerFile.of(str(file))) is False


def test_the_wrapper_marks_the_worker_under_the_pid_it_keeps(tmp_path: Path) -> None:
    code, marks = tmp_path / "the code", tmp_path / "marks"
    code.mkdir()
    marks.mkdir()
    script = tmp_path / "python"
    script.write_text(wrapper_script("/bin/sh", str(code), str(marks)))
    script.chmod(0o755)
    environment = {"RAY_JOB_ID": "0a000000"}
    ended = subprocess.run(
        [script, "-c", 'echo $$; pwd; echo "$0"', "a b"], env=environment, capture_output=True, text=True, check=True
    )
    pid, folder, argument = ended.stdout.splitlines()
    assert (folder, argument) == (str(code), "a b")
    assert (marks / pid).read_text() == "0a000000"
    marks.joinpath(pid).unlink()
    marks.rmdir()
    unmarked = subprocess.run([script, "-c", "echo ran"], env=environment, capture_output=True, text=True, check=True)
    assert (unmarked.stdout, unmarked.stderr) == ("ran\n", "")


# -- metrics, cgroups, answers ---------------------------------------------------------------------------------------


def test_batches_end_with_whole_lines_and_never_stand_still(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    assert _points.read_batch(str(path), 0) is None
    point = b'{"key":"a","value":1,"step":0,"at":"2026-11-30T12:00:00Z"}\n'
    path.write_bytes(point * 3 + point[:10])
    batch = _points.read_batch(str(path), 0)
    assert batch is not None
    assert (batch.end, len(batch.points)) == (3 * len(point), 3)
    assert _points.read_batch(str(path), batch.end) is None
    skipped = _points.read_batch(str(path), 0, limit=0)
    assert skipped == _points.Batch(0, len(point), [])
    path.write_bytes(b"x" * 1_000_000)
    endless = _points.read_batch(str(path), 0)
    assert endless is not None
    assert endless.end > 0


@pytest.mark.parametrize(
    ("files", "kills", "used", "limit", "seconds"),
    [
        (
            {
                "memory.events": "low 0\noom 3\noom_kill 2\n",
                "memory.current": "5000\n",
                "memory.stat": "anon 1\ninactive_file 1000\n",
                "memory.max": "max\n",
                "cpu.stat": "usage_usec 2500000\nuser_usec 1\n",
            },
            2,
            4000,
            None,
            2.5,
        ),
        (
            {
                "memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n",
                "memory.usage_in_bytes": "7000\n",
                "memory.stat": "total_inactive_file 9000\n",
                "memory.limit_in_bytes": "8000\n",
                "cpuacct.usage": "1500000000\n",
            },
            4,
            0,
            8000,
            1.5,
        ),
        ({}, None, None, None, None),
    ],
    ids=["v2", "v1", "gone"],
)
def test_what_control_groups_say(
    tmp_path: Path, files: dict[str, str], kills: int | None, used: int | None, limit: int | None, seconds: float | None
) -> None:
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    assert _cgroups.oom_kills(str(tmp_path)) == kills
    assert _cgroups.memory_bytes(str(tmp_path)) == used
    assert _cgroups.memory_limit_bytes(str(tmp_path)) == limit
    assert _cgroups.cpu_seconds(str(tmp_path)) == seconds


def test_backoff_grows_to_five_seconds_and_no_further() -> None:
    backoff = Backoff()
    delays: list[float] = []
    for _ in range(12):
        backoff.failed(100.0)
        delays.append(backoff.retry_at - 100.0)
    assert 0.05 <= delays[0] <= 0.1
    assert all(delay <= 5.0 for delay in delays)
    assert delays[-1] >= 2.5
    backoff.succeeded()
    assert backoff.retry_at == 0.0


def test_what_an_answer_means() -> None:
    assert Answer(200, b'{"next_byte": 7}').next_byte == 7
    assert Answer(409, b'{"code": "log_gap", "data": {"next_byte": 7}}').next_byte == 7
    assert Answer(502, b"<html>").next_byte is None
    assert not Answer(429, b"").is_refusal
    assert Answer(422, b"").is_refusal


def test_the_process_table_reads_names_with_spaces_and_parentheses(tmp_path: Path) -> None:
    odd = tmp_path / "a) S 1 (b"
    odd.symlink_to("/bin/sleep")
    process = subprocess.Popen([odd, "60"])
    try:
        info = next(info for info in process_table() if info.pid == process.pid)
        assert (info.parent, info.name, info.is_zombie) == (os.getpid(), "a) S 1 (b", False)
    finally:
        process.kill()
        process.wait()
