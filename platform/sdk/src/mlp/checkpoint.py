"""Checkpoints that survive their job: saved whole or not at all, and never by an attempt that was overtaken.

    import mlp

    state = mlp.checkpoint.load() or {"step": 0}
    ...
    mlp.checkpoint.save({"step": step, "weights": weights}, step=step)

    with mlp.checkpoint.saving(step) as folder:          # your own files
        torch.save(model.state_dict(), folder / "model.pt")

All attempts of a job share `$MLP_CHECKPOINT_DIR`; outside a job it is `./checkpoints`. Each checkpoint is a folder
that gets its name only when everything in it is on disk. Once an attempt has saved, older attempts are refused: a
process that the platform believed dead cannot overwrite the work of its successor. The `KEEP` highest steps are kept.
"""

from __future__ import annotations

import fcntl
import os
import pickle
import re
import shutil
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mlp.runtime import _json
from mlp.runtime._steps import checkpoint_dir, complete_in, name_of, newest
from mlp.runtime.records import instant

__all__ = ["KEEP", "NoCheckpointError", "StaleAttemptError", "latest_step", "load", "path", "save", "saving", "steps"]

KEEP = 3
_STATE = "state.pickle"
_ABOUT = "about.json"
_FENCE = "fence.json"
_LOCK = ".lock"
_UNFINISHED = re.compile(r"^\.saving-(\d+)-")


class StaleAttemptError(RuntimeError):
    """A later attempt of this job has saved already; this one must end."""


class NoCheckpointError(LookupError):
    """There is no complete checkpoint of that step."""


def latest_step() -> int | None:
    """Step of the newest complete checkpoint of any attempt; None before the first."""
    found = steps()
    return found[-1] if found else None


def steps() -> list[int]:
    """Steps with a complete checkpoint, rising."""
    return sorted({entry.step for entry in complete_in(checkpoint_dir())})


def path(step: int | None = None) -> Path | None:
    """Folder of a checkpoint, the newest by default; None where there is none. Do not write into it."""
    return newest(checkpoint_dir(), step)


def load(step: int | None = None) -> Any:
    """The object given to `save`, the newest by default; None where nothing was saved yet.

    Raises:
        NoCheckpointError: `step` was named and is not there, or holds files of `saving` only.
    """
    folder = path(step)
    if folder is None:
        if step is None:
            return None
        raise NoCheckpointError(f"There is no checkpoint of step {step}; there are {steps()}.")
    try:
        with (folder / _STATE).open("rb") as stream:
            return pickle.load(stream)  # noqa: S301 - written by this same job, into its own folder
    except FileNotFoundError:
        raise NoCheckpointError(
            f"{folder} was saved with `saving`: read your own files there, see `mlp.checkpoint.path`."
        ) from None


def save(state: Any, *, step: int) -> Path:
    """Keep `state`, anything that can be pickled, as the checkpoint of `step`. On disk when this returns.

    Raises:
        StaleAttemptError: a later attempt has saved meanwhile.
    """
    with saving(step) as folder, (folder / _STATE).open("wb") as stream:
        pickle.dump(state, stream, protocol=5)
    return path(step) or checkpoint_dir()


@contextmanager
def saving(step: int) -> Generator[Path]:
    """A folder to fill; it becomes the checkpoint of `step` when the block ends well, and is removed when it raises.

    Raises:
        StaleAttemptError: a later attempt has saved meanwhile; nothing is kept.
    """
    if step < 0:
        raise ValueError("step must be at least 0")
    folder, attempt = checkpoint_dir(), int(os.environ.get("MLP_ATTEMPT", "1"))
    folder.mkdir(parents=True, exist_ok=True)
    _check_fence(folder, attempt)
    unfinished = folder / f".saving-{attempt}-{uuid.uuid4().hex}"
    unfinished.mkdir()
    try:
        yield unfinished
        _json.write_object(unfinished / _ABOUT, {"step": step, "attempt": attempt, "saved_at": instant()})
        _flush(unfinished)
        with _locked(folder):
            _check_fence(folder, attempt)
            _raise_fence(folder, attempt)
            _publish(folder, unfinished, step)
            _tidy(folder, attempt, just_saved=step)
    except FileNotFoundError:
        # A later attempt that saves removes what earlier ones left unfinished, also under their hands.
        _check_fence(folder, attempt)
        raise
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _publish(folder: Path, unfinished: Path, step: int) -> None:
    """Give it its name, in one stroke; a folder that is there cannot be replaced in one, so the name counts up."""
    versions = [entry.version for entry in complete_in(folder) if entry.step == step]
    unfinished.rename(folder / name_of(step, max(versions) + 1 if versions else 0))
    _flush_one(folder)


def _tidy(folder: Path, attempt: int, just_saved: int) -> None:
    complete = complete_in(folder)
    versions = {entry.step: entry.version for entry in complete}
    kept = {*sorted(versions)[-KEEP:], just_saved}
    for entry in complete:
        if entry.step not in kept or entry.version != versions[entry.step]:
            _remove(entry.folder)
    for name in os.listdir(folder):
        left = _UNFINISHED.match(name)
        if left and int(left[1]) < attempt:
            shutil.rmtree(folder / name, ignore_errors=True)


def _remove(complete: Path) -> None:
    """Out of sight first: a reader never finds a half-removed checkpoint under a good name."""
    gone = complete.with_name(f".saving-0-{complete.name}-{uuid.uuid4().hex}")
    complete.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


def _check_fence(folder: Path, attempt: int) -> None:
    try:
        newest = _json.as_integer(_json.read_object(folder / _FENCE).get("attempt"), "attempt")
    except FileNotFoundError:
        return
    if newest > attempt:
        raise StaleAttemptError(
            f"Attempt {newest} of this job has saved a checkpoint; attempt {attempt} was overtaken and must end."
        )


def _raise_fence(folder: Path, attempt: int) -> None:
    _json.write_object(folder / _FENCE, {"attempt": attempt})


@contextmanager
def _locked(folder: Path) -> Generator[None]:
    handle = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _flush(folder: Path) -> None:
    """Everything below `folder` to disk."""
    for parent, _, names in os.walk(folder, topdown=False):
        for name in names:
            _flush_one(Path(parent) / name)
        _flush_one(Path(parent))


def _flush_one(target: Path) -> None:
    handle = os.open(target, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
