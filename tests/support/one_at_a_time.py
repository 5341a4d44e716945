"""Watches pods from outside of the platform: of no job may two attempts live at the same moment."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx

from cluster.api import Object, Refused
from cluster.cluster import Cluster
from mlp_operator.engines.kubernetes import names

_LOOK_SECONDS = 0.25


@dataclass
class Watched:
    """What was seen so far."""

    clusters: dict[str, set[str]] = field(default_factory=lambda: defaultdict[str, set[str]](set))
    """Job → the Ray clusters of which a pod ran."""
    overlaps: list[str] = field(default_factory=list[str])
    looks: int = 0


@contextmanager
def watching_attempts(cluster: Cluster) -> Generator[Watched]:
    """Look a few times a second, for as long as the block runs; what cannot be seen while the API is down is not."""
    watched = Watched()
    stop = threading.Event()

    def look_on() -> None:
        api = cluster.plane.api()
        selector = f"{names.JOB},{names.RAY_CLUSTER}"
        while not stop.wait(_LOOK_SECONDS):
            try:
                pods = api.list("v1", "Pod", labels=selector)
            except (Refused, httpx.HTTPError):
                continue
            _note(watched, pods)
        api.close()

    looker = threading.Thread(target=look_on, daemon=True)
    looker.start()
    try:
        yield watched
    finally:
        stop.set()
        looker.join()


def _note(watched: Watched, pods: Iterable[Object]) -> None:
    running: dict[str, set[str]] = defaultdict(set)
    for pod in pods:
        labels = pod["metadata"]["labels"]
        if pod["status"].get("phase") == "Running":
            running[labels[names.JOB]].add(labels[names.RAY_CLUSTER])
    for job, clusters in running.items():
        watched.clusters[job] |= clusters
        if len(clusters) > 1:
            watched.overlaps.append(f"{job}: {', '.join(sorted(clusters))}")
    watched.looks += 1
