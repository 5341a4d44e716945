"""What the engine keeps on this machine's disk beyond a job, and how it goes: environments and checkpoints.

Code and output need nothing here: they lie in the attempt's folder and go with it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from datetime import datetime, timedelta
from pathlib import Path

from mlp_operator.engines.local.locking import locked
from mlp_operator.engines.local.overlay import lock_of
from mlp_operator.engines.local.state import Layout, WorkRecord, read_record
from mlp_operator.engines.local.works import modified_at

DRAFT_AGE = timedelta(days=1)
"""What is built takes minutes; a draft this old was left by a process that was killed."""
_GONE = ".gone."


class Retention:
    """Several operators may do this to one folder at once."""

    def __init__(self, data_dir: Path) -> None:
        self._layout = Layout(data_dir)

    async def remove_overlays(self, unused: timedelta, now: datetime) -> list[str]:
        """Remove environments that no work has used for so long, and what broken-off builds left; their names."""
        unused_since = now - unused
        folder = self._layout.environments
        homes = [entry for entry in await asyncio.to_thread(_entries, folder) if entry.is_dir()]
        removed: list[str] = []
        for home in homes:
            if home.name.startswith("."):
                await asyncio.to_thread(_remove_draft, home, now - DRAFT_AGE)
            elif _is_older(home, unused_since) and await self._remove_overlay(home, unused_since):
                removed.append(home.name)
        return removed

    async def _remove_overlay(self, home: Path, unused_since: datetime) -> bool:
        """Under the lock that whoever takes it into use holds too, so that both see what the other did."""
        async with locked(lock_of(home)):
            if not _is_older(home, unused_since) or home.name in await asyncio.to_thread(self._overlays_in_use):
                return False
            away = _put_away(home)
        await asyncio.to_thread(shutil.rmtree, away, True)
        return True

    def _overlays_in_use(self) -> frozenset[str]:
        """Digests that works name. A work is written down before its environment is made ready."""
        files = self._layout.clusters.glob("*/works/*/.engine/work.json")
        works = [work for file in files if (work := read_record(WorkRecord, file)) is not None]
        return frozenset(work.environment.digest.removeprefix("sha256:") for work in works if work.environment)

    def checkpoints(self) -> frozenset[str]:
        """Keys of all checkpoint folders: ids of jobs."""
        return frozenset(entry.name for entry in _entries(self._layout.checkpoints) if not entry.name.startswith("."))

    def put_away_checkpoint(self, key: str) -> None:
        """Take a checkpoint folder away from its job, at once; `clear_up` removes it."""
        folder = self._layout.checkpoint(key)
        if folder.is_dir():
            _put_away(folder)

    def checkpoint_age(self, key: str, now: datetime) -> timedelta:
        """Since the folder itself was last changed; none where it is not there."""
        changed = modified_at(self._layout.checkpoint(key))
        return now - changed if changed is not None else timedelta()

    async def clear_up(self) -> None:
        """Remove the checkpoints that were put away, by whomever."""
        for entry in await asyncio.to_thread(_entries, self._layout.checkpoints):
            if entry.name.startswith(_GONE):
                await asyncio.to_thread(shutil.rmtree, entry, True)


def _entries(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def _is_older(path: Path, than: datetime) -> bool:
    changed = modified_at(path)
    return changed is not None and changed < than


def _put_away(folder: Path) -> Path:
    """Out of its place in one step. Names never meet: a folder of the same name may be put away again later."""
    away = folder.with_name(f"{_GONE}{folder.name}.{os.urandom(6).hex()}")
    return folder.rename(away)


def _remove_draft(draft: Path, left_since: datetime) -> None:
    """A build that was broken off, or an environment put away by an operator that was killed then."""
    if draft.name.startswith(_GONE) or _is_older(draft, left_since):
        shutil.rmtree(draft, ignore_errors=True)
