"""Facts about real processes, and children that start exactly once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from mlp_operator.engines.local import processes, spawn
from mlp_operator.engines.local.state import PidRecord, ProcessPaths, read_record
from mlp_operator.engines.port import EngineError
from support.processes import eventually

PYTHON = Path(sys.executable)


def a_child(tmp_path: Path, *argv: str, once: bool = False, forbidden: tuple[Path, ...] = ()) -> spawn.Detached:
    return spawn.Detached(
        argv=argv, environment={"MLP_CLUSTER": str(tmp_path)}, cwd=tmp_path, paths=ProcessPaths(tmp_path / "child"),
        once=once, forbidden=forbidden,
    )  # fmt: skip


def the_pid(wanted: spawn.Detached) -> PidRecord:
    record = read_record(PidRecord, wanted.paths.pid)
    assert record is not None
    return record


async def test_a_detached_process_is_recorded_and_outlives_its_starter(tmp_path: Path) -> None:
    wanted = a_child(tmp_path, "/bin/sleep", "100")
    assert await spawn.start(PYTHON, wanted)
    record = the_pid(wanted)
    assert processes.is_alive(record)
    assert os.getsid(record.pid) != os.getsid(0)
    assert processes.marked("MLP_CLUSTER", str(tmp_path)) == {record.pid}
    assert not await spawn.start(PYTHON, wanted), "it runs already"
    assert processes.signal_record(record, signal.SIGKILL)
    eventually(lambda: not processes.is_alive(record))
    assert not processes.signal_record(record, signal.SIGKILL)


async def test_once_means_never_again(tmp_path: Path) -> None:
    wanted = a_child(tmp_path, "/bin/sh", "-c", "echo x >> out", once=True)
    assert await spawn.start(PYTHON, wanted)
    eventually(lambda: (tmp_path / "out").exists() and not processes.is_alive(the_pid(wanted)))
    assert not await spawn.start(PYTHON, wanted)
    assert (tmp_path / "out").read_text() == "x\n"
    assert await spawn.start(PYTHON, replace(wanted, once=False))


async def test_what_is_forbidden_does_not_start(tmp_path: Path) -> None:
    wanted = a_child(tmp_path, "/bin/sleep", "100", forbidden=(tmp_path / "deleting",))
    (tmp_path / "deleting").touch()
    assert not await spawn.start(PYTHON, wanted)
    assert not wanted.paths.pid.exists()


async def test_what_cannot_start_says_why(tmp_path: Path) -> None:
    wanted = replace(a_child(tmp_path, "/bin/true"), cgroups=(tmp_path / "nowhere" / "cgroup.procs",))
    with pytest.raises(EngineError, match="No such file"):
        await spawn.start(PYTHON, wanted)


async def test_sigterm_sent_before_the_program_listens_is_kept(tmp_path: Path) -> None:
    program = (
        "import signal, sys, time; time.sleep(0.3); signal.signal(15, lambda *_: sys.exit(open('got', 'w').close()));"
        "signal.pthread_sigmask(signal.SIG_UNBLOCK, {15}); time.sleep(30)"
    )
    wanted = replace(a_child(tmp_path, sys.executable, "-c", program), hold_sigterm=True)
    await spawn.start(PYTHON, wanted)
    processes.signal_record(the_pid(wanted), signal.SIGTERM)
    eventually(lambda: not processes.is_alive(the_pid(wanted)))
    assert (tmp_path / "got").exists()


def test_a_zombie_is_not_alive() -> None:
    child = subprocess.Popen(["/bin/true"])
    eventually(lambda: not processes.is_running(child.pid))
    assert child.pid in processes.all_pids()
    child.wait()


def test_a_later_process_with_the_same_number_is_another_one() -> None:
    ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
    me = PidRecord(os.getpid(), ticks, processes.boot_id())
    assert processes.is_alive(me)
    assert not processes.is_alive(replace(me, start_ticks=ticks - 1))
    assert not processes.is_alive(replace(me, boot_id="before the restart"))
    assert not processes.is_alive(None)


def test_descendants_are_found_at_any_depth() -> None:
    shell = subprocess.Popen(["/bin/sh", "-c", "sh -c 'sleep 100; true'; true"])
    try:
        eventually(lambda: len(processes.descendants([shell.pid])) == 3)
    finally:
        processes.send(processes.descendants([shell.pid]), signal.SIGKILL)
        shell.wait()
