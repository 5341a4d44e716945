"""In a job: who am I, where may I write, should I stop, and these are my metrics.

    from mlp import runtime

    job = runtime.context()
    for step in range(1000):
        runtime.log_metrics({"loss": loss}, step=step)
        if runtime.should_stop():
            break

`log_metrics` and `should_stop` also work outside a job, where they do nothing, so that the same script runs on a
laptop. Everything is standard library: the module works under any Python that a job brings.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import SupportsFloat

from mlp.runtime import _json
from mlp.runtime._steps import checkpoint_dir, newest
from mlp.runtime.records import METRICS_FILE, NOTICE_FILE, Notice, instant

__all__ = ["Context", "Group", "NotInJobError", "Notice", "context", "log_metrics", "should_stop", "stop_notice"]


class NotInJobError(RuntimeError):
    """This process is no part of a job of the platform."""


@dataclass(frozen=True, slots=True)
class Group:
    """A worker group of this job's cluster."""

    replicas: int
    """As asked for; the smallest number where it may grow."""
    cpu: float
    """Cores of each replica."""
    gpu: float
    labels: Mapping[str, str]
    """What Ray's label selectors match, such as `{"group": "train"}`."""


@dataclass(frozen=True, slots=True)
class Context:
    """What the platform told this job about itself."""

    project: str
    job_id: str
    attempt: int
    """1 for the first try."""
    attempt_id: str
    checkpoint_dir: Path
    """Shared by all attempts of the job."""
    output_dir: Path
    """Files left here are kept as artifacts of the job when the attempt ends."""
    groups: Mapping[str, Group]
    """Worker groups by name; the head is none of them."""
    mlflow_run_id: str | None
    deadline: datetime | None
    """By when the whole job must have ended; None where it may take its time."""
    checkpoint_interval_seconds: float | None
    """How often the job was asked to save; a hint."""

    @property
    def previous_checkpoint(self) -> Path | None:
        """The newest complete checkpoint, of this attempt or an earlier one; None before the first."""
        return newest(self.checkpoint_dir)

    @property
    def should_stop(self) -> bool:
        return should_stop()


def context() -> Context:
    """Where am I?

    Raises:
        NotInJobError: outside a job.
    """
    variables = os.environ
    if "MLP_JOB_ID" not in variables:
        raise NotInJobError("This process is no part of a job: MLP_JOB_ID is not set. Submit it with `mlp run`.")
    folder = Path(variables.get("MLP_ATTEMPT_DIR", "."))
    groups = _json.as_object(json.loads(variables.get("MLP_GROUPS") or "{}"), "MLP_GROUPS")
    deadline = variables.get("MLP_DEADLINE")
    interval = variables.get("MLP_CHECKPOINT_INTERVAL_SECONDS")
    return Context(
        project=variables.get("MLP_PROJECT", ""),
        job_id=variables["MLP_JOB_ID"],
        attempt=int(variables.get("MLP_ATTEMPT", "1")),
        attempt_id=variables.get("MLP_ATTEMPT_ID", ""),
        checkpoint_dir=checkpoint_dir(),
        output_dir=Path(variables.get("MLP_OUTPUT", folder / "output")),
        groups={name: _group(name, value) for name, value in groups.items()},
        mlflow_run_id=variables.get("MLFLOW_RUN_ID"),
        deadline=datetime.fromisoformat(deadline) if deadline else None,
        checkpoint_interval_seconds=float(interval) if interval else None,
    )


def log_metrics(metrics: Mapping[str, SupportsFloat], step: int | None = None) -> None:
    """Record numbers of this attempt, such as `{"loss": 0.1}`.

    They are appended to a file beside the job and shipped from there: this never waits for the network, and an outage
    of the platform loses none. `step` counts up from 0 by itself where it is not given. Any process of the job may
    call it. Numbers that are not finite are kept in the file but not shown by the platform.
    """
    global _next_step
    if step is None:
        step, _next_step = _next_step, _next_step + 1
    folder = os.environ.get("MLP_ATTEMPT_DIR")
    if folder is None or not metrics:
        return
    at = instant()
    points = [
        {"key": str(key), "value": _plain(float(value)), "step": int(step), "at": at} for key, value in metrics.items()
    ]
    lines = "".join(json.dumps(point, separators=(",", ":")) + "\n" for point in points).encode()
    # One append, so that lines of several processes never mix.
    handle = os.open(os.path.join(folder, METRICS_FILE), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        written = os.write(handle, lines)
    finally:
        os.close(handle)
    if written < len(lines):
        sys.stderr.write("mlp: the disk is full; metrics of this step are incomplete\n")


def should_stop() -> bool:
    """True once the job was asked to end: cancelled, or about to lose its machine. Cheap enough for every step."""
    folder = os.environ.get("MLP_ATTEMPT_DIR")
    return folder is not None and os.path.exists(os.path.join(folder, NOTICE_FILE))


def stop_notice() -> Notice | None:
    """Why and since when the job should end; None while it may go on."""
    folder = os.environ.get("MLP_ATTEMPT_DIR")
    return None if folder is None else Notice.read(Path(folder))


def _group(name: str, value: object) -> Group:
    source = _json.as_object(value, f"MLP_GROUPS.{name}")
    return Group(
        replicas=_json.as_integer(source.get("replicas", 1), "replicas"),
        cpu=_json.as_number(source.get("cpu", 0.0), "cpu"),
        gpu=_json.as_number(source.get("gpu", 0.0), "gpu"),
        labels=_json.as_text_map(source.get("labels", {}), "labels"),
    )


def _plain(value: float) -> float | str:
    """JSON knows no NaN and no infinity."""
    return value if math.isfinite(value) else str(value)


_next_step = 0
