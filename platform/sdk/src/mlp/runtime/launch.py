"""Runs a job's process, ends it as asked, and tells the truth about how it ended.

    python -I -m mlp.runtime.launch ATTEMPT_DIR

Reads `launch.json`, writes `started.json` and finally `exit.json` (see `mlp.runtime.records`). What it promises:

- The command is exact: a list reaches the program byte for byte; a line goes to `bash -e -o pipefail -c`.
- On SIGTERM or timeout, SIGTERM goes to the process group of the command, then it waits for the grace, then every
  process below it gets SIGKILL: also double-forked ones, ones in sessions of their own, and ones that ignore SIGTERM,
  because as a child subreaper it inherits every orphan.
- When the command ends by itself, what it left behind is ended too: SIGTERM, `LEFTOVER_SECONDS`, SIGKILL.
- Exit code and signal are the command's own. The first stop counts; later SIGTERMs change nothing.
- It starts the command at most once in a folder, also when it is itself started twice.

Its own parent may die at any time. If it is itself killed by SIGKILL, the kernel kills the command (death signal) and
there is no `exit.json`; what the command had started lives on as orphans of init, or of the next subreaper above. Those
are for the engine's sweep, by `MLP_ATTEMPT_ID` or `MLP_CLUSTER` in their environment.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from mlp.runtime import _cgroups, _process
from mlp.runtime._json import MalformedError
from mlp.runtime._process import CannotStartError, ProcessInfo
from mlp.runtime.records import LOCK_FILE, STARTED_FILE, ExitRecord, LaunchSpec, Started, StopRequest, instant

LEFTOVER_SECONDS = 2.0
LAST_RESORT_SECONDS = 30.0
PASSED_ON = ("PATH", "HOME", "LANG", "TZ", "MLP_CLUSTER")
"""Taken from the launcher's environment where `launch.json` does not set them; `MLP_CLUSTER` is the sweep's mark."""
_KILL_ROUND_SECONDS = 0.05
_LEFTOVER_ROUND_SECONDS = 0.1
_WATCHED = frozenset({signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP})


def main() -> int:
    if len(sys.argv) != 2:
        sys.stderr.write("usage: python -I -m mlp.runtime.launch ATTEMPT_DIR\n")
        return 2
    # Blocked and fetched one by one below: no handler can run in the middle of a step, and none is lost.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)
    folder = Path(sys.argv[1]).resolve()
    lock = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.stderr.write(f"another launcher is at work in {folder}\n")
        return 125
    if (folder / STARTED_FILE).exists() or ExitRecord.read(folder) is not None:
        sys.stderr.write(f"{folder} was launched before; an attempt runs once\n")
        return 125
    record = run(folder)
    record.write(folder)
    return record.status


def run(folder: Path) -> ExitRecord:
    """Run what the folder asks for, to its end."""
    began = instant()
    try:
        spec = LaunchSpec.read(folder)
        if _stop_came_early(folder):
            return ExitRecord(began, instant(), stopped=True, error="It was asked to stop before it started.")
    except (MalformedError, FileNotFoundError) as error:
        return ExitRecord(began, instant(), error=f"The launch file cannot be used: {error}.")
    kills_before = _oom_kills(spec)
    Path(spec.log).parent.mkdir(parents=True, exist_ok=True)
    output = os.open(spec.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    _process.become_subreaper()
    try:
        pid = _process.start(spec.command, cwd=spec.cwd, env=environment(spec), output=output)
    except CannotStartError as error:
        os.write(output, f"mlp: {error}\n".encode("utf-8", "replace"))
        return ExitRecord(began, instant(), exit_code=error.status, error=str(error))
    os.close(output)
    started = Started(os.getpid(), pid, instant())
    started.write(folder)
    tree = _Tree(folder, spec, pid)
    tree.follow()
    return ExitRecord(
        started_at=started.started_at,
        ended_at=instant(),
        pid=pid,
        exit_code=tree.exit_code,
        signal=tree.signal,
        timed_out=tree.timed_out,
        stopped=tree.stopped,
        killed=tree.killed,
        max_rss_bytes=tree.max_rss_bytes,
        oom_kills=max(0, _oom_kills(spec) - kills_before),
        error=f"{len(tree.left)} processes cannot be ended." if tree.left else None,
        left_pids=tree.left,
    )


def environment(spec: LaunchSpec) -> dict[str, str]:
    """What the command sees. Output is unbuffered unless the user says otherwise: a log must be live."""
    passed_on = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return {"PYTHONUNBUFFERED": "1"} | passed_on | spec.env


def _stop_came_early(folder: Path) -> bool:
    return signal.SIGTERM in signal.sigpending() or StopRequest.read(folder) is not None


def _oom_kills(spec: LaunchSpec) -> int:
    return (_cgroups.oom_kills(spec.cgroup_memory) or 0) if spec.cgroup_memory else 0


@dataclass
class _Tree:
    """The command and everything below it."""

    folder: Path
    spec: LaunchSpec
    pid: int
    exit_code: int | None = None
    signal: int | None = None
    timed_out: bool = False
    stopped: bool = False
    killed: bool = False
    max_rss_bytes: int = 0
    left: tuple[int, ...] = ()
    _ended: bool = False
    _none_left: bool = False
    _kill_at: float | None = None
    """Set once it was asked to end, on the monotonic clock; never set twice."""
    _asked: set[int] = field(default_factory=set[int])
    _spared: set[int] = field(default_factory=set[int])

    def follow(self) -> None:
        """Until nothing is left."""
        timeout = self.spec.timeout_seconds
        timeout_at = None if timeout is None else time.monotonic() + timeout
        while not self._ended:
            until = self._kill_at if self._kill_at is not None else timeout_at
            self._wait(until)
            if self._ended or until is None or time.monotonic() < until:
                continue
            if self._kill_at is not None:
                break
            self.timed_out = True
            self._ask_group(self.spec.grace_seconds)
        self._end_leftovers()
        self._kill_all()

    def _wait(self, until: float | None) -> None:
        """One signal, or `until`; then everything that has ended is reaped."""
        if until is None:
            number = signal.sigwait(_WATCHED)
        else:
            info = signal.sigtimedwait(_WATCHED, max(0.0, until - time.monotonic()))
            number = None if info is None else info.si_signo
        if number in (signal.SIGTERM, signal.SIGINT):
            self._stop()
        self._reap()

    def _stop(self) -> None:
        if self._ended:
            return
        self.stopped = True
        if self._kill_at is None:
            self._ask_group(self._stop_grace())

    def _stop_grace(self) -> float:
        try:
            request = StopRequest.read(self.folder)
        except MalformedError as error:
            sys.stderr.write(f"stop file ignored: {error}\n")
            return self.spec.grace_seconds
        if request is None or request.grace_seconds is None:
            return self.spec.grace_seconds
        return max(0.0, request.grace_seconds)

    def _ask_group(self, grace_seconds: float) -> None:
        """SIGTERM to the command's group: its shell, its programs, its workers; sparing filters at a pipe's end."""
        self._kill_at = time.monotonic() + grace_seconds
        members = [info for info in _process.descendants(os.getpid()) if info.group == self.pid]
        if any(_process.is_fed_filter(info) for info in members):
            self._ask(members)
        else:
            # In one stroke, so that what is being forked right now is not missed.
            self._asked.update(info.pid for info in members)
            _process.send_group(signal.SIGTERM, self.pid)

    def _ask(self, processes: list[ProcessInfo]) -> None:
        """SIGTERM once to each: a second one would interrupt a handler that is saving."""
        self._spared.update(info.pid for info in processes if _process.is_fed_filter(info))
        pids = {info.pid for info in processes} - self._spared - self._asked
        self._asked |= pids
        _process.send(signal.SIGTERM, pids)

    def _end_leftovers(self) -> None:
        """What outlived the command gets a short grace.

        Where our own SIGTERM ended the command, it may have been only the shell around the real work, which is saving
        now: then the rest of the grace is theirs.
        """
        deadline = time.monotonic() + LEFTOVER_SECONDS
        if self._kill_at is not None and (self.signal == signal.SIGTERM or not self._ended):
            deadline = self._kill_at
        while not self._none_left and time.monotonic() < deadline:
            self._ask(_process.descendants(os.getpid()))
            self._wait(min(deadline, time.monotonic() + _LEFTOVER_ROUND_SECONDS))

    def _kill_all(self) -> None:
        """SIGKILL, again and again, since a process may fork between the look and the blow."""
        give_up_at = time.monotonic() + LAST_RESORT_SECONDS
        while not self._none_left:
            living = [info.pid for info in _process.descendants(os.getpid())]
            if living and time.monotonic() > give_up_at:
                self.left = tuple(living)
                return
            self.killed = self.killed or bool(living)
            _process.send(signal.SIGKILL, living)
            self._wait(time.monotonic() + _KILL_ROUND_SECONDS)

    def _reap(self) -> None:
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                self._none_left = True
                return
            if pid == 0:
                return
            self.max_rss_bytes = max(self.max_rss_bytes, usage.ru_maxrss * 1024)
            if pid == self.pid:
                self._ended = True
                code = os.waitstatus_to_exitcode(status)
                self.exit_code, self.signal = (code, None) if code >= 0 else (None, -code)


if __name__ == "__main__":
    sys.exit(main())
