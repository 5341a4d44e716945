"""Checkpoints: whole or not at all, shared by attempts, never from an attempt that was overtaken."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlp import checkpoint
from support.processes import eventually


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MLP_CHECKPOINT_DIR", str(tmp_path / "checkpoints"))
    monkeypatch.setenv("MLP_ATTEMPT", "1")
    return tmp_path / "checkpoints"


def test_before_the_first_there_is_none(folder: Path) -> None:
    assert checkpoint.latest_step() is None
    assert checkpoint.path() is None
    assert checkpoint.load() is None
    assert not folder.exists()


def test_what_was_saved_is_loaded(folder: Path) -> None:
    state = {"step": 7, 3: ("a", None), "bytes": b"\xff"}
    where = checkpoint.save(state, step=7)
    assert checkpoint.load() == checkpoint.load(7) == state
    assert checkpoint.latest_step() == 7
    assert checkpoint.path() == where
    assert where.parent == folder


def test_the_newest_three_are_kept(folder: Path) -> None:
    for step in range(0, 60, 10):
        checkpoint.save({"step": step}, step=step)
    assert checkpoint.steps() == [30, 40, 50]
    assert sorted(name.name for name in folder.iterdir() if name.name.startswith(".saving")) == []


def test_a_step_saved_again_is_replaced(folder: Path) -> None:
    checkpoint.save("first", step=5)
    checkpoint.save("second", step=5)
    assert checkpoint.load(5) == "second"
    assert len([entry for entry in folder.iterdir() if entry.is_dir()]) == 1


def test_a_step_below_the_kept_ones_is_kept_when_it_was_just_saved(folder: Path) -> None:
    for step in (80, 90, 100, 60):
        checkpoint.save(step, step=step)
    assert checkpoint.load(60) == 60
    assert checkpoint.latest_step() == 100


def test_a_later_attempt_goes_on_from_an_earlier_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint.save("of attempt 1", step=10)
    monkeypatch.setenv("MLP_ATTEMPT", "2")
    assert checkpoint.load() == "of attempt 1"
    checkpoint.save("of attempt 2", step=20)
    assert checkpoint.steps() == [10, 20]


def test_an_overtaken_attempt_is_refused_and_changes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLP_ATTEMPT", "2")
    checkpoint.save("of attempt 2", step=20)
    monkeypatch.setenv("MLP_ATTEMPT", "1")
    with pytest.raises(checkpoint.StaleAttemptError, match=r"Attempt 2 .* attempt 1 was overtaken"):
        checkpoint.save("late", step=30)
    assert checkpoint.steps() == [20]


def test_an_attempt_overtaken_while_it_saves_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLP_ATTEMPT", "1")

    def overtaken() -> None:
        with checkpoint.saving(30) as mine:
            (mine / "model").write_text("late")
            monkeypatch.setenv("MLP_ATTEMPT", "2")
            checkpoint.save("of attempt 2", step=20)

    with pytest.raises(checkpoint.StaleAttemptError):
        overtaken()
    assert checkpoint.steps() == [20]


def test_files_of_ones_own_are_kept_only_when_the_block_ends_well(folder: Path) -> None:
    with checkpoint.saving(1) as mine:
        (mine / "shards").mkdir()
        (mine / "shards" / "0").write_text("weights")
    with pytest.raises(ZeroDivisionError), checkpoint.saving(2) as mine:
        (mine / "half").write_text(str(1 / 0))
    assert checkpoint.steps() == [1]
    kept = checkpoint.path()
    assert kept is not None
    assert (kept / "shards" / "0").read_text() == "weights"
    assert not list(folder.glob(".saving-*"))


def test_a_named_step_that_is_not_there_is_an_error(folder: Path) -> None:
    checkpoint.save("x", step=1)
    with pytest.raises(checkpoint.NoCheckpointError, match=r"no checkpoint of step 9; there are \[1\]"):
        checkpoint.load(9)
    with checkpoint.saving(2):
        pass
    with pytest.raises(checkpoint.NoCheckpointError, match="your own files"):
        checkpoint.load(2)
    with pytest.raises(ValueError, match="at least 0"):
        checkpoint.save("x", step=-1)


def test_killed_while_saving_the_older_one_stands_and_the_next_attempt_tidies_up(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint.save("whole", step=1)
    script = (
        "from mlp import checkpoint\nimport time\n"
        "with checkpoint.saving(2) as f:\n (f/'half').write_text('x'); print('in', flush=True); time.sleep(60)"
    )
    writer = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert writer.stdout is not None
    writer.stdout.readline()
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    writer.stdout.close()
    assert checkpoint.load() == "whole"
    assert len(list(folder.glob(".saving-1-*"))) == 1
    monkeypatch.setenv("MLP_ATTEMPT", "2")
    checkpoint.save("next", step=3)
    assert not list(folder.glob(".saving-*"))


def test_many_processes_saving_at_once_leave_only_whole_ones(folder: Path) -> None:
    script = "from mlp import checkpoint\nimport sys\nfor s in range(5): checkpoint.save([int(sys.argv[1]), s], step=s)"
    writers = [subprocess.Popen([sys.executable, "-c", script, str(n)], env=os.environ) for n in range(3)]
    eventually(lambda: all(writer.poll() is not None for writer in writers))
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    assert checkpoint.latest_step() == 4
    assert all(checkpoint.load(step)[1] == step for step in checkpoint.steps())


def unflushed(_: int) -> None:
    """Instead of fsync, where only the logic matters."""


@settings(deadline=None, max_examples=40)
@given(saved=st.lists(st.integers(0, 50), min_size=1, max_size=12))
def test_the_latest_is_always_the_highest_and_loads(tmp_path_factory: pytest.TempPathFactory, saved: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLP_CHECKPOINT_DIR", str(tmp_path_factory.mktemp("checkpoints")))
        patch.setattr(os, "fsync", unflushed)
        for number, step in enumerate(saved):
            checkpoint.save((number, step), step=step)
            assert checkpoint.load(step) == (number, step)
        assert checkpoint.latest_step() == max(saved)
        assert len(checkpoint.steps()) <= checkpoint.KEEP + 1
