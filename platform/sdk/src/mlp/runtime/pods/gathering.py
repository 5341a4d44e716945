"""At the end of a work on a cluster that many works share: has every node end what is left of it and hand it in.

    python -I -m mlp.runtime.pods.gathering NAME SUBMISSION SECONDS

Pods of such a cluster stay, so no agent hears of the end by itself; Ray reaches all nodes. Only this imports Ray.
"""

from __future__ import annotations

import importlib
import signal
import sys
import time
from typing import Any

from mlp.runtime import pids
from mlp.runtime.pids import WORK_MARK
from mlp.runtime.pods.places import this_pod
from mlp.runtime.pods.seals import Seal
from mlp.runtime.pods.telling import say

_LOOK_SECONDS = 0.1
_END_SECONDS = 5.0
_ROWS = 10_000


def main(name: str, submission: str, seconds: float) -> int:
    ray: Any = importlib.import_module("ray")
    scheduling: Any = importlib.import_module("ray.util.scheduling_strategies")
    until = time.monotonic() + seconds
    ray.init(log_to_driver=False, logging_level="ERROR")
    _end_detached_actors(ray, submission)
    finishing = ray.remote(num_cpus=0, max_retries=0)(finish)
    here = ray.get_runtime_context().get_node_id()
    calls: list[Any] = []
    for node in ray.nodes():
        if node["Alive"] and node["NodeID"] != here:
            there = scheduling.NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            calls.append(finishing.options(scheduling_strategy=there).remote(name, seconds))
    if not calls:
        return 0
    _, late = ray.wait(calls, num_returns=len(calls), timeout=max(0.1, until - time.monotonic()))
    if late:
        say(f"{len(late)} of {len(calls)} nodes did not hand in the rest of {name} in time.")
    return 1 if late else 0


def finish(name: str, seconds: float) -> None:
    """On one node, in a process of the platform's own Python."""
    pod = this_pod()
    place = pod.attempt(name)
    if not place.work.exists():
        return
    until = time.monotonic() + _END_SECONDS
    while (rest := pids.marked(WORK_MARK, name)) and time.monotonic() < until:
        pids.send(rest, signal.SIGKILL)
        time.sleep(_LOOK_SECONDS)
    Seal.from_now(seconds).write(place.seal)
    until = time.monotonic() + seconds
    while place.work.exists() and not place.flushed.exists() and time.monotonic() < until:
        time.sleep(_LOOK_SECONDS)


def _end_detached_actors(ray: Any, submission: str) -> None:
    """For good, so that Ray starts none of them anew."""
    state: Any = importlib.import_module("ray.util.state")
    jobs = {job.job_id for job in state.list_jobs(limit=_ROWS) if job.submission_id == submission and job.job_id}
    for actor in state.list_actors(limit=_ROWS, detail=True):
        if actor.is_detached and actor.job_id in jobs and actor.state != "DEAD" and actor.name:
            try:
                ray.kill(ray.get_actor(actor.name, namespace=actor.ray_namespace), no_restart=True)
            except ValueError:
                # It has ended meanwhile.
                continue


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], float(sys.argv[3])))
