"""Starts one detached process of a cluster, exactly once, whoever dies meanwhile.

Run as a script by the engine: `python -I -S child.py SPEC.json`. It must import nothing but the standard library,
and little of that, because it is on the path of every start.

The engine may be killed between any two of its lines, so it can never know whether a process that it asked for came
to be. Therefore the process itself keeps the record: it takes a lock that it holds for life, looks whether it may
still start, writes its own pid with its kernel start time, and only then becomes the program. A second starter finds
the lock or the record and leaves. The parent returns once the record stands (exit 0), when another process had the
right (exit 10), or with an error on standard error (exit 1).

SPEC: {argv, env, cwd, log, lock, pid_file, once, forbidden, cgroups, hold_sigterm}. With `hold_sigterm` the program
starts with SIGTERM blocked, so that one sent before it can listen is kept for it.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import sys
from typing import Any, NoReturn

STARTED = 0
FAILED = 1
NOT_NEEDED = 10


def main(path: str) -> int:
    with open(path, encoding="utf-8") as file:
        spec: dict[str, Any] = json.load(file)
    reader, writer = os.pipe()
    if os.fork() > 0:
        os.close(writer)
        return _report(reader)
    os.close(reader)
    os.setsid()
    # A second fork gives the program a parent that reaps (init), not an engine that may be away.
    if os.fork() > 0:
        os._exit(0)
    try:
        _become(spec, writer)
    except OSError as error:
        os.write(writer, f"{FAILED} {error}".encode())
    finally:
        os._exit(1)


def _report(reader: int) -> int:
    """What the child said; nothing said means that it died before it could."""
    said = b""
    while chunk := os.read(reader, 4096):
        said += chunk
    if not said:
        sys.stderr.write("The process died before it was recorded.\n")
        return FAILED
    code, _, message = said.decode().partition(" ")
    sys.stderr.write(message)
    return int(code)


def _become(spec: dict[str, Any], writer: int) -> NoReturn:
    log = os.open(spec["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    lock = os.open(spec["lock"], os.O_RDWR | os.O_CREAT, 0o600)
    if not _may_start(spec, lock):
        os.write(writer, str(NOT_NEEDED).encode())
        os._exit(0)
    for procs in spec["cgroups"]:
        with open(procs, "w", encoding="ascii") as file:
            file.write("0")
    os.chdir(spec["cwd"])
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
    if spec["hold_sigterm"]:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    _record(spec["pid_file"])
    os.set_inheritable(lock, True)
    os.write(writer, str(STARTED).encode())
    os.execve(spec["argv"][0], spec["argv"], spec["env"])  # noqa: S606 - to become the program is the purpose


def _may_start(spec: dict[str, Any], lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    if spec["once"] and os.path.exists(spec["pid_file"]):
        return False
    return not any(os.path.exists(path) for path in spec["forbidden"])


def _record(pid_file: str) -> None:
    """Write pid and kernel start time whole or not at all."""
    with open("/proc/self/stat", encoding="utf-8", errors="replace") as file:
        start_ticks = int(file.read().rpartition(")")[2].split()[19])
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        boot_id = file.read().strip()
    draft = f"{pid_file}.{os.getpid()}"
    with open(draft, "w", encoding="utf-8") as file:
        json.dump({"pid": os.getpid(), "start_ticks": start_ticks, "boot_id": boot_id}, file)
        file.flush()
        os.fsync(file.fileno())
    os.rename(draft, pid_file)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
