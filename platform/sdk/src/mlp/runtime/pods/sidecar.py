"""`agent`: the container beside Ray's in each pod. It outlives what happens there, and ships what is left of it."""

from __future__ import annotations

import shutil
import signal
import time
from pathlib import Path

from mlp.runtime._json import MalformedError
from mlp.runtime.pods import exits
from mlp.runtime.pods.containers import link_cgroups
from mlp.runtime.pods.keeping import Keeper, Phase
from mlp.runtime.pods.places import Pod
from mlp.runtime.pods.telling import say

_LOOK_SECONDS = 0.1
_LINK_SECONDS = 2.0
_WATCHED = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGCHLD})


def run(pod: Pod) -> int:
    """Until SIGTERM, and then until everything of this pod is handed in, or its time is up."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)
    keepers: dict[Path, Keeper] = {}
    stop = False
    link_at = 0.0
    while True:
        _meet(pod, keepers)
        now = time.monotonic()
        if now >= link_at:
            link_at = now + _LINK_SECONDS
            link_cgroups([keeper.place for keeper in keepers.values()])
        for keeper in keepers.values():
            keeper.step(stop=stop)
        if pod.is_shared:
            _forget(pod, keepers)
        if stop and all(keeper.phase is Phase.DONE for keeper in keepers.values()):
            return exits.DONE
        heard = signal.sigtimedwait(_WATCHED, _LOOK_SECONDS)
        stop = stop or (heard is not None and heard.si_signo != signal.SIGCHLD)


def _meet(pod: Pod, keepers: dict[Path, Keeper]) -> None:
    for place in pod.attempts():
        if place.root in keepers:
            continue
        try:
            keepers[place.root] = Keeper.of(pod, place)
        except (FileNotFoundError, MalformedError) as error:
            say(f"{place.work} cannot be used: {error}")


def _forget(pod: Pod, keepers: dict[Path, Keeper]) -> None:
    """On a cluster that many works share, an attempt that is over leaves no folder. On the head its entrypoint clears
    up."""
    for root, keeper in list(keepers.items()):
        if keeper.phase is Phase.DONE and not pod.is_head:
            shutil.rmtree(root, ignore_errors=True)
        if not root.exists():
            keeper.end()
            del keepers[root]
