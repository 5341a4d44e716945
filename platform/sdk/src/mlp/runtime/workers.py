"""Whose is a Ray worker's log file? On a cluster of the attempt's own: the attempt's. On a shared one, by marks.

A worker may be dead before anyone looks at its process, so its process alone cannot answer. Therefore each worker of an
attempt leaves a mark before Python even starts: the attempt's `py_executable` is a small shell script
(`wrapper_script`) that writes a file named by its pid, holding Ray's job id, and then becomes the interpreter under
the same pid. Ray names the files `worker-<worker id>-<ray job id>-<pid>.out|err`, and one Ray job belongs to one
driver and thus to one attempt: a single mark settles all files of its Ray job. Where a file has no mark, a living
process tells by its environment, and is believed only if it is old enough to have written the file.
"""

from __future__ import annotations

import os
import re
import shlex
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

_WORKER_FILE = re.compile(r"^worker-([0-9a-f]+)-(?:([0-9a-f]{8})-)?(\d+)\.(out|err)$")
_OTHER_FILE = re.compile(r"[^A-Za-z0-9_.-]")
_CLOCK_SLACK_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class WorkerFile:
    """A file that a node's globs found, with what its name tells."""

    path: str
    worker_id: str
    ray_job_id: str | None
    pid: int | None
    """None for a file that is not named like a worker's."""
    is_err: bool

    @classmethod
    def of(cls, path: str) -> WorkerFile:
        name = os.path.basename(path)
        match = _WORKER_FILE.match(name)
        if match is None:
            return cls(path, _OTHER_FILE.sub("_", name)[:100], None, None, is_err=False)
        worker_id, job_id, pid, kind = match.groups()
        return cls(path, worker_id, job_id, int(pid), is_err=kind == "err")


def wrapper_script(python: str, cwd: str, marks: str, secrets: str | None = None) -> str:
    """The shell script to give Ray as `py_executable`: marks the worker, enters the code folder, becomes `python`.

    `secrets` is a file of shell lines for variables that Ray must not be given: it writes those of a runtime
    environment on command lines and pages.
    """
    read_secrets = f". {shlex.quote(secrets)} || exit 1\n" if secrets is not None else ""
    return (
        "#!/bin/sh\n"
        f'printf %s "${{RAY_JOB_ID:-}}" 2>/dev/null >{shlex.quote(marks)}/$$\n'
        f"{read_secrets}"
        f"cd {shlex.quote(cwd)} || exit 1\n"
        f'exec {shlex.quote(python)} "$@"\n'
    )


@dataclass
class Ownership:
    """Which files of one node belong to the attempt."""

    worker_env: Mapping[str, str] | None
    marks: str | None
    _ours: set[str] = field(default_factory=set[str])
    _theirs: set[str] = field(default_factory=set[str])
    _marked: dict[int, float] = field(default_factory=dict[int, float])
    """Pids whose mark names no Ray job, with the mark's time."""

    def refresh(self) -> None:
        """Read new marks."""
        if self.marks is None:
            return
        try:
            entries = list(os.scandir(self.marks))
        except FileNotFoundError:
            return
        for entry in entries:
            if not entry.name.isdecimal():
                continue
            with open(entry.path, encoding="ascii", errors="replace") as stream:
                ray_job_id = stream.read(64).strip()
            if ray_job_id:
                self._ours.add(ray_job_id)
            else:
                self._marked[int(entry.name)] = entry.stat().st_mtime

    def owns(self, file: WorkerFile) -> bool | None:
        """None where it cannot be told yet."""
        if self.worker_env is None:
            return True
        if file.pid is None:
            return False
        if file.ray_job_id in self._ours:
            return True
        if file.ray_job_id in self._theirs:
            return False
        answer = self._by_mark(file, file.pid)
        if answer is None:
            answer = self._by_process(file, file.pid, self.worker_env)
        if answer is not None and file.ray_job_id is not None:
            (self._ours if answer else self._theirs).add(file.ray_job_id)
        return answer

    def _by_mark(self, file: WorkerFile, pid: int) -> bool | None:
        marked_at = self._marked.get(pid)
        if marked_at is None or file.ray_job_id is not None:
            return None
        written_at = _modified_at(file.path)
        # An older file of the same pid is of an earlier process.
        return True if written_at is not None and written_at >= marked_at - _CLOCK_SLACK_SECONDS else None

    def _by_process(self, file: WorkerFile, pid: int, wanted: Mapping[str, str]) -> bool | None:
        written_at, born_at = _modified_at(file.path), started_at(pid)
        if written_at is None or born_at is None or born_at > written_at + _CLOCK_SLACK_SECONDS:
            return None
        variables = environment_of(pid)
        if all(variables.get(name) == value for name, value in wanted.items()):
            return True
        return False if any(name in variables for name in wanted) else None


def environment_of(pid: int) -> dict[str, str]:
    """The environment a process was started with; empty where it is gone or may not be read."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as stream:
            content = stream.read()
    except OSError:
        return {}
    pairs = (entry.partition(b"=") for entry in content.split(b"\0"))
    return {
        name.decode("utf-8", "replace"): value.decode("utf-8", "replace") for name, equals, value in pairs if equals
    }


def started_at(pid: int) -> float | None:
    """When a process began, in Unix seconds; None where it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stream:
            line = stream.read()
    except OSError:
        return None
    ticks = int(line[line.rindex(b")") + 2 :].split()[19])
    booted_at = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    return booted_at + ticks / os.sysconf("SC_CLK_TCK")


def _modified_at(path: str) -> float | None:
    try:
        return os.stat(path).st_mtime
    except FileNotFoundError:
        return None
