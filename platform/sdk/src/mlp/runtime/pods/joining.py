"""`worker`: what Ray starts in place of Python on a cluster that many works share.

Such a cluster's pods start before any work is known, and a work runs on whichever of them Ray chooses. So each node
brings in a work's code and environment from the platform when it first comes to run something of it. What it needs to
know for that stands in Ray's working directory of the job, which holds `work.json` and nothing else.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

from mlp.runtime.pods import exits
from mlp.runtime.pods.bringing import NotBroughtInError, bring_in
from mlp.runtime.pods.places import Pod
from mlp.runtime.pods.telling import say
from mlp.runtime.pods.work import WORK_FILE, Work


def run(pod: Pod, name: str, arguments: list[str]) -> int:
    """Becomes the work's interpreter with `arguments`; returns an exit status where that cannot be."""
    place = pod.attempt(name)
    if not place.python.exists():
        try:
            place = bring_in(pod, _work(pod, name), say)
        except FileNotFoundError:
            say(f"{name} is not known here. Ray's `working_dir` must stay what the platform has set.")
            return exits.NO_WORK
        except NotBroughtInError as error:
            say(str(error))
            return error.status
    return _become(place.python, arguments)


def _become(program: Path, arguments: list[str]) -> NoReturn:
    sys.stderr.flush()
    os.execv(program, [str(program), *arguments])  # noqa: S606 - to become the program is the purpose


def _work(pod: Pod, name: str) -> Work:
    known = pod.attempt(name).work
    return Work.read(known if known.exists() else Path(WORK_FILE))
