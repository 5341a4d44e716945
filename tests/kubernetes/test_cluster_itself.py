"""The test cluster is a real one: gangs are admitted or wait as Kueue decides, and nothing outlives it."""

from __future__ import annotations

import subprocess
from collections.abc import Generator
from pathlib import Path

import pytest

from cluster.api import Object, condition, holds, wait_until
from cluster.cluster import Cluster, clusters_folder, running_cluster, sweep
from cluster.network import Network
from cluster.nodes import SimulatedNode, add_nodes, cpu_nodes, lose_node
from cluster.ray import KUEUE, cluster_queue, ending, flavors, local_queue, ray_job, workload_of

pytestmark = pytest.mark.timeout(900)
RAY = "ray.io/v1"


@pytest.fixture
def queue(cluster: Cluster, fresh_namespace: str) -> Generator[str]:
    """A namespace with a queue of 8 CPUs and 2 GPUs, all for this test."""
    name = fresh_namespace
    cluster.api.apply(*flavors(), cluster_queue(name, cpus=8, gpus=2), local_queue(name, name))
    wait_until(lambda: holds(cluster.api.get(KUEUE, "ClusterQueue", name), "Active"), "the queue is active")
    yield name
    for job in cluster.api.list(RAY, "RayJob", name):
        cluster.api.delete(RAY, "RayJob", job["metadata"]["name"], name)
    cluster.api.delete(KUEUE, "ClusterQueue", name)


def test_gang_of_head_cpu_and_gpu_groups_is_admitted_at_once_each_on_its_flavor(cluster: Cluster, queue: str) -> None:
    job = ray_job(queue, "gang", cpu_workers=2, gpu_workers=1, pods=ending("600s"))
    cluster.api.create(job)

    workload = wait_until(lambda: admitted(cluster, job), "the gang is admitted")
    assignments = workload["status"]["admission"]["podSetAssignments"]
    assert {entry["name"]: set(entry["flavors"].values()) for entry in assignments} == {
        "head": {"cpu"},
        "cpu": {"cpu"},
        "gpu": {"gpu"},
        "submitter": {"cpu"},
    }

    pods = wait_until(lambda: running_pods(cluster, queue, 4), "all pods of the gang run")
    pools = sorted((group_of(pod), pod["spec"]["nodeName"].split("-")[0]) for pod in pods)
    assert pools == [("cpu", "cpu"), ("cpu", "cpu"), ("gpu", "gpu"), ("headgroup", "cpu")]


def test_job_beyond_the_quota_waits_with_the_reason_of_kueue(cluster: Cluster, queue: str) -> None:
    job = ray_job(queue, "greedy", gpu_workers=3)
    cluster.api.create(job)

    def reason() -> Object | None:
        found = condition(workload_of(cluster.api, job), "QuotaReserved")
        return found if found and "insufficient" in found["message"] else None

    waiting = wait_until(reason, "Kueue says why the job waits")
    assert waiting["status"] == "False"
    assert "nvidia.com/gpu" in waiting["message"]
    assert cluster.api.list("v1", "Pod", queue) == []


@pytest.mark.parametrize(("run", "status"), [("1s", "SUCCEEDED"), ("1s exit 3", "FAILED")])
def test_job_on_simulated_nodes_ends_as_it_is_told(cluster: Cluster, queue: str, run: str, status: str) -> None:
    job = ray_job(queue, "short", cpu_workers=1, pods=ending(run))
    cluster.api.create(job)

    def ended() -> str | None:
        seen = cluster.api.get(RAY, "RayJob", "short", queue).get("status", {})
        return seen["jobStatus"] if seen.get("jobDeploymentStatus") in ("Complete", "Failed") else None

    assert wait_until(ended, "the job has ended", 120) == status
    wait_until(lambda: not cluster.api.list("v1", "Pod", queue, "ray.io/cluster"), "its pods are gone", 60)


def test_node_that_falls_silent_is_found_lost(cluster: Cluster) -> None:
    lost = SimulatedNode("doomed", labels={"pool": "doomed"})
    add_nodes(cluster.api, [lost])
    try:
        lose_node(cluster.api, "doomed")
        wait_until(lambda: not holds(cluster.api.get("v1", "Node", "doomed"), "Ready"), "the node is lost", 180)
    finally:
        cluster.api.delete("v1", "Node", "doomed")


def test_api_server_is_reached_from_this_machine_and_from_inside(cluster: Cluster) -> None:
    probe = ("curl", "--silent", "--insecure", "--fail", f"{cluster.plane.url}/livez")
    assert subprocess.run(probe, check=True, capture_output=True).stdout == b"ok"
    assert subprocess.run(cluster.network.inside(*probe), check=True, capture_output=True).stdout == b"ok"


def test_nothing_of_a_cluster_is_left_when_it_is_taken_down(cluster: Cluster) -> None:
    with running_cluster(print, cpu_nodes(1)) as second:
        network, folder = second.network, second.programs.folder
        pids = second.programs.running()
        assert network != cluster.network
        assert {"etcd", "kube-apiserver", "kueue", "ray-operator", "fakenode"} <= set(pids)

    assert [name for name, pid in pids.items() if Path(f"/proc/{pid}").exists()] == []
    assert not folder.exists()
    assert not leftovers(network)
    assert cluster.api.answers("/readyz"), "the other cluster lives on"


def test_cluster_whose_owner_was_killed_is_swept_away(cluster: Cluster) -> None:
    orphan = clusters_folder() / "219"
    orphan.mkdir()
    (orphan / "owner").write_text("1 0")
    subprocess.run(["ip", "netns", "add", Network(219).namespace], check=True)

    sweep()

    assert not orphan.exists()
    assert not leftovers(Network(219))


def leftovers(network: Network) -> list[str]:
    """Where the machine still knows a cluster's network."""
    places = [Path("/run/netns", network.namespace), Path("/sys/class/net", network.cable)]
    mounts = [line for line in Path("/proc/mounts").read_text().splitlines() if network.namespace in line]
    return [str(path) for path in places if path.exists()] + mounts


def admitted(cluster: Cluster, job: Object) -> Object | None:
    workload = workload_of(cluster.api, job)
    return workload if holds(workload, "Admitted") else None


def running_pods(cluster: Cluster, namespace: str, count: int) -> list[Object] | None:
    pods = cluster.api.list("v1", "Pod", namespace, "ray.io/cluster")
    running = [pod for pod in pods if pod["status"]["phase"] == "Running"]
    return running if len(running) == count else None


def group_of(pod: Object) -> str:
    return str(pod["metadata"]["labels"]["ray.io/group"])
