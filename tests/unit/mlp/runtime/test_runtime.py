"""What a job sees of the platform."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

from mlp import checkpoint, runtime
from mlp.runtime.records import Notice


@pytest.fixture
def in_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    variables = {
        "MLP_PROJECT": "vision",
        "MLP_JOB_ID": "job_1",
        "MLP_ATTEMPT": "2",
        "MLP_ATTEMPT_ID": "att_2",
        "MLP_ATTEMPT_DIR": str(tmp_path),
        "MLP_CHECKPOINT_DIR": str(tmp_path / "checkpoints"),
        "MLP_OUTPUT": str(tmp_path / "output"),
        "MLP_GROUPS": json.dumps({"train": {"replicas": 2, "cpu": 4, "gpu": 0.5, "labels": {"group": "train"}}}),
        "MLFLOW_RUN_ID": "abc",
        "MLP_CHECKPOINT_INTERVAL_SECONDS": "300",
        "MLP_DEADLINE": "2026-12-01T08:00:00+01:00",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return tmp_path


def written(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def test_context_tells_all_of_it(in_job: Path) -> None:
    job = runtime.context()
    assert (job.project, job.job_id, job.attempt, job.attempt_id) == ("vision", "job_1", 2, "att_2")
    assert job.output_dir == in_job / "output"
    assert job.groups == {"train": runtime.Group(2, 4.0, 0.5, {"group": "train"})}
    assert job.checkpoint_interval_seconds == 300
    assert job.mlflow_run_id == "abc"
    assert job.deadline is not None
    assert job.deadline.utcoffset() is not None


def test_previous_checkpoint_is_the_newest_complete_one(in_job: Path) -> None:
    assert runtime.context().previous_checkpoint is None
    kept = checkpoint.save("x", step=3)
    assert runtime.context().previous_checkpoint == kept


def test_outside_a_job_context_says_so_and_the_rest_does_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("MLP_JOB_ID", "MLP_ATTEMPT_DIR"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(runtime.NotInJobError, match="mlp run"):
        runtime.context()
    runtime.log_metrics({"loss": 1.0})
    assert not runtime.should_stop()
    assert runtime.stop_notice() is None
    assert list(tmp_path.iterdir()) == []


def test_should_stop_follows_the_notice(in_job: Path) -> None:
    assert not runtime.should_stop()
    Notice("cancelled by ada", "2026-11-30T12:00:00Z", 20.0).write(in_job)
    assert runtime.should_stop()
    assert runtime.context().should_stop
    assert runtime.stop_notice() == Notice("cancelled by ada", "2026-11-30T12:00:00Z", 20.0)


def test_metrics_are_appended_one_line_each(in_job: Path) -> None:
    runtime.log_metrics({"loss": 0.5, "größe": 2}, step=7)
    points = written(in_job)
    assert [(point["key"], point["value"], point["step"]) for point in points] == [("loss", 0.5, 7), ("größe", 2.0, 7)]
    assert str(points[0]["at"]).endswith("Z")


def test_steps_count_up_where_none_is_given(in_job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "_next_step", 0)
    for _ in range(3):
        runtime.log_metrics({"loss": 1})
    assert [point["step"] for point in written(in_job)] == [0, 1, 2]


def test_numbers_that_are_not_finite_keep_the_file_readable(in_job: Path) -> None:
    runtime.log_metrics({"a": math.nan, "b": math.inf, "c": 1}, step=0)
    assert [point["value"] for point in written(in_job)] == ["nan", "inf", 1.0]


def test_the_runtime_needs_the_standard_library_alone() -> None:
    code = (
        "import sys, mlp.runtime.agent, mlp.runtime.launch, mlp.checkpoint\n"
        "heavy = ('httpx', 'pydantic', 'typer', 'ray', 'mlflow', 'asyncio', 'subprocess')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"
