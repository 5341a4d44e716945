"""Two true nodes run a true Ray job, admitted by Kueue as one gang, and their pods reach what this machine serves."""

from __future__ import annotations

import json
import shlex
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from cluster.api import Object, holds, namespace, wait_until
from cluster.cluster import Cluster, clusters_folder, running_cluster
from cluster.images import RAY
from cluster.ray import KUEUE, Pods, cluster_queue, flavors, local_queue, ray_job
from cluster.real_nodes import default_real_nodes
from cluster.requirements import missing_requirements

pytestmark = pytest.mark.timeout(1800)

PROGRAM = """
import json, ray, sys, urllib.request
ray.init()

@ray.remote(num_gpus=1, num_cpus=0)
def on_gpu():
    return ray.get_runtime_context().get_node_id(), ray.get_gpu_ids()

@ray.remote(num_cpus=1)
def on_cpu():
    return ray.get_runtime_context().get_node_id()

gpu_node, gpus = ray.get(on_gpu.remote())
seen = {"gpus": gpus, "nodes": len(ray.nodes()), "cpu_node": ray.get(on_cpu.remote()), "gpu_node": gpu_node}
urllib.request.urlopen(urllib.request.Request(sys.argv[1], json.dumps(seen).encode(), method="POST"))
"""

SHARED = (
    "/etc/kueue",
    "/opt/cni",
    "/opt/containerd",
    "/run/containerd",
    "/var/lib/cni",
    "/var/lib/containerd",
    "/var/lib/kubelet",
    "/var/log/containers",
    "/var/log/pods",
    "/visibility",
)
"""Places that some of the programs know by heart."""


def test_true_job_of_head_cpu_and_gpu_groups_runs_to_its_end(cluster_with_true_nodes: Cluster) -> None:
    cluster = cluster_with_true_nodes
    api = cluster.api
    pods = Pods(RAY, "300m", "1Gi", limits={"cpu": "2", "memory": "4Gi"}, start={"object-store-memory": "100000000"})
    with namespace(api, "true") as name, mailbox(cluster.network.machine) as (url, letters):
        api.apply(*flavors(), cluster_queue(name, cpus=2, gpus=2), local_queue(name, name))
        wait_until(lambda: holds(api.get(KUEUE, "ClusterQueue", name), "Active"), "the queue is active")
        command = shlex.join(["python", "-c", PROGRAM, url])
        api.create(ray_job(name, "job", cpu_workers=1, gpu_workers=1, pods=pods, entrypoint=command))

        where = wait_until(lambda: running_on(cluster, name), "all pods run", 300)
        assert where == {"headgroup": "real-cpu", "cpu": "real-cpu", "gpu": "real-gpu"}

        def ended() -> Object | None:
            status = api.get("ray.io/v1", "RayJob", "job", name).get("status", {})
            return status if status.get("jobDeploymentStatus") in ("Complete", "Failed") else None

        status = wait_until(ended, "the job has ended", 600)
        assert status["jobStatus"] == "SUCCEEDED", status.get("message")
        (letter,) = letters
        assert letter["gpus"] == [0]
        assert letter["nodes"] == 3
        assert letter["cpu_node"] != letter["gpu_node"]
        wait_until(lambda: not api.list("v1", "Pod", name, "ray.io/cluster"), "the pods are gone", 120)
        api.delete(KUEUE, "ClusterQueue", name)


def test_nothing_of_true_nodes_is_left_when_they_are_taken_down() -> None:
    """Two more of them, with a pod that still runs when they go."""
    if missing := missing_requirements(true_nodes=True):
        pytest.skip(" ".join(missing))
    before = traces()
    with running_cluster(print, real=default_real_nodes()) as cluster:
        container = {"name": "sleeper", "image": RAY, "command": ["sleep", "inf"]}
        metadata = {"name": "sleeper", "namespace": "default"}
        cluster.api.create(
            {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}
        )
        path = cluster.api.path("v1", "Pod", "sleeper", "default")
        wait_until(lambda: holds(cluster.api.get_path(path), "Ready"), "the pod runs", 300)
        network = cluster.network
        assert traces() - before

    assert traces() - before == set()
    assert not network.exists()


def traces() -> set[str]:
    """Where true nodes are seen on this machine: mounts, control groups, processes, and folders that are not theirs."""
    marks = ("mlp-k8s-", str(clusters_folder()))
    mounts = {line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()}
    groups = {str(path) for path in Path("/sys/fs/cgroup").glob("*/mlp-k8s-*")}
    commands = {command_of(process) for process in Path("/proc").glob("[0-9]*")}
    own = {trace for trace in (mounts | groups) if any(mark in trace for mark in marks)}
    running = {command for command in commands if "mlp-k8s-" in command}
    return own | running | {place for place in SHARED if Path(place).exists()}


def command_of(process: Path) -> str:
    """Empty where it has ended since."""
    try:
        return (process / "cmdline").read_bytes().decode(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def running_on(cluster: Cluster, namespace: str) -> dict[str, str] | None:
    """Group → node, once a head and two workers run."""
    pods = cluster.api.list("v1", "Pod", namespace, "ray.io/cluster")
    running = [pod for pod in pods if pod["status"]["phase"] == "Running"]
    if len(running) < 3:
        return None
    return {pod["metadata"]["labels"]["ray.io/group"]: pod["spec"]["nodeName"] for pod in running}


@contextmanager
def mailbox(address: str) -> Generator[tuple[str, list[dict[str, Any]]]]:
    """A server of this machine, as the api is one in other tests: its URL, and what has been sent to it."""
    letters: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            letters.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

    with ThreadingHTTPServer((address, 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://{address}:{server.server_port}/", letters
        finally:
            server.shutdown()
