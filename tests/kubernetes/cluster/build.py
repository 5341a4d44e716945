"""Builds groups of programs once and keeps them outside the checkout, under a key of everything they are made from."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

from cluster.components import Group

Report = Callable[[str], None]
"""Takes one line of progress."""


class CannotBuild(Exception):
    """A program could not be compiled; the message ends with the compiler's own words."""


def cache_folder() -> Path:
    """Where binaries and images are kept: `MLP_TEST_CLUSTER_CACHE`, else a folder of the user's cache."""
    chosen = os.environ.get("MLP_TEST_CLUSTER_CACHE")
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(chosen) if chosen else caches / "mlp-test-cluster"


def built(groups: Iterable[Group], report: Report) -> dict[str, Path]:
    """Group name → folder with its `bin` (and `config`, where the group has manifests); builds what is missing.

    Several processes may call it at once: one builds a group while the others wait for it. CannotBuild otherwise.
    """
    version = _go("env", "GOVERSION", "GOARCH").replace("\n", "-")
    return {group.name: _built(group, version, report) for group in groups}


def is_built(groups: Iterable[Group]) -> bool:
    """Whether `built` would only look up; False without a Go compiler."""
    if shutil.which("go") is None:
        return False
    version = _go("env", "GOVERSION", "GOARCH").replace("\n", "-")
    return all(_home(group, version).is_dir() for group in groups)


def _home(group: Group, go_version: str) -> Path:
    return cache_folder() / "built" / f"{group.name}-{group.key(go_version)}"


def _built(group: Group, go_version: str, report: Report) -> Path:
    home = _home(group, go_version)
    if home.is_dir():
        return home
    with locked(home.with_suffix(".lock")):
        if not home.is_dir():
            with tempfile.TemporaryDirectory(dir=home.parent, prefix=f".{group.name}-") as scratch:
                _build(group, Path(scratch), report)
                # A rename is all or nothing, so nobody ever meets half a group.
                Path(scratch).chmod(0o755)
                Path(scratch).rename(home)
                Path(scratch).mkdir()
    return home


def _build(group: Group, target: Path, report: Report) -> None:
    report(f"{group.name}: downloading modules")
    _go("mod", "download", folder=group.folder)
    for name, package in group.programs.items():
        begun = time.monotonic()
        report(f"{group.name}: compiling {name}")
        flags = ("-trimpath", "-ldflags", group.linker_flags())
        _go("build", *flags, "-o", str(target / "bin" / name), package, folder=group.folder)
        report(f"{group.name}: {name} took {time.monotonic() - begun:.0f} s")
    if group.manifests_of:
        listed = json.loads(_go("list", "-m", "-json", group.manifests_of, folder=group.folder))
        # The module cache is read-only; a copy of its modes could not be removed.
        shutil.copytree(Path(listed["Dir"]) / "config", target / "config", copy_function=shutil.copyfile)
        for folder in (target / "config", *(target / "config").rglob("*/")):
            folder.chmod(0o755)


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Holds an exclusive lock among processes, waiting for it as long as it takes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _go(*arguments: str, folder: Path | None = None) -> str:
    """Run the machine's own Go, without cgo and without touching go.mod; CannotBuild where it fails."""
    settings = {"CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=readonly -buildvcs=false", "GOWORK": "off"}
    done = subprocess.run(
        ["go", *arguments], cwd=folder, env=os.environ | settings, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise CannotBuild(f"go {' '.join(arguments)}: {done.stderr.strip()[-2000:]}")
    return done.stdout.strip()
