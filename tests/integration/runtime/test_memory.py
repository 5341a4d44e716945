"""A kill by the kernel for memory is told apart from any other kill, by a real control group."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mlp.runtime import _cgroups
from support.processes import Job, eventually

LIMIT_BYTES = 96 << 20
_V1 = Path("/sys/fs/cgroup/memory")
_V2 = Path("/sys/fs/cgroup")


@pytest.fixture
def group() -> Iterator[Path]:
    """A memory control group of 96 MiB, where the machine lets us make one."""
    is_v1 = _V1.is_dir()
    folder = (_V1 if is_v1 else _V2) / f"mlp-test-{os.getpid()}"
    try:
        folder.mkdir()
        (folder / ("memory.limit_in_bytes" if is_v1 else "memory.max")).write_text(str(LIMIT_BYTES))
    except OSError as error:
        if folder.is_dir():
            folder.rmdir()
        pytest.skip(f"no memory control group can be made here: {error}")
    yield folder
    eventually(lambda: not (folder / "cgroup.procs").read_text())
    folder.rmdir()


def test_a_driver_killed_by_the_kernel_for_memory_leaves_evidence(job: Job, group: Path) -> None:
    grow = "keep = []\nwhile True: keep.append(bytearray(8_000_000))"
    record = job.run(
        shell=f"echo $$ > {group}/cgroup.procs && exec {sys.executable} -c '{grow}'", cgroup_memory=str(group)
    )
    assert (record.exit_code, record.signal) == (None, signal.SIGKILL)
    assert record.oom_kills >= 1
    assert record.max_rss_bytes > LIMIT_BYTES // 2
    assert not record.killed


def test_a_kill_by_a_person_is_none_for_memory(job: Job, group: Path) -> None:
    record = job.run(shell=f"echo $$ > {group}/cgroup.procs; kill -9 $$", cgroup_memory=str(group))
    assert (record.signal, record.oom_kills) == (signal.SIGKILL, 0)


def test_use_and_limit_are_read_from_the_group(job: Job, group: Path) -> None:
    hold = "keep = bytearray(b'x') * 30_000_000; print('ready', flush=True); input()"
    os.mkfifo(job.folder / "fifo")
    line = f'echo $$ > {group}/cgroup.procs; exec {sys.executable} -c "{hold}" < ../fifo'
    job.start(shell=line)
    with (job.folder / "fifo").open("w") as gate:
        job.says("ready")
        assert _cgroups.memory_limit_bytes(str(group)) == LIMIT_BYTES
        used = _cgroups.memory_bytes(str(group))
        gate.write("\n")
    job.wait()
    assert used is not None
    assert 30_000_000 < used < LIMIT_BYTES
