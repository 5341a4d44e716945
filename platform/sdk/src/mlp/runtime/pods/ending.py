"""`end` and `stop`: an attempt's processes in this pod are given notice, and their grace."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

from mlp.runtime import pids
from mlp.runtime.pids import WORK_MARK, PidRecord
from mlp.runtime.pods import exits
from mlp.runtime.pods.looking import look
from mlp.runtime.pods.places import AttemptPlace, Pod
from mlp.runtime.pods.telling import say
from mlp.runtime.pods.timing import LAUNCHER_MARGIN_SECONDS
from mlp.runtime.pods.work import Work
from mlp.runtime.records import STOP_FILE, Notice, StopRequest, instant

_WHY = "Its machine is being taken back."
_LOOK_SECONDS = 0.1


def end(pod: Pod) -> int:
    """Before the Ray container is stopped, for whatever reason. Nothing is waited for that has ended already.

    A worker's processes get the same grace as the head's, because what the head saves in its own may need them; they
    end by themselves when the head's process has.
    """
    places = list(pod.attempts())
    names = [Work.read(place.work).name for place in places]
    living = [place for place, name in zip(places, names, strict=True) if _lives(place, name)]
    for place in living:
        give_notice(place, pod.grace_seconds, _WHY)
    until = time.monotonic() + pod.grace_seconds + LAUNCHER_MARGIN_SECONDS
    _wait(until, lambda: not any(_lives(place, name) for place, name in zip(places, names, strict=True)))
    if pod.is_head:
        begun = [place for place in places if look(place).has_driver]
        _wait(time.monotonic() + pod.flush_seconds, lambda: all(place.flushed.exists() for place in begun))
    return exits.DONE


def stop(pod: Pod, name: str, grace_seconds: float, why: str) -> int:
    """Ask one attempt to end. Safe to repeat: the first notice counts."""
    for place in pod.attempts():
        if Work.read(place.work).name == name:
            give_notice(place, grace_seconds, why)
            return exits.DONE
    say(f"{name} is not in this pod.")
    return exits.NO_WORK


def give_notice(place: AttemptPlace, grace_seconds: float, why: str) -> None:
    """In files first, then by a signal to the launcher, which does the waiting; it passes over all but the first."""
    if not (place.root / STOP_FILE).exists():
        Notice(why=why, at=instant(), grace_seconds=grace_seconds).write(place.root)
        StopRequest(grace_seconds=grace_seconds, why=why).write(place.root)
    pids.signal_record(PidRecord.read(place.launcher), signal.SIGTERM)


def _lives(place: AttemptPlace, name: str) -> bool:
    return pids.is_alive(PidRecord.read(place.launcher)) or bool(pids.marked(WORK_MARK, name))


def _wait(until: float, is_done: Callable[[], bool]) -> None:
    while not is_done() and time.monotonic() < until:
        time.sleep(_LOOK_SECONDS)
