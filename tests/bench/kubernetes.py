"""The platform on Kubernetes: how soon a job is in the cluster, and whether its operator keeps up with KubeRay."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.cluster_load import JOB_SECONDS, RUN, Load, run_load
from bench.live import BIN
from bench.report import Figure, Section
from bench.timing import Timing, in_turns
from cluster.build import built
from cluster.cluster import running_cluster
from cluster.components import KUBECTL
from cluster.nodes import cpu_nodes, gpu_nodes
from cluster.requirements import missing_requirements
from mlp_operator.engines.kubernetes import names
from support.kubernetes_platform import PROJECT, KubernetesPlatform, running_kubernetes_platform
from support.postgres import running_postgres

CPU_NODES, GPU_NODES, PROJECTS, JOBS = 180, 20, 30, 300
ROUNDS = 9
LAG_SECONDS = 2.0
TEXT = """{nodes} simulated nodes under a real control plane, KubeRay and Kueue, all on this machine with the platform:
one api, two operators, a worker, MLflow, Postgres. First from starting a command to its RayJob being in the cluster,
as a watch tells it: `mlp job submit`, and `kubectl apply` of the RayJob that this made, in turns. Then {jobs} jobs (a
head, a worker, {run} each) of {projects} projects, submitted as fast as the api takes them: how far the platform's
events are behind a watch of the RayJobs, and what both operators together use, beside KubeRay's own."""
_MIB = 2**20


def measure() -> Section:
    """Needs root on Linux and Go; compiles the cluster where that has not been done."""
    if missing := missing_requirements():
        sys.exit(" ".join(missing))
    kubectl = built([KUBECTL], print)["kubectl"] / "bin/kubectl"
    projects = [PROJECT, *(f"load-{number}" for number in range(1, PROJECTS))]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mlp-bench-")))
        cluster = stack.enter_context(running_cluster(print, [*cpu_nodes(CPU_NODES), *gpu_nodes(GPU_NODES)]))
        postgres = stack.enter_context(running_postgres())
        platform = stack.enter_context(running_kubernetes_platform(cluster, postgres, folder, projects))
        commands = Commands(platform, kubectl, folder)
        taken = in_turns({"ours": commands.submit, "kubectl": commands.apply}, ROUNDS)
        platform.until_nothing_left(120)
        load = run_load(platform, projects, JOBS)
    text = TEXT.format(nodes=CPU_NODES + GPU_NODES, jobs=JOBS, run=RUN, projects=PROJECTS)
    return Section("kubernetes", "On Kubernetes", text, [*_submit(taken), *_load(load)], list(_notes(load)))


class Commands:
    """Two ways to have a RayJob in the cluster; each answers the seconds from its start to the object."""

    def __init__(self, platform: KubernetesPlatform, kubectl: Path, folder: Path) -> None:
        self._platform = platform
        self._kubectl = kubectl
        self._folder = folder
        self._manifest: dict[str, Any] = {}
        self._environment = {
            **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
            "MLP_URL": platform.client.url,
            "MLP_TOKEN": platform.client.session.origin.token or "",
            "MLP_PROJECT": PROJECT,
            "MLP_CONFIG": str(folder / "none.toml"),
            "HOME": str(folder),
        }

    def submit(self) -> float:
        shape = ("--workers", "1", "--cpus", "1", "--memory", "1Gi", "--head-memory", "1Gi")
        line = ("job", "submit", "--no-package", "--env", "SIMULATED_RUN=1s", *shape, "--", "python", "main.py")
        seconds, ray_job = self._until_there([str(BIN / "mlp"), *line])
        self._manifest = ray_job
        self._platform.until_nothing_left(120)
        return seconds

    def apply(self) -> float:
        if not self._manifest:
            self.submit()
        manifest = self._folder / "job.json"
        manifest.write_text(json.dumps(_as_written(self._manifest)))
        line = ["--kubeconfig", str(self._platform.cluster.kubeconfig), "apply", "-f", str(manifest)]
        seconds, ray_job = self._until_there([str(self._kubectl), *line])
        metadata = ray_job["metadata"]
        self._platform.cluster.api.delete("ray.io/v1", "RayJob", metadata["name"], metadata["namespace"])
        self._platform.until_nothing_left(120)
        return seconds

    def _until_there(self, command: list[str]) -> tuple[float, dict[str, Any]]:
        """Seconds from the start of `command` to the first news of a RayJob that was not there before."""
        found: list[tuple[float, dict[str, Any]]] = []
        stop, watching = threading.Event(), threading.Event()

        def look_on() -> None:
            api = self._platform.cluster.plane.api()
            path = api.path("ray.io/v1", "RayJob")
            before = {item["metadata"]["uid"] for item in api.get_path(path)["items"]}
            watching.set()
            for _, ray_job in api.changes("ray.io/v1", "RayJob", stop):
                if ray_job["metadata"]["uid"] not in before:
                    found.append((time.perf_counter(), ray_job))
                    break
            api.close()

        looker = threading.Thread(target=look_on, daemon=True)
        looker.start()
        watching.wait(60)
        started = time.perf_counter()
        try:
            subprocess.run(command, env=self._environment, cwd=self._folder, check=True, capture_output=True)
            looker.join(60)
        finally:
            stop.set()
        if not found:
            raise TimeoutError(f"{command[0]} has ended, and no RayJob came")
        return found[0][0] - started, found[0][1]


def _as_written(ray_job: dict[str, Any]) -> dict[str, Any]:
    """What was applied for a job, under another name and as nobody's: the operator removes jobs that it misses."""
    metadata = ray_job["metadata"]
    labels = {key: value for key, value in metadata["labels"].items() if key not in (names.MANAGED_BY, names.JOB)}
    name = f"by-hand-{uuid.uuid4().hex[:8]}"
    spec = {key: value for key, value in ray_job["spec"].items() if key not in ("suspend", "jobId")}
    return {
        "apiVersion": ray_job["apiVersion"],
        "kind": ray_job["kind"],
        "metadata": {"name": name, "namespace": metadata["namespace"], "labels": labels},
        "spec": spec,
    }


def _submit(taken: dict[str, Timing]) -> Iterator[Figure]:
    ours, theirs = taken["ours"], taken["kubectl"]
    ratio = ours.median / theirs.median
    yield Figure(
        "from the command to the RayJob", f"{ours.median * 1000:.0f} ms", "`kubectl apply` of the same",
        f"{theirs.median * 1000:.0f} ms", f"{ratio:.2f}x", "at most 1.5x", ratio <= 1.5,
    )  # fmt: skip


def _load(load: Load) -> Iterator[Figure]:
    lag = Timing(tuple(seconds for timing in load.lags.values() for seconds in timing.seconds)).quantile(0.95)
    yield Figure(
        "p95 of the lag of a status", f"{lag:.2f} s", "a watch of RayJobs", "", "", f"under {LAG_SECONDS:g} s",
        lag < LAG_SECONDS,
    )  # fmt: skip
    ours, theirs = (load.cpu_seconds[name] / load.jobs for name in ("ours", "kuberay"))
    yield Figure(
        "CPU of one job", f"{ours * 1000:.0f} ms", "KubeRay's operator", f"{theirs * 1000:.0f} ms",
        f"{ours / theirs:.2f}x", "at most 1.1x", ours <= 1.1 * theirs,
    )  # fmt: skip
    then, now = load.resident_bytes["ours"]
    kuberay = " to ".join(f"{value / _MIB:.0f}" for value in load.resident_bytes["kuberay"])
    yield Figure(
        "memory of both operators", f"{then / _MIB:.0f} to {now / _MIB:.0f} MiB", "KubeRay's operator",
        f"{kuberay} MiB", f"{now / then:.2f}x from {load.jobs // 3} to {load.jobs} jobs", "at most 1.1x",
        now <= 1.1 * then,
    )  # fmt: skip
    yield Figure(
        f"{load.jobs} jobs", f"{load.jobs / load.seconds:.1f} per second", "", "",
        f"{load.not_succeeded} not succeeded", "0 not succeeded", load.not_succeeded == 0,
    )  # fmt: skip


def _notes(load: Load) -> Iterator[str]:
    yield (
        "Lag by phase: "
        + "; ".join(
            f"{phase} median {timing.median:.2f} s, p95 {timing.quantile(0.95):.2f} s, of {len(timing)}"
            for phase, timing in load.lags.items()
            if len(timing)
        )
        + "."
    )
    yield f"All {load.jobs} jobs took {load.seconds:.0f} s, of {JOB_SECONDS:.0f} s that they may take."
