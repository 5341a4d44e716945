"""How checkpoints lie in their folder. A folder named `step-...` is complete; anything else is not there yet."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

_COMPLETE = re.compile(r"^step-(\d+)(?:\.(\d+))?$")


class Complete(NamedTuple):
    """One complete checkpoint. A step that was saved again has a second version until the first is removed."""

    step: int
    version: int
    folder: Path


def checkpoint_dir() -> Path:
    """Shared by all attempts of the job; `./checkpoints` outside one."""
    return Path(os.environ.get("MLP_CHECKPOINT_DIR", "checkpoints"))


def complete_in(folder: Path) -> list[Complete]:
    """Rising by step and version."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    matches = ((name, _COMPLETE.match(name)) for name in names)
    return sorted(Complete(int(match[1]), int(match[2] or 0), folder / name) for name, match in matches if match)


def newest(folder: Path, step: int | None = None) -> Path | None:
    """Folder of the newest checkpoint, or of the newest version of `step`."""
    wanted = [entry for entry in complete_in(folder) if step is None or entry.step == step]
    return wanted[-1].folder if wanted else None


def name_of(step: int, version: int) -> str:
    return f"step-{step:012d}" + (f".{version}" if version else "")
