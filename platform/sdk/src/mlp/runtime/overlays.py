"""Job environments: a thin virtual environment in front of the packages that the platform brings.

An overlay has its own packages first and, through one `.pth` file, everything of the platform's Python behind them. Ray
and the in-job runtime are thus the very ones of the cluster, and only what differs is installed. What both engines
need to build one with uv is here; when and where it is built is theirs.
"""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path

LAST_LINES = 12
PINNED = re.compile(r"^(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[^\s;\\]+)\s*(\\|--hash=.*)?$")
_INDEX_AWAY = re.compile(
    r"error sending request|dns error|connection (refused|reset)|timed? ?out|Failed to fetch|status (code|server)", re.I
)
_INHERITED = frozenset(
    {"PATH", "HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR", "NETRC"}
    | {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"}
)
"""What the installer needs of the environment, besides UV_*; the rest may hold secrets."""


class BadEnvironmentError(Exception):
    """The lock cannot be installed here; trying again does not help."""

    def __init__(self, message: str, *, hint: str | None = None, last_lines: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.hint = hint
        self.last_lines = last_lines


class IndexAwayError(Exception):
    """The package index could not be reached now."""


def venv_words(python: str | Path, folder: Path) -> tuple[str, ...]:
    """The words after `uv` that make an empty overlay. It may be renamed when it is whole."""
    return ("venv", "--quiet", "--relocatable", "--python", str(python), str(folder))


def install_words(folder: Path, requirements: Path) -> tuple[str, ...]:
    """The words after `uv` that fill it. Never built from source: a package's build code would run with our rights."""
    return (
        *("pip", "install", "--quiet", "--compile-bytecode", "--no-deps", "--no-build"),
        *("--python", str(folder / "bin" / "python"), "--requirements", str(requirements)),
    )


def installer_environment(given: Mapping[str, str]) -> dict[str, str]:
    """What of an environment the installer sees."""
    kept = {name: value for name, value in given.items() if name in _INHERITED or name.startswith("UV_")}
    return {**kept, "NO_COLOR": "1"}


def require_same_python(python: str) -> None:
    """Raises `BadEnvironmentError` where a lock is for another Python than this one."""
    ours = sysconfig.get_python_version()
    if not (python == ours or python.startswith(f"{ours}.")):
        raise BadEnvironmentError(
            f"The environment asks for Python {python}; this platform runs Python {ours}.",
            hint=f'Write python: "{ours}" in the environment.',
        )


def failure_of(output: str) -> BadEnvironmentError | IndexAwayError:
    """What an installer that failed has said, told apart: the lock's fault, or the index is away."""
    lines = tuple(line.rstrip() for line in output.splitlines() if line.strip())[-LAST_LINES:]
    if _INDEX_AWAY.search(output) and "No solution found" not in output:
        return IndexAwayError(f"The package index could not be reached: {lines[-1] if lines else 'no reason given'}")
    return BadEnvironmentError(
        "The environment cannot be installed.",
        hint="Change the requirements and submit again; the last lines are the installer's own.",
        last_lines=lines,
    )


def put_platform_behind(folder: Path) -> None:
    """`addsitedir` also reads the platform's own `.pth` files, and appends."""
    (site,) = (folder / "lib").glob("python*/site-packages")
    platform = sysconfig.get_path("purelib")
    (site / "zz-mlp-platform.pth").write_text(f"import site; site.addsitedir({platform!r})\n", encoding="utf-8")


def installed() -> dict[str, str]:
    """Version by normalised name of what the platform brings."""
    return {normalized(found.name): found.version for found in metadata.distributions() if found.name}


def missing_lines(lock: str, installed: Mapping[str, str]) -> list[str]:
    """The lines of `lock` to install: all but those the platform has in the very version.

    A line that ends in a backslash goes on, with hashes, in the next ones; comments go.
    """
    kept: list[str] = []
    for entry in _entries(lock):
        pinned = PINNED.match(entry[0])
        if pinned is None or installed.get(normalized(pinned["name"])) != pinned["version"]:
            kept.extend(entry)
    return kept


def count_of(lines: list[str]) -> int:
    """How many packages these lines of a lock are."""
    return sum(1 for line in lines if PINNED.match(line))


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


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
