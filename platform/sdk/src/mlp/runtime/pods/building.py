"""The attempt's environment on this node: an overlay, built with uv."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from mlp.runtime import overlays
from mlp.runtime._transport import Backoff
from mlp.runtime.overlays import BadEnvironmentError, IndexAwayError
from mlp.runtime.pods.work import Lock

_UV_SECONDS = 1800.0


def build(lock: Lock, home: Path, seconds: float, say: Callable[[str], None]) -> Path:
    """The Python of the overlay for `lock` at `home`; an index that is away is tried again for `seconds`.

    Raises:
        BadEnvironmentError: the lock cannot be installed, with uv's own words.
        IndexAwayError: the package index was not reached.
    """
    overlays.require_same_python(lock.python)
    if home.is_dir():
        return home / "bin" / "python"
    until = time.monotonic() + seconds
    backoff = Backoff()
    wanted = overlays.missing_lines(lock.lock, overlays.installed())
    say(f"Installing {overlays.count_of(wanted)} packages into the environment.")
    draft = home.with_name(f".{home.name}.draft")
    while True:
        try:
            _build(wanted, draft)
            draft.rename(home)
            return home / "bin" / "python"
        except IndexAwayError as error:
            now = time.monotonic()
            backoff.failed(now)
            if backoff.retry_at >= until:
                raise
            say(f"{error} Trying again.")
            time.sleep(backoff.retry_at - now)


def _build(wanted: list[str], draft: Path) -> None:
    shutil.rmtree(draft, ignore_errors=True)
    cache = draft.with_name(".uv-cache")
    try:
        _uv(draft.parent, cache, overlays.venv_words(sys.executable, draft))
        overlays.put_platform_behind(draft)
        if wanted:
            requirements = draft / "requirements.lock"
            requirements.write_text("\n".join(wanted) + "\n", encoding="utf-8")
            _uv(draft.parent, cache, overlays.install_words(draft, requirements))
    finally:
        # The files are linked from there, and nobody on this node builds the same once more.
        shutil.rmtree(cache, ignore_errors=True)


def _uv(folder: Path, cache: Path, words: tuple[str, ...]) -> None:
    environment = {"UV_CACHE_DIR": str(cache)} | overlays.installer_environment(os.environ)
    program = Path(sys.executable).parent / "uv"
    try:
        done = subprocess.run(
            [str(program), "--no-config", *words], env=environment, cwd=folder, check=False, timeout=_UV_SECONDS,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
    except FileNotFoundError as error:
        raise BadEnvironmentError(f"The image has no {program}, which installs packages.") from error
    except subprocess.TimeoutExpired as error:
        raise IndexAwayError(f"The packages could not be installed within {_UV_SECONDS:g} s.") from error
    if done.returncode != 0:
        raise overlays.failure_of(done.stdout.decode("utf-8", "replace"))
