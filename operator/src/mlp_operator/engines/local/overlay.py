"""Job environments: a thin virtual environment in front of the platform's own packages.

An overlay has its own packages first and, through one `.pth` file, everything the platform brings behind them. Ray and
the in-job runtime are thus the very ones of the cluster, and only what differs is installed. Overlays are named by the
digest of their lock, built under a lock into a temporary name, renamed, and shared read-only between jobs.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sysconfig
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path

from mlp_core.domain.execution import EnvironmentLock
from mlp_operator.engines.local.locking import locked
from mlp_operator.engines.local.settings import LocalSettings
from mlp_operator.engines.port import EngineError

LAST_LINES = 12
PINNED = re.compile(r"^(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[^\s;\\]+)\s*(\\|--hash=.*)?$")
INDEX_AWAY = re.compile(
    r"error sending request|dns error|connection (refused|reset)|timed? ?out|Failed to fetch|status (code|server)", re.I
)
INHERITED = (
    "PATH",
    "HOME",
    "TMPDIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NETRC",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
)
"""What the installer needs of the operator's environment, besides UV_*; the rest holds the platform's secrets."""


class BadEnvironmentError(Exception):
    """The lock cannot be installed here; trying again does not help."""

    def __init__(self, message: str, *, hint: str | None = None, last_lines: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.hint = hint
        self.last_lines = last_lines


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
        _require_same_python(lock)
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
            wanted = missing_lines(lock.lock, _installed())
            count = sum(1 for line in wanted if PINNED.match(line))
            say(f"Installing {count} packages into the environment.")
            # Relocatable, because the folder is renamed when it is whole.
            await self._uv("venv", "--quiet", "--relocatable", "--python", str(self._settings.python), str(draft))
            _put_platform_behind(draft)
            if wanted:
                await self._install(wanted, draft)
            draft.rename(home)
        finally:
            await asyncio.to_thread(shutil.rmtree, draft, True)

    async def _install(self, wanted: list[str], draft: Path) -> None:
        requirements = draft / "requirements.lock"
        requirements.write_text("\n".join(wanted) + "\n", encoding="utf-8")
        # Never built from source: a package's build code would run with the operator's rights.
        await self._uv(
            *("pip", "install", "--quiet", "--compile-bytecode", "--no-deps", "--no-build"),
            *("--python", str(draft / "bin" / "python"), "--requirements", str(requirements)),
        )

    async def _uv(self, *words: str) -> None:
        kept = {name: value for name, value in os.environ.items() if name in INHERITED or name.startswith("UV_")}
        environment = {**kept, **dict(self._settings.uv_environment), "NO_COLOR": "1"}
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
            raise _explain(output.decode("utf-8", "replace"))


def lock_of(home: Path) -> Path:
    """Held by who builds an overlay, takes it into use, or removes it."""
    return home.with_suffix(".lock")


def _explain(output: str) -> Exception:
    lines = tuple(line.rstrip() for line in output.splitlines() if line.strip())[-LAST_LINES:]
    if INDEX_AWAY.search(output) and "No solution found" not in output:
        return EngineError(f"The package index could not be reached: {lines[-1] if lines else 'no reason given'}")
    return BadEnvironmentError(
        "The environment cannot be installed.",
        hint="Change the requirements and submit again; the last lines are the installer's own.",
        last_lines=lines,
    )


def _require_same_python(lock: EnvironmentLock) -> None:
    ours = sysconfig.get_python_version()
    if not (lock.python == ours or lock.python.startswith(f"{ours}.")):
        raise BadEnvironmentError(
            f"The environment asks for Python {lock.python}; this platform runs Python {ours}.",
            hint=f'Write python: "{ours}" in the environment.',
        )


def missing_lines(lock: str, installed: dict[str, str]) -> list[str]:
    """The lines of `lock` to install: all but those the platform has in the very version.

    A line that ends in a backslash goes on, with hashes, in the next ones; comments go.
    """
    kept: list[str] = []
    for entry in _entries(lock):
        pinned = PINNED.match(entry[0])
        if pinned is None or installed.get(normalized(pinned["name"])) != pinned["version"]:
            kept.extend(entry)
    return kept


def _entries(lock: str) -> Iterator[list[str]]:
    entry: list[str] = []
    for line in lock.splitlines():
        text = line.strip() if not entry else line.rstrip()
        if not text or text.lstrip().startswith("#"):
            continue
        entry.append(text)
        if not text.endswith("\\"):
            yield entry
            entry = []
    if entry:
        yield entry


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _installed() -> dict[str, str]:
    return {normalized(found.name): found.version for found in metadata.distributions() if found.name}


def _put_platform_behind(home: Path) -> None:
    """`addsitedir` also reads the platform's own `.pth` files, and appends."""
    (site,) = (home / "lib").glob("python*/site-packages")
    platform = sysconfig.get_path("purelib")
    (site / "zz-mlp-platform.pth").write_text(f"import site; site.addsitedir({platform!r})\n", encoding="utf-8")
