"""Processes as the launcher needs them: start exactly one, find all it begot, signal them. Linux only.

`subprocess` is not used: it cannot ask for a death signal without `preexec_fn`, and it looks programs up in the
parent's PATH. The launcher has one thread, so plain `fork` is safe.
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_OOM_SCORE_ADJUST = b"500"
"""The kernel, short of memory, takes the user's process (Ray's workers stand at 1000) before what looks after it."""
_TEXT_FILTERS = frozenset(
    {"awk", "cat", "cut", "egrep", "fgrep", "gawk", "grep", "gzip", "head", "less", "logger", "mawk", "more", "perl"}
    | {"pv", "rotatelogs", "sed", "sort", "tail", "tee", "tr", "ts", "uniq", "wc", "zstd"}
)


@dataclass(frozen=True, slots=True)
class ProcessInfo:
    """One line of the process table."""

    pid: int
    parent: int
    group: int
    name: str
    is_zombie: bool


class _NoInterpreterError(Exception):
    """The program is there, but not what its first line names."""


class CannotStartError(Exception):
    """The program did not start. `status` is what a shell would return, None where the fault is not the command's."""

    def __init__(self, message: str, status: int | None) -> None:
        super().__init__(message)
        self.status = status


def become_subreaper() -> None:
    """Orphans below this process become its children instead of init's, however they were detached."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def start(command: Sequence[str], *, cwd: str, env: Mapping[str, str], output: int) -> int:
    """Start `command` in a session of its own and return its pid.

    Its output and errors go to the descriptor `output`, its input is empty. It is killed when this process dies.
    Arguments reach it byte for byte: text is UTF-8, with lone surrogates for bytes that are not.

    Raises:
        CannotStartError: with a sentence for the user.
    """
    arguments = [_encode(word) for word in command]
    environment = {_encode(name): _encode(value) for name, value in env.items()}
    candidates = _candidates(arguments[0], environment.get(b"PATH", os.fsencode(os.defpath)))
    reading, writing = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        _child(writing, parent, candidates, arguments, cwd, environment, output)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        failure = stream.read()
    if failure:
        os.waitpid(pid, 0)
        stage, _, number = failure.decode().partition(" ")
        raise _explain(stage, int(number), command, cwd)
    return pid


def process_table() -> list[ProcessInfo]:
    """All processes of the machine that can be seen now."""
    found: list[ProcessInfo] = []
    for entry in os.listdir("/proc"):
        if entry.isdecimal():
            info = _process_info(int(entry))
            if info is not None:
                found.append(info)
    return found


def descendants(ancestor: int) -> list[ProcessInfo]:
    """Living processes below `ancestor`, zombies left out."""
    children: dict[int, list[ProcessInfo]] = {}
    for info in process_table():
        children.setdefault(info.parent, []).append(info)
    below: list[ProcessInfo] = []
    waiting = [ancestor]
    while waiting:
        for info in children.get(waiting.pop(), ()):
            waiting.append(info.pid)
            if not info.is_zombie:
                below.append(info)
    return below


def is_fed_filter(info: ProcessInfo) -> bool:
    """Whether this is a text filter, such as `tee`, that reads from a pipe.

    In `python train.py | tee log` a SIGTERM to `tee` breaks the pipe under a handler that is just saving. Left alone,
    the filter passes on the last lines and ends by itself when its feeder does.
    """
    return info.name in _TEXT_FILTERS and _descriptor(info.pid, 0).startswith("pipe:")


def send(number: signal.Signals, pids: Iterable[int]) -> None:
    """Signal each; those already gone, or not ours to signal, are passed over."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            continue


def send_group(number: signal.Signals, group: int) -> None:
    """Signal a process group; one that is gone is fine."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return


def _prctl(option: int, value: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    zero = ctypes.c_ulong(0)
    if libc.prctl(option, ctypes.c_ulong(value), zero, zero, zero) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _encode(text: str) -> bytes:
    encoded = text.encode("utf-8", "surrogateescape")
    if b"\0" in encoded:
        raise CannotStartError("Arguments and variables cannot hold the NUL character.", None)
    return encoded


def _candidates(program: bytes, path: bytes) -> list[bytes]:
    if b"/" in program:
        return [program]
    return [os.path.join(folder or b".", program) for folder in path.split(b":")]


def _child(
    report: int,
    parent: int,
    candidates: list[bytes],
    arguments: list[bytes],
    cwd: str,
    environment: dict[bytes, bytes],
    output: int,
) -> NoReturn:
    """Become the program, or say on `report` at which stage and by which errno that failed. Never returns."""
    stage = "prepare"
    try:
        os.setsid()
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
        _redirect(output)
        _close_others(keep=report)
        _be_first_to_go()
        stage = "cwd"
        os.chdir(cwd)
        stage = "exec"
        _reset_signals()
        _exec(candidates, arguments, environment)
    except _NoInterpreterError:
        os.write(report, f"interpreter {errno.ENOENT}".encode())
    except OSError as error:
        os.write(report, f"{stage} {error.errno or errno.EIO}".encode())
    finally:
        os._exit(127)


def _exec(candidates: list[bytes], arguments: list[bytes], environment: dict[bytes, bytes]) -> NoReturn:
    """As `execvpe`, but in the program's own PATH, and a refusal found on the way outweighs a plain miss."""
    refusal = OSError(errno.ENOENT, "")
    for candidate in candidates:
        try:
            os.execve(candidate, arguments, environment)  # noqa: S606 - to start the user's program is the purpose
        except (FileNotFoundError, NotADirectoryError):
            if os.path.exists(candidate):
                raise _NoInterpreterError from None
        except PermissionError as error:
            refusal = error
    raise refusal


def _redirect(output: int) -> None:
    empty = os.open("/dev/null", os.O_RDONLY)
    os.dup2(empty, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)


def _close_others(keep: int) -> None:
    os.closerange(3, keep)
    os.closerange(keep + 1, os.sysconf("SC_OPEN_MAX"))


def _be_first_to_go() -> None:
    try:
        handle = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    except OSError:
        return
    try:
        os.write(handle, _OOM_SCORE_ADJUST)
    except PermissionError:
        return
    finally:
        os.close(handle)


def _reset_signals() -> None:
    """As a login shell would start it: nothing blocked, nothing ignored (Python ignores SIGPIPE, nohup SIGHUP)."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        try:
            signal.signal(number, signal.SIG_DFL)
        except OSError:
            continue
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def _explain(stage: str, number: int, command: Sequence[str], cwd: str) -> CannotStartError:
    program = command[0]
    reason = os.strerror(number)
    if stage == "cwd":
        return CannotStartError(f"The working folder {cwd} cannot be entered: {reason}.", None)
    if stage == "prepare":
        return CannotStartError(f"The process could not be prepared: {reason}.", None)
    if stage == "interpreter":
        return CannotStartError(f"{program}: the interpreter that its first line names does not exist.", 127)
    if number == errno.ENOENT:
        hint = ""
        if len(command) == 1 and " " in program:
            hint = f" A list is exact words without a shell; as a shell line it would be --shell '{program}'."
        missing = "no such file" if "/" in program else "command not found"
        return CannotStartError(f"{program}: {missing}.{hint}", 127)
    if number == errno.ENOEXEC:
        return CannotStartError(
            f"{program}: not a program; a script needs a first line such as #!/usr/bin/env bash.", 126
        )
    if number == errno.E2BIG:
        return CannotStartError(f"{program}: the arguments and variables are too long for the system.", 126)
    return CannotStartError(f"{program}: cannot be run: {reason}.", 126)


def _process_info(pid: int) -> ProcessInfo | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as stream:
            line = stream.read().decode("utf-8", "replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The name stands in parentheses and may itself hold parentheses and spaces.
    opened, closed = line.index("("), line.rindex(")")
    state, parent, group = line[closed + 2 :].split(" ", 3)[:3]
    return ProcessInfo(pid, int(parent), int(group), line[opened + 1 : closed], state in "ZX")


def _descriptor(pid: int, descriptor: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/fd/{descriptor}")
    except OSError:
        return ""


if sys.platform != "linux":  # pragma: no cover - said plainly instead of failing in the middle of a job
    raise ImportError("mlp.runtime.launch runs on Linux only")
