"""Many jobs of many projects at once on a test cluster, looked at from both sides: the cluster's and the platform's."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

import httpx
import psutil

from bench.timing import Timing
from cluster.api import Object, Refused
from cluster.cluster import Cluster
from mlp_operator.engines.kubernetes import names
from support.kubernetes_platform import KubernetesPlatform

RUN = "20s"
JOB_SECONDS = 1500.0
_AT_ONCE = 8
_LOOK_SECONDS = 1.0
_ENDED = ("Complete", "Failed")


@dataclass
class Seen:
    """When a watch of RayJobs first told of each step of a job; by the wall clock, which all processes share."""

    appeared: dict[str, float] = field(default_factory=dict[str, float])
    running: dict[str, float] = field(default_factory=dict[str, float])
    ended: dict[str, float] = field(default_factory=dict[str, float])
    gone: dict[str, float] = field(default_factory=dict[str, float])

    def note(self, kind: str, ray_job: Object, at: float) -> None:
        job = ray_job["metadata"]["labels"].get(names.JOB) or ray_job["metadata"]["name"]
        status = ray_job.get("status", {})
        self.appeared.setdefault(job, at)
        if kind == "DELETED":
            self.gone.setdefault(job, at)
        if status.get("jobStatus") not in (None, "", "PENDING"):
            self.running.setdefault(job, at)
        if status.get("jobStatus") in ("SUCCEEDED", "FAILED") or status.get("jobDeploymentStatus") in _ENDED:
            self.ended.setdefault(job, at)


@contextmanager
def watching_ray_jobs(cluster: Cluster) -> Generator[Seen]:
    """Everything that happens to RayJobs while the block runs."""
    seen, stop, failed = Seen(), threading.Event(), list[Exception]()

    def look_on() -> None:
        api = cluster.plane.api()
        try:
            for kind, ray_job in api.changes("ray.io/v1", "RayJob", stop):
                seen.note(kind, ray_job, time.time())
        except (Refused, httpx.HTTPError) as error:
            failed.append(error)
        finally:
            api.close()

    looker = threading.Thread(target=look_on, daemon=True)
    looker.start()
    try:
        yield seen
    finally:
        stop.set()
        looker.join()
    if failed:
        raise failed[0]


@dataclass(frozen=True)
class Usage:
    """CPU seconds since its start and memory of one program."""

    cpu_seconds: float
    resident_bytes: int

    @classmethod
    def of(cls, pids: Sequence[int]) -> Usage:
        """Of several programs together."""
        processes = [psutil.Process(pid) for pid in pids]
        times = [process.cpu_times() for process in processes]
        cpu = sum(taken.user + taken.system for taken in times)
        return cls(cpu, sum(process.memory_info().rss for process in processes))


@dataclass(frozen=True)
class Load:
    """What became of all jobs."""

    jobs: int
    seconds: float
    lags: Mapping[str, Timing]
    """Status change in the cluster → its event in the platform, by the phase that it led to."""
    cpu_seconds: Mapping[str, float]
    """Of both operators together (`ours`), and of KubeRay (`kuberay`)."""
    resident_bytes: Mapping[str, tuple[int, int]]
    """At a third of the jobs, and after all of them."""
    not_succeeded: int


def run_load(platform: KubernetesPlatform, projects: Sequence[str], jobs: int) -> Load:
    """Submit `jobs` over the projects as fast as the api takes them, and wait for their end."""
    pids = pids_of(platform)
    before = {name: Usage.of(found) for name, found in pids.items()}
    with watching_ray_jobs(platform.cluster) as seen:
        started = time.monotonic()
        wanted = [projects[number % len(projects)] for number in range(jobs)]
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            made = list(threads.map(partial(_submit, platform), wanted))
        ours = {job for _, job in made}
        third = _wait(platform, seen, ours, jobs // 3, started)
        _wait(platform, seen, ours, jobs, started)
        not_succeeded = _wait_for_ends(platform, made, started)
        seconds = time.monotonic() - started
        after = {name: Usage.of(found) for name, found in pids.items()}
    return Load(
        jobs=jobs,
        seconds=seconds,
        lags=lags(platform, made, seen),
        cpu_seconds={name: after[name].cpu_seconds - before[name].cpu_seconds for name in pids},
        resident_bytes={name: (third[name].resident_bytes, after[name].resident_bytes) for name in pids},
        not_succeeded=not_succeeded,
    )


def pids_of(platform: KubernetesPlatform) -> dict[str, list[int]]:
    kuberay = platform.cluster.programs.running()["ray-operator"]
    operators = [service.pid for name, service in platform.services.items() if name.startswith("operator")]
    return {"ours": operators, "kuberay": [kuberay]}


def lags(platform: KubernetesPlatform, made: Sequence[tuple[str, str]], seen: Seen) -> dict[str, Timing]:
    """Seconds by which the platform's events are behind the cluster's own news. Ahead of them is not behind."""
    found: dict[str, list[float]] = {"running": [], "sealing": [], "succeeded": []}
    told = {"running": seen.running, "sealing": seen.ended, "succeeded": seen.gone}
    for project, job in made:
        first: dict[str, float] = {}
        for event in sorted(platform.job(job, project).events, key=lambda event: event.at):
            first.setdefault(str(event.data.get("phase")), event.at.timestamp())
        for phase, at in told.items():
            if job in at and phase in first:
                found[phase].append(max(0.0, first[phase] - at[job]))
    return {phase: Timing(tuple(seconds)) for phase, seconds in found.items()}


def _submit(platform: KubernetesPlatform, project: str) -> tuple[str, str]:
    return project, platform.submit(RUN, project=project)


def _wait(platform: KubernetesPlatform, seen: Seen, jobs: set[str], count: int, started: float) -> dict[str, Usage]:
    """Until `count` of the jobs have gone from the cluster; what the programs use then."""
    while len(jobs & seen.gone.keys()) < count:
        _require_time(started, f"{len(jobs & seen.gone.keys())} of {count} jobs are gone from the cluster")
        time.sleep(_LOOK_SECONDS)
    return {name: Usage.of(found) for name, found in pids_of(platform).items()}


def _wait_for_ends(platform: KubernetesPlatform, made: Sequence[tuple[str, str]], started: float) -> int:
    """Until the platform says of every job that it has ended; how many did not succeed."""
    waiting = list(made)
    not_succeeded = 0
    while waiting:
        _require_time(started, f"{len(waiting)} jobs have not ended")
        reads = [(entry, platform.job(entry[1], entry[0]).read) for entry in waiting]
        not_succeeded += sum(read.phase.is_terminal and read.phase != "succeeded" for _, read in reads)
        waiting = [entry for entry, read in reads if not read.phase.is_terminal]
        time.sleep(_LOOK_SECONDS)
    return not_succeeded


def _require_time(started: float, where: str) -> None:
    if time.monotonic() - started > JOB_SECONDS:
        raise TimeoutError(f"after {JOB_SECONDS:.0f} s: {where}")
