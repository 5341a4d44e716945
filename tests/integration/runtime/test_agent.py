"""The agent against a real HTTP server that fails in every way: what is stored is what the files hold."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from mlp.runtime.agent_config import NodeConfig
from support.agent_api import AgentApi, broken_after_storing, broken_before_storing, forgetful, unwell
from support.processes import Agents


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (tmp_path / "logs").mkdir()
    return tmp_path / "logs" / "driver.log"


def stored(api: AgentApi, source: str = "driver") -> bytes:
    return bytes(api.logs[source])


def append(path: Path, content: bytes) -> None:
    with path.open("ab") as stream:
        stream.write(content)


@pytest.mark.parametrize("seed", range(3))
def test_stored_bytes_are_the_files_bytes_whatever_fails(agents: Agents, api: AgentApi, log: Path, seed: int) -> None:
    chance = random.Random(seed)
    kinds = [None, unwell, broken_after_storing, broken_before_storing, forgetful]
    api.faults = chance.choices(kinds, weights=[4, 1, 1, 1, 1], k=40)
    agents.start(driver_log=str(log))
    wanted = b""
    for _ in range(12):
        piece = chance.randbytes(chance.choice([1, 100, 5_000, 1_500_000]))
        append(log, piece)
        wanted += piece
        move = chance.randrange(4)
        if move == 0:
            agents.started[-1].kill()
            agents.started[-1].wait()
            agents.start(driver_log=str(log))
        elif move == 1:
            api.stop()
            api.start()
        else:
            before = api.requests
            api.wait_for(lambda before=before: api.requests > before)
    assert agents.drain() == 0
    assert stored(api) == wanted


@pytest.mark.parametrize(
    "content",
    [
        b"x" * 10_000_000 + b"\nend\n",
        b"\xff\xfe\0\x80 half \xe2\x82",
        b"10%\r20%\r\x1b[32mdone\x1b[0m\r\n",
        b"\n" * 3_000_000,
    ],
    ids=["10 MB line", "no text", "redrawn", "empty lines"],
)
def test_bytes_pass_as_they_are(agents: Agents, api: AgentApi, log: Path, content: bytes) -> None:
    log.write_bytes(content)
    agents.start(driver_log=str(log))
    assert agents.drain() == 0
    assert stored(api) == content


def test_a_new_line_is_stored_within_half_a_second(agents: Agents, api: AgentApi, log: Path) -> None:
    agents.start(driver_log=str(log), poll_seconds=0.2)
    append(log, b"first\n")
    api.wait_for(lambda: stored(api) == b"first\n")
    lags: list[float] = []
    for number in range(8):
        end, written_at = len(stored(api)) + 8, time.monotonic()
        append(log, b"line %02d\n" % number)
        api.wait_for(lambda end=end: len(stored(api)) >= end)
        lags.append(time.monotonic() - written_at)
    assert sorted(lags)[4] < 0.5


def test_200_000_lines_are_shipped_faster_than_a_job_prints_them(agents: Agents, api: AgentApi, log: Path) -> None:
    lines = b"".join(b"epoch %06d loss 0.123456789 accuracy 0.987654321 lr 0.001\n" % n for n in range(200_000))
    agents.start(driver_log=str(log))
    append(log, b"ready\n")
    api.wait_for(lambda: len(stored(api)) == 6)
    began = time.monotonic()
    append(log, lines)
    api.wait_for(lambda: len(stored(api)) == 6 + len(lines))
    rate = 200_000 / (time.monotonic() - began)
    assert stored(api) == b"ready\n" + lines
    assert rate > 100_000
    assert all(segment["length"] <= 1 << 20 for segment in api.segments)


def test_memory_stays_small(agents: Agents, api: AgentApi, log: Path) -> None:
    log.write_bytes(os.urandom(1 << 20) * 20)
    agent = agents.start(driver_log=str(log))
    api.wait_for(lambda: len(stored(api)) == 20 << 20)
    status = Path(f"/proc/{agent.pid}/status").read_text()
    peak_kib = int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))
    assert peak_kib < 40 * 1024


def test_the_api_being_away_delays_and_loses_nothing(agents: Agents, api: AgentApi, log: Path) -> None:
    agents.start(driver_log=str(log))
    append(log, b"before\n")
    api.wait_for(lambda: stored(api) == b"before\n")
    api.stop()
    append(log, b"while away\n")
    agent = agents.started[-1]
    assert agent.stderr is not None
    assert b"the api is away" in agent.stderr.readline()
    api.start()
    api.wait_for(lambda: stored(api) == b"before\nwhile away\n")
    assert agents.drain() == 0


def test_drain_that_cannot_finish_ends_in_time_and_says_so(agents: Agents, api: AgentApi, log: Path) -> None:
    log.write_bytes(b"never shipped\n")
    api.stop()
    agent = agents.start(driver_log=str(log), drain_seconds=0.3)
    assert agent.stderr is not None
    agent.stderr.readline()
    assert agents.drain() == 4


@pytest.mark.parametrize("content", [b"", b"some\n"])
def test_the_attempt_being_over_ends_the_agent(agents: Agents, api: AgentApi, log: Path, content: bytes) -> None:
    log.write_bytes(content)
    api.token = "another"
    assert agents.start(driver_log=str(log)).wait(20) == 3


def test_a_source_the_server_refuses_does_not_hold_up_the_others(agents: Agents, api: AgentApi, log: Path) -> None:
    def refuses_driver(_: AgentApi, request: Any) -> bool:
        api.faults.append(refuses_driver)
        if request.headers.get("X-Log-Source") != "driver":
            return False
        return unwell(api, request)

    api.faults = [refuses_driver]
    log.write_bytes(b"refused\n")
    worker = log.with_name("worker-" + "a" * 8 + "-01000000-77.out")
    worker.write_bytes(b"taken\n")
    agents.start(driver_log=str(log), nodes=(NodeConfig("head", (str(log.parent / "worker-*"),)),))
    api.wait_for(lambda: stored(api, "head/77") == b"taken\n")
    assert stored(api) == b""


def test_a_second_agent_on_the_same_folder_steps_back(agents: Agents, api: AgentApi, log: Path) -> None:
    agents.start(driver_log=str(log))
    append(log, b"x\n")
    api.wait_for(lambda: stored(api) == b"x\n")
    assert agents.start(driver_log=str(log)).wait(20) == 5


def test_times_of_a_segment_say_when_its_bytes_came(agents: Agents, api: AgentApi, log: Path) -> None:
    agents.start(driver_log=str(log))
    before_ms = time.time() * 1000
    append(log, b"one\n")
    api.wait_for(lambda: len(stored(api)) == 4)
    append(log, b"two\n")
    api.wait_for(lambda: len(stored(api)) == 8)
    assert [(s["start"], [offset for offset, _ in s["times"]]) for s in api.segments] == [(0, [0]), (4, [0])]
    first, second = (segment["times"][0][1] for segment in api.segments)
    assert before_ms - 50 <= first <= second <= time.time() * 1000 + 50


def test_every_worker_file_of_a_cluster_of_ones_own_is_a_source(agents: Agents, api: AgentApi, tmp_path: Path) -> None:
    logs = tmp_path / "session_1" / "logs"
    logs.mkdir(parents=True)
    (tmp_path / "session_latest").symlink_to("session_1")
    files = {
        "worker-" + "a" * 56 + "-01000000-4711.out": "cpu-0/4711",
        "worker-" + "a" * 56 + "-01000000-4711.err": "cpu-0/4711/err",
        "worker-" + "b" * 56 + "-4712.out": "cpu-0/4712",
        "raylet.out": None,
    }
    for name in files:
        (logs / name).write_text(name)
    node = NodeConfig("cpu-0", (f"{tmp_path}/session_*/logs/worker-*",))
    agents.start(nodes=(node,))
    assert agents.drain() == 0
    assert {source: bytes(kept).decode() for source, kept in api.logs.items()} == {
        source: name for name, source in files.items() if source
    }


def test_a_pid_used_twice_on_a_node_makes_two_sources_also_after_a_restart(
    agents: Agents, api: AgentApi, tmp_path: Path
) -> None:
    first, second = (tmp_path / f"worker-{letter * 56}-01000000-5.out" for letter in "ba")
    first.write_bytes(b"first\n")
    node = NodeConfig("head", (f"{tmp_path}/worker-*",))
    agents.start(nodes=(node,))
    api.wait_for(lambda: stored(api, "head/5") == b"first\n")
    second.write_bytes(b"second\n")
    api.wait_for(lambda: stored(api, "head/5-" + "a" * 12) == b"second\n")
    agents.drain()
    append(first, b"more\n")
    os.utime(first, (time.time() + 60, time.time() + 60))
    agents.start(nodes=(node,))
    assert agents.drain() == 0
    assert stored(api, "head/5") == b"first\nmore\n"


def test_on_a_shared_cluster_only_workers_of_the_attempt_are_shipped(
    agents: Agents, api: AgentApi, tmp_path: Path
) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    node = NodeConfig("head", (f"{tmp_path}/worker-*",), {"MLP_ATTEMPT_ID": "att_1"}, str(marks))
    (marks / "2000001").write_text("0a000000")  # its worker is dead already
    (tmp_path / "worker-aa-0a000000-2000001.out").write_text("ours, by its mark")
    (tmp_path / "worker-ab-0a000000-2000002.err").write_text("ours, by its Ray job")
    (tmp_path / "worker-ac-0b000000-2000003.out").write_text("nobody knows")
    mine, theirs = (
        subprocess.Popen(["sleep", "60"], env={"MLP_ATTEMPT_ID": attempt}) for attempt in ("att_1", "att_2")
    )
    try:
        (tmp_path / f"worker-ad-{mine.pid}.out").write_text("ours, by its process")
        (tmp_path / f"worker-ae-0c000000-{theirs.pid}.out").write_text("theirs")
        agents.start(nodes=(node,))
        assert agents.drain() == 0
    finally:
        for process in (mine, theirs):
            process.kill()
            process.wait()
    assert {source: bytes(kept).decode() for source, kept in api.logs.items()} == {
        "head/2000001": "ours, by its mark",
        "head/2000002/err": "ours, by its Ray job",
        f"head/{mine.pid}": "ours, by its process",
    }


def test_a_removed_file_is_still_shipped_to_its_end(agents: Agents, api: AgentApi, log: Path) -> None:
    agents.start(driver_log=str(log))
    append(log, b"one\n")
    api.wait_for(lambda: stored(api) == b"one\n")
    api.stop()
    append(log, b"two\n")
    agent = agents.started[-1]
    assert agent.stderr is not None
    agent.stderr.readline()
    log.unlink()
    api.start()
    api.wait_for(lambda: stored(api) == b"one\ntwo\n")


def test_metrics_of_several_processes_arrive_once_and_in_order(agents: Agents, api: AgentApi, tmp_path: Path) -> None:
    script = "from mlp import runtime\nfor n in range(1500): runtime.log_metrics({'loss': n / 2, 'lr': 0.1}, step=n)"
    environment = os.environ | {"MLP_ATTEMPT_DIR": str(tmp_path)}
    writers = [subprocess.Popen([sys.executable, "-c", script], env=environment) for _ in range(2)]
    api.faults = [None, None, broken_after_storing, unwell, broken_before_storing]
    agents.start(metrics_file=str(tmp_path / "metrics.jsonl"))
    assert [writer.wait(30) for writer in writers] == [0, 0]
    assert agents.drain() == 0
    losses = [point for point in api.points if point["key"] == "loss"]
    assert len(api.points) == 6000
    assert sorted(point["step"] for point in losses) == sorted([*range(1500), *range(1500)])
    assert all(point["value"] == point["step"] / 2 for point in losses)


def test_points_that_cannot_be_taken_are_passed_over(agents: Agents, api: AgentApi, tmp_path: Path) -> None:
    def line(**point: Any) -> str:
        return json.dumps({"value": 1, "step": 0, "at": "2026-11-30T12:00:00Z"} | point) + "\n"

    lines = [line(key="a"), "no json\n", line(key="poison"), line(key="b", value="nan"), line(key="c"), '{"half']
    (tmp_path / "metrics.jsonl").write_text("".join(lines))
    agents.start(metrics_file=str(tmp_path / "metrics.jsonl"))
    assert agents.drain() == 0
    assert [point["key"] for point in api.points] == ["a", "c"]


def test_samples_of_several_nodes_come_by_marker_where_there_is_no_cgroup(agents: Agents, api: AgentApi) -> None:
    def cores(node: str) -> list[float]:
        return [sample["cpu_cores"] for post in api.samples if post["node"] == node for sample in post["samples"]]

    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"], env={"MLP_NODE": "busy"})
    idle = subprocess.Popen(["sleep", "60"], env={"MLP_NODE": "idle"})
    try:
        nodes = tuple(
            NodeConfig(name, pids_marker=f"MLP_NODE={name}", memory_limit_bytes=1 << 30) for name in ("busy", "idle")
        )
        agents.start(nodes=nodes, sample_seconds=0.3)
        api.wait_for(lambda: len(cores("idle")) >= 3 and max(cores("busy"), default=0.0) > 0.05)
    finally:
        for process in (busy, idle):
            process.kill()
            process.wait()
    assert max(cores("idle")) < 0.05
    last = next(post["samples"][-1] for post in reversed(api.samples) if post["node"] == "busy")
    assert last["memory_bytes"] > 1_000_000
    assert last["memory_limit_bytes"] == 1 << 30
    assert last["gpus"] == []


def test_a_configuration_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    (tmp_path / "agent.json").write_text("{}")
    command = [sys.executable, "-I", "-m", "mlp.runtime.agent", "--config", str(tmp_path / "agent.json")]
    ended = subprocess.run(command, check=False, capture_output=True)
    assert ended.returncode == 2
    assert b"api_url must be text" in ended.stderr


def test_sigterm_while_the_server_hangs_does_not_outlast_the_drain(agents: Agents, api: AgentApi, log: Path) -> None:
    log.write_bytes(b"x\n")
    agent = agents.start(driver_log=str(log), drain_seconds=1.0)
    api.wait_for(lambda: stored(api) == b"x\n")
    api.stop()
    append(log, b"y\n")
    asked_at = time.monotonic()
    agent.send_signal(signal.SIGTERM)
    assert agent.wait(20) == 4
    assert time.monotonic() - asked_at < 5
