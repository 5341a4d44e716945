"""Last steps before a service's own program: drop root, and never outlive the supervisor.

Run as a file by an isolated, bare interpreter (`python -I -S child.py ...`), so it imports only the standard library.
It stands between fork and exec because doing this in a `preexec_fn` is not safe in a process with threads, and because
the order matters: the kernel forgets the death signal when a process changes its user.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import pwd
import sys

PR_SET_PDEATHSIG = 1
NOT_STARTED = 127
"""Exit status of a shell for a command that could not be started."""


def main(arguments: list[str]) -> int:
    options = _parse(arguments)
    if options.user:
        _become(options.user)
    if options.signal and sys.platform == "linux":
        _die_with_parent(options.parent, options.signal)
    try:
        os.execvp(options.argv[0], options.argv)  # noqa: S606 (an argument list of our own, no shell)
    except OSError as error:
        sys.stderr.write(f"cannot start {options.argv[0]}: {error.strerror}\n")
    return NOT_STARTED


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parent", type=int, required=True, help="process that must stay alive")
    parser.add_argument("--signal", type=int, default=0, help="signal to get when it does not; 0 = none")
    parser.add_argument("--user", default="", help="user to become; needs root")
    parser.add_argument("argv", nargs="+")
    return parser.parse_args(arguments)


def _become(name: str) -> None:
    user = pwd.getpwnam(name)
    os.setgroups([])
    os.setgid(user.pw_gid)
    os.setuid(user.pw_uid)
    os.environ["HOME"] = user.pw_dir
    os.environ["USER"] = os.environ["LOGNAME"] = name


def _die_with_parent(parent: int, number: int) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(PR_SET_PDEATHSIG, number, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) failed")
    if os.getppid() != parent:
        # It died before the request above: the signal will never come.
        sys.exit(NOT_STARTED)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
