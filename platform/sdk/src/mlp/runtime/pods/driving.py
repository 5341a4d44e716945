"""`drive`: the entrypoint that Ray runs on the head. Runs the launcher, and goes only when everything is handed in."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import FrameType

from mlp.runtime import _cgroups, pids
from mlp.runtime.pids import WORK_MARK, PidRecord
from mlp.runtime.pods import exits
from mlp.runtime.pods.bringing import NotBroughtInError, bring_in
from mlp.runtime.pods.environment import JOB_CONFIG, job_environment, submission_of
from mlp.runtime.pods.places import AttemptPlace, Pod
from mlp.runtime.pods.seals import Seal
from mlp.runtime.pods.telling import Teller, say
from mlp.runtime.pods.timing import ARTIFACT_SECONDS
from mlp.runtime.pods.work import Work
from mlp.runtime.records import LaunchSpec, launch_command

_LEFTOVER_SECONDS = 2.0
_LAST_RESORT_SECONDS = 15.0
_GATHER_MARGIN_SECONDS = 30.0
"""For Ray to be imported and to start a process on each node."""
_LOOK_SECONDS = 0.05
_KEPT = ("PATH", "HOME", "LANG", "TZ")
_CGROUPS = ("/sys/fs/cgroup", "/sys/fs/cgroup/memory")
"""Of this container, by the kernel's second version of them and its first."""


def run(pod: Pod, work_file: Path | None) -> int:
    """Returns the exit status of the job's process, as its launcher tells it."""
    # Kept from the first moment on: what ends the job before its launcher runs is passed on to that.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    if work_file is not None:
        place = _bring_in(pod, Work.read(work_file))
        if isinstance(place, int):
            return place
    else:
        place = next(pod.attempts(), None)
    if place is None:
        say("Nothing was set up in this pod.")
        return exits.NO_WORK
    work = Work.read(place.work)
    status = _launch(pod, work, place)
    if pod.is_shared:
        _gather(work.name, pod.flush_seconds)
    _end_rest(work.name)
    _hold(place, pod.flush_seconds)
    if pod.is_shared:
        shutil.rmtree(place.root, ignore_errors=True)
    return status


def _bring_in(pod: Pod, work: Work) -> AttemptPlace | int:
    """The attempt's folder on this node, or the exit status where it cannot be made."""
    teller = Teller(pod, work)
    try:
        return bring_in(pod, work, teller.say)
    except NotBroughtInError as error:
        # Nobody starts this anew.
        teller.fail(replace(error.failure, is_final=True))
        return error.status


def _launch(pod: Pod, work: Work, place: AttemptPlace) -> int:
    me = PidRecord.of(os.getpid())
    assert me is not None  # noqa: S101 - it runs this line
    LaunchSpec(
        cwd=str(place.code),
        log=str(place.driver_log),
        env=job_environment(work, pod, place, os.environ, sys.executable),
        argv=work.argv,
        shell=work.shell,
        grace_seconds=work.grace_seconds,
        timeout_seconds=work.timeout_seconds,
        cgroup_memory=_cgroup(),
    ).write(place.root)
    me.write(place.driver)
    helper = {name: os.environ[name] for name in _KEPT if name in os.environ}
    launcher = subprocess.Popen(
        launch_command(sys.executable, place.root), env=helper, cwd=place.root, start_new_session=True
    )
    record = PidRecord.of(launcher.pid)
    if record is not None:
        record.write(place.launcher)

    def pass_on(_number: int, _frame: FrameType | None) -> None:
        launcher.send_signal(signal.SIGTERM)

    signal.signal(signal.SIGTERM, pass_on)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    code = launcher.wait()
    return code if code >= 0 else 128 - code


def _gather(attempt: str, seconds: float) -> None:
    """Have the other nodes end what is left there, and hand it in."""
    submission = submission_of(os.environ)
    if submission is None:
        return
    words = (sys.executable, "-I", "-m", "mlp.runtime.pods.gathering", attempt, submission, f"{seconds:g}")
    plain = {name: value for name, value in os.environ.items() if name != JOB_CONFIG}
    try:
        subprocess.run(words, env=plain, check=False, timeout=seconds + _GATHER_MARGIN_SECONDS)
    except subprocess.TimeoutExpired:
        say("Other nodes of the cluster did not answer; the end of their logs may be missing.")


def _end_rest(attempt: str) -> None:
    """Ray's workers go by themselves when their driver has gone; what does not is ended before the log is sealed."""
    now = time.monotonic()
    patient_until, give_up_at = now + _LEFTOVER_SECONDS, now + _LAST_RESORT_SECONDS
    while rest := pids.marked(WORK_MARK, attempt) - {os.getpid()}:
        now = time.monotonic()
        if now > give_up_at:
            say(f"{len(rest)} processes cannot be ended.")
            return
        if now > patient_until:
            pids.send(rest, signal.SIGKILL)
        time.sleep(_LOOK_SECONDS)


def _hold(place: AttemptPlace, flush_seconds: float) -> None:
    """Wait for the agent, for as long as it may take: this process's end is the pod's."""
    has_files = any(path.is_file() for path in place.output.rglob("*"))
    seal = Seal.from_now(ARTIFACT_SECONDS + flush_seconds if has_files else flush_seconds)
    seal.write(place.seal)
    until = time.monotonic() + seal.seconds
    while not place.flushed.exists():
        if time.monotonic() > until:
            say("The agent did not finish in time; the end of the log may be missing.")
            return
        time.sleep(_LOOK_SECONDS)


def _cgroup() -> str | None:
    return next((folder for folder in _CGROUPS if _cgroups.memory_bytes(folder) is not None), None)
