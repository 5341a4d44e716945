"""The agent stores the output folder at its end: every file whole, or named as missing."""

from __future__ import annotations

import os
import random
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from mlp.runtime.records import ArtifactsRecord
from support.agent_api import (
    ARTIFACT_PART_BYTES,
    AgentApi,
    broken_after_storing,
    broken_before_storing,
    unwell,
)
from support.processes import Agents


@pytest.fixture
def output(tmp_path: Path) -> Path:
    folder = tmp_path / "output"
    folder.mkdir()
    return folder


def record(agents: Agents) -> ArtifactsRecord:
    found = ArtifactsRecord.read(agents.folder / "state")
    assert found is not None
    return found


def drain(agents: Agents, output: Path, **config: Any) -> int:
    agents.start(output_dir=str(output), **config)
    return agents.drain()


def test_all_files_are_stored_once_asked_to_end(agents: Agents, api: AgentApi, output: Path) -> None:
    wanted = {
        "model.bin": os.urandom(3 * ARTIFACT_PART_BYTES + 7),
        "exact.bin": os.urandom(2 * ARTIFACT_PART_BYTES),
        "_SUCCESS": b"",
        "plots/ä b/日本 \n%?.png": b"png",
        "plots/.hidden": b"h",
    }
    for name, content in wanted.items():
        path = output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    assert drain(agents, output) == 0
    assert api.files() == wanted
    size = sum(map(len, wanted.values()))
    assert record(agents) == ArtifactsRecord(5, 5, size, size, done=True)


def test_an_empty_folder_and_none_at_all_are_no_trouble(agents: Agents, api: AgentApi, output: Path) -> None:
    assert drain(agents, output) == 0
    assert drain(agents, output / "absent") == 0
    assert record(agents) == ArtifactsRecord(0, 0, 0, 0, done=True)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_stored_is_the_file_whatever_fails(agents: Agents, api: AgentApi, output: Path, seed: int) -> None:
    chance = random.Random(seed)
    wanted = {f"{number}.bin": chance.randbytes(chance.randrange(5 * ARTIFACT_PART_BYTES)) for number in range(6)}
    for name, content in wanted.items():
        (output / name).write_bytes(content)
    kinds = [None, unwell, broken_after_storing, broken_before_storing]
    api.faults = chance.choices(kinds, weights=[4, 1, 1, 1], k=60)
    assert drain(agents, output) == 0
    assert api.files() == wanted


def test_an_agent_killed_in_the_middle_is_gone_on_from(agents: Agents, api: AgentApi, output: Path) -> None:
    content = os.urandom(40 * ARTIFACT_PART_BYTES)
    (output / "big.bin").write_bytes(content)

    def slow(_: AgentApi, __: object) -> bool:
        api.faults.append(slow)
        time.sleep(0.02)
        return False

    api.faults = [slow]
    first = agents.start(output_dir=str(output))
    first.terminate()
    api.wait_for(lambda: "big.bin" in api.artifacts and api.artifacts["big.bin"].puts >= 10)
    first.kill()
    first.wait()
    assert record(agents).done is False
    assert drain(agents, output) == 0
    assert api.files() == {"big.bin": content}
    assert api.artifacts["big.bin"].puts == 40


def test_bytes_that_were_spoilt_on_their_way_are_sent_again(agents: Agents, api: AgentApi, output: Path) -> None:
    content = os.urandom(2 * ARTIFACT_PART_BYTES)
    (output / "a.bin").write_bytes(content)

    def spoil(owner: AgentApi, request: Any) -> bool:
        if request.path.endswith(":complete"):
            owner.artifacts["a.bin"].content[0] ^= 1
        else:
            owner.faults.insert(0, spoil)
        return False

    api.faults = [spoil]
    assert drain(agents, output) == 0
    assert api.files() == {"a.bin": content}


def test_what_is_no_file_of_the_folder_is_left_out_and_said(agents: Agents, api: AgentApi, output: Path) -> None:
    (output / "sub").mkdir()
    (output / "real.txt").write_text("real")
    (output / "inside").symlink_to("real.txt")
    (output / "outside").symlink_to("/etc/hostname")
    (output / "up").symlink_to("../state")
    (output / "folder").symlink_to("sub")
    (output / "nowhere").symlink_to("nothing")
    os.mkfifo(output / "pipe")
    (output / os.fsdecode(b"latin-\xe9")).write_text("x")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(output / "s"))
        assert drain(agents, output) == 0
    assert api.files() == {"real.txt": b"real", "inside": b"real"}
    told = record(agents)
    assert (told.files, told.left_out_count) == (2, 7)
    assert sorted(told.left_out) == sorted(
        [
            "folder (a link to a folder)",
            "latin-\\udce9 (its name is not Unicode)",
            "nowhere (a link to nothing)",
            "outside (a link that leads out of the folder)",
            "pipe (no regular file)",
            "s (no regular file)",
            "up (a link that leads out of the folder)",
        ]
    )
    assert agents.started[-1].stderr is not None
    assert b"not stored: pipe (no regular file)" in agents.started[-1].stderr.read()


def test_limits_leave_out_what_does_not_fit(agents: Agents, api: AgentApi, output: Path) -> None:
    for name, size in (("a", 600), ("b", 600), ("c", 300), ("d", 1), ("e", 1)):
        (output / name).write_bytes(b"x" * size)
    assert drain(agents, output, artifact_max_bytes=1000, artifact_max_files=3) == 0
    assert set(api.files()) == {"a", "c", "d"}
    assert [text.split(" ", 1)[0] for text in record(agents).left_out] == ["b", "e"]


def test_a_file_the_server_refuses_does_not_hold_up_the_others(agents: Agents, api: AgentApi, output: Path) -> None:
    for name in ("a", "poison", "z"):
        (output / name).write_text(name)
    assert drain(agents, output) == 4
    assert api.files() == {"a": b"a", "z": b"z"}
    told = record(agents)
    assert (told.files, told.files_stored, told.missing, told.done) == (3, 2, ("poison",), True)


@pytest.mark.parametrize("limit", ["artifact_seconds", "artifact_stall_seconds"])
def test_a_store_that_is_down_ends_the_agent_in_time_and_names_the_files(
    agents: Agents, api: AgentApi, output: Path, limit: str
) -> None:
    (output / "lost.bin").write_bytes(b"x")
    api.faults = [unwell] * 1000
    began = time.monotonic()
    assert drain(agents, output, drain_seconds=0.1, **{limit: 1.0}) == 4
    assert time.monotonic() - began < 15
    told = record(agents)
    assert (told.missing, told.bytes_stored, told.done) == (("lost.bin",), 0, True)


def test_after_an_outage_artifacts_and_then_the_log_arrive(
    agents: Agents, api: AgentApi, output: Path, tmp_path: Path
) -> None:
    (output / "a.bin").write_bytes(b"kept")
    log = tmp_path / "driver.log"
    log.write_bytes(b"last words\n")
    api.stop()
    agent = agents.start(output_dir=str(output), driver_log=str(log), drain_seconds=0.3)
    agent.terminate()
    assert agent.stderr is not None
    while b"could not be shipped" not in agent.stderr.readline():
        pass
    api.start()
    assert agent.wait(30) == 0
    assert api.files() == {"a.bin": b"kept"}
    assert bytes(api.logs["driver"]) == b"last words\n"


def test_memory_stays_flat(agents: Agents, api: AgentApi, output: Path) -> None:
    api.part_bytes = 8 << 20
    (output / "big.bin").write_bytes(os.urandom(1 << 20) * 100)
    agent = agents.start(output_dir=str(output))
    agent.terminate()
    api.wait_for(lambda: "big.bin" in api.artifacts and api.artifacts["big.bin"].puts >= 10)
    status = Path(f"/proc/{agent.pid}/status").read_text()
    peak_kib = int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))
    assert agent.wait(30) == 0
    assert peak_kib < 60 * 1024
