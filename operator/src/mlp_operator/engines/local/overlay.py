"""Overlays of this machine: see `mlp.runtime.overlays` for what they are.

They are named by the digest of their lock, built under a lock into a temporary name, renamed, and shared read-only
between jobs.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from mlp.runtime import overlays
from mlp_core.domain.execution import EnvironmentLock
from mlp_operator.engines.local.locking import locked
from mlp_operator.engines.local.settings import LocalSettings
from mlp_operator.engines.port import EngineError


class Overlays:
    """Builds and keeps overlays below one folder."""

    def __init__(self, folder: Path, settings: LocalSettings) -> None:
        self._folder = folder
        self._settings = settings

    async def ensure(self, lock: EnvironmentLock, say: Callable[[str], None]) -> Path:
        """The Python of the overlay for `lock`, built first where needed.

        Raises:
            BadEnvironmentError: the lock cannot be installed, with uv's own words.
            EngineError: the package index could not be reached now.
        """
        overlays.require_same_python(lock.python)
        home = self._folder / lock.digest.removeprefix("sha256:")
        self._folder.mkdir(parents=True, exist_ok=True)
        if not home.is_dir():
            say("Waiting for another job that builds the same environment.")
        async with locked(lock_of(home)):
            if not home.is_dir():
                await self._build(lock, home, say)
            os.utime(home)  # last use, for those who clear up; they hold the lock too
        return home / "bin" / "python"

    async def _build(self, lock: EnvironmentLock, home: Path, say: Callable[[str], None]) -> None:
        draft = home.with_name(f".{home.name}.{os.getpid()}")
        await asyncio.to_thread(shutil.rmtree, draft, True)
        try:
            wanted = overlays.missing_lines(lock.lock, overlays.installed())
            say(f"Installing {overlays.count_of(wanted)} packages into the environment.")
            await self._uv(*overlays.venv_words(self._settings.python, draft))
            overlays.put_platform_behind(draft)
            if wanted:
                await self._install(wanted, draft)
            draft.rename(home)
        finally:
            await asyncio.to_thread(shutil.rmtree, draft, True)

    async def _install(self, wanted: list[str], draft: Path) -> None:
        requirements = draft / "requirements.lock"
        requirements.write_text("\n".join(wanted) + "\n", encoding="utf-8")
        await self._uv(*overlays.install_words(draft, requirements))

    async def _uv(self, *words: str) -> None:
        environment = overlays.installer_environment({**os.environ, **dict(self._settings.uv_environment)})
        # A project around the data folder has no say in job environments.
        process = await asyncio.create_subprocess_exec(
            str(self._settings.uv_program), "--no-config", *words, env=environment, cwd=self._folder,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        try:
            output, _ = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
        if process.returncode != 0:
            failure = overlays.failure_of(output.decode("utf-8", "replace"))
            raise EngineError(str(failure)) if isinstance(failure, overlays.IndexAwayError) else failure


def lock_of(home: Path) -> Path:
    """Held by who builds an overlay, takes it into use, or removes it."""
    return home.with_suffix(".lock")
