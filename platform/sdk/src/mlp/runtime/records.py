"""The files by which an engine and the launcher in a job's folder talk to each other.

One folder per attempt (`$MLP_ATTEMPT_DIR`). The engine writes `launch.json`, and `notice.json` and `stop.json` when the
job should end; the launcher writes `started.json` and, as its last act, `exit.json`. Each is written atomically.
Instants are RFC 3339 in UTC. Everything here is standard library, because it runs under the job's own Python.
"""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from mlp.runtime import _json
from mlp.runtime._json import MalformedError

LAUNCH_FILE = "launch.json"
STARTED_FILE = "started.json"
EXIT_FILE = "exit.json"
STOP_FILE = "stop.json"
NOTICE_FILE = "notice.json"
ARTIFACTS_FILE = "artifacts.json"
METRICS_FILE = "metrics.jsonl"
LOCK_FILE = "launch.lock"
DEFAULT_GRACE_SECONDS = 30.0


def launch_command(python: str, attempt_dir: str | Path) -> list[str]:
    """The launcher's command line.

    Isolated (`-I`), so that neither a `json.py` in the user's folder nor a `PYTHONPATH` can break it. Start it in a
    session of its own and within `sigterm_held`.
    """
    return [python, "-I", "-m", "mlp.runtime.launch", str(attempt_dir)]


def agent_command(python: str, config: str | Path) -> list[str]:
    """The agent's command line; as with `launch_command`."""
    return [python, "-I", "-m", "mlp.runtime.agent", "--config", str(config)]


@contextmanager
def sigterm_held() -> Generator[None]:
    """Start launchers and agents inside of this: a SIGTERM that comes while their Python starts is kept for them.

    The started process inherits the calling thread's signal mask; without it an early SIGTERM would end it before it
    can answer for anything.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@dataclass(frozen=True, slots=True)
class LaunchSpec:
    """What to run, in `launch.json`. Exactly one of `argv` (as it is, no shell) and `shell` (a bash line)."""

    cwd: str
    log: str
    """Standard output and standard error are appended to this one file, byte for byte."""
    env: dict[str, str]
    """The whole environment of the process. Only `launch.PASSED_ON` is taken over from the launcher's own."""
    argv: tuple[str, ...] | None = None
    shell: str | None = None
    grace_seconds: float = DEFAULT_GRACE_SECONDS
    """Between SIGTERM and SIGKILL; `stop.json` may say otherwise."""
    timeout_seconds: float | None = None
    cgroup_memory: str | None = None
    """Folder of the memory cgroup (v1 or v2) the process runs in, for evidence of kills by the kernel."""

    def __post_init__(self) -> None:
        if (self.argv is None) == (self.shell is None):
            raise MalformedError("exactly one of argv and shell must be given")
        if self.argv is not None and not self.argv:
            raise MalformedError("argv must not be empty")
        if self.grace_seconds < 0 or (self.timeout_seconds is not None and self.timeout_seconds <= 0):
            raise MalformedError("grace_seconds must be at least 0 and timeout_seconds above 0")

    @property
    def command(self) -> tuple[str, ...]:
        if self.argv is not None:
            return self.argv
        return ("bash", "-e", "-o", "pipefail", "-c", self.shell or "")

    @classmethod
    def read(cls, attempt_dir: Path) -> LaunchSpec:
        """Raises `MalformedError` and `FileNotFoundError`."""
        source = _json.read_object(attempt_dir / LAUNCH_FILE)
        argv = source.get("argv")
        grace = _json.optional_number(source, "grace_seconds")
        return cls(
            cwd=_json.as_text(source.get("cwd"), "cwd"),
            log=_json.as_text(source.get("log"), "log"),
            env=_json.as_text_map(source.get("env", {}), "env"),
            argv=None if argv is None else _json.as_texts(argv, "argv"),
            shell=_json.optional_text(source, "shell"),
            grace_seconds=DEFAULT_GRACE_SECONDS if grace is None else grace,
            timeout_seconds=_json.optional_number(source, "timeout_seconds"),
            cgroup_memory=_json.optional_text(source, "cgroup_memory"),
        )

    def write(self, attempt_dir: Path) -> None:
        _json.write_object(attempt_dir / LAUNCH_FILE, asdict(self))


@dataclass(frozen=True, slots=True)
class Started:
    """The process runs, in `started.json`."""

    launcher_pid: int
    pid: int
    started_at: str

    @classmethod
    def read(cls, attempt_dir: Path) -> Started:
        """Raises `MalformedError` and `FileNotFoundError`."""
        source = _json.read_object(attempt_dir / STARTED_FILE)
        return cls(
            launcher_pid=_json.as_integer(source.get("launcher_pid"), "launcher_pid"),
            pid=_json.as_integer(source.get("pid"), "pid"),
            started_at=_json.as_text(source.get("started_at"), "started_at"),
        )

    def write(self, attempt_dir: Path) -> None:
        _json.write_object(attempt_dir / STARTED_FILE, asdict(self))


@dataclass(frozen=True, slots=True)
class StopRequest:
    """Read by the launcher when SIGTERM comes, from `stop.json`: write it first, then send the signal."""

    grace_seconds: float | None = None
    why: str = ""

    @classmethod
    def read(cls, attempt_dir: Path) -> StopRequest | None:
        """None where nobody wrote one. Raises `MalformedError`."""
        try:
            source = _json.read_object(attempt_dir / STOP_FILE)
        except FileNotFoundError:
            return None
        return cls(
            grace_seconds=_json.optional_number(source, "grace_seconds"),
            why=_json.optional_text(source, "why") or "",
        )

    def write(self, attempt_dir: Path) -> None:
        _json.write_object(attempt_dir / STOP_FILE, asdict(self))


@dataclass(frozen=True, slots=True)
class Notice:
    """The job should come to an end soon, in `notice.json`: what `runtime.should_stop` looks at."""

    why: str
    at: str
    grace_seconds: float | None = None

    @classmethod
    def read(cls, attempt_dir: Path) -> Notice | None:
        """None where there is none. Raises `MalformedError`."""
        try:
            source = _json.read_object(attempt_dir / NOTICE_FILE)
        except FileNotFoundError:
            return None
        return cls(
            why=_json.optional_text(source, "why") or "",
            at=_json.optional_text(source, "at") or "",
            grace_seconds=_json.optional_number(source, "grace_seconds"),
        )

    def write(self, attempt_dir: Path) -> None:
        _json.write_object(attempt_dir / NOTICE_FILE, asdict(self))


@dataclass(frozen=True, slots=True)
class ExitRecord:
    """How it ended, in `exit.json`. No such file and no launcher process: the launcher itself was killed."""

    started_at: str
    """When the launcher began, where the process never did."""
    ended_at: str
    pid: int | None = None
    exit_code: int | None = None
    """127 command not found, 126 not executable, as shells say."""
    signal: int | None = None
    timed_out: bool = False
    stopped: bool = False
    """It was asked to end, by SIGTERM, while it ran; or before it ran, by SIGTERM or `stop.json`."""
    killed: bool = False
    """The grace ran out: something had to be ended by SIGKILL."""
    max_rss_bytes: int = 0
    """The largest process of the tree, by the kernel's count."""
    oom_kills: int = 0
    """Kills by the kernel for memory in `cgroup_memory` while the process ran."""
    error: str | None = None
    """Why it could not be run or ended as asked, as a sentence."""
    left_pids: tuple[int, ...] = field(default=())
    """Processes that even SIGKILL did not end within `launch.LAST_RESORT_SECONDS` (stuck in the kernel)."""

    @property
    def status(self) -> int:
        """The launcher's own exit status: the child's, 128 + signal, or 125 where there was no child."""
        if self.signal is not None:
            return 128 + self.signal
        return 125 if self.exit_code is None else self.exit_code

    @classmethod
    def read(cls, attempt_dir: Path) -> ExitRecord | None:
        """None while it has not ended. Raises `MalformedError`."""
        try:
            source = _json.read_object(attempt_dir / EXIT_FILE)
        except FileNotFoundError:
            return None
        left = _json.as_list(source.get("left_pids", []), "left_pids")
        return cls(
            started_at=_json.as_text(source.get("started_at"), "started_at"),
            ended_at=_json.as_text(source.get("ended_at"), "ended_at"),
            pid=_json.optional_integer(source, "pid"),
            exit_code=_json.optional_integer(source, "exit_code"),
            signal=_json.optional_integer(source, "signal"),
            timed_out=source.get("timed_out") is True,
            stopped=source.get("stopped") is True,
            killed=source.get("killed") is True,
            max_rss_bytes=_json.optional_integer(source, "max_rss_bytes") or 0,
            oom_kills=_json.optional_integer(source, "oom_kills") or 0,
            error=_json.optional_text(source, "error"),
            left_pids=tuple(_json.as_integer(pid, "left_pids") for pid in left),
        )

    def write(self, attempt_dir: Path) -> None:
        _json.write_object(attempt_dir / EXIT_FILE, asdict(self))


@dataclass(frozen=True, slots=True)
class ArtifactsRecord:
    """How far an attempt's artifacts are stored, in `artifacts.json` of its agent's folder."""

    files: int
    files_stored: int
    bytes: int
    bytes_stored: int
    missing: tuple[str, ...] = ()
    """Files that are not stored, the first few; `files - files_stored` counts them all."""
    left_out: tuple[str, ...] = ()
    """What cannot be stored, the first few with their reasons; `left_out_count` counts them all."""
    left_out_count: int = 0
    done: bool = False
    """The agent has stored everything, or has given up."""

    @classmethod
    def read(cls, agent_dir: Path) -> ArtifactsRecord | None:
        """None where nothing is written yet. Raises `MalformedError`."""
        try:
            source = _json.read_object(agent_dir / ARTIFACTS_FILE)
        except FileNotFoundError:
            return None

        def count(key: str) -> int:
            return _json.as_integer(source.get(key), key)

        return cls(
            files=count("files"),
            files_stored=count("files_stored"),
            bytes=count("bytes"),
            bytes_stored=count("bytes_stored"),
            missing=_json.as_texts(source.get("missing"), "missing"),
            left_out=_json.as_texts(source.get("left_out"), "left_out"),
            left_out_count=count("left_out_count"),
            done=source.get("done") is True,
        )

    def write(self, agent_dir: Path) -> None:
        _json.write_object(agent_dir / ARTIFACTS_FILE, asdict(self))


def instant() -> str:
    """Now, as the records say it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
