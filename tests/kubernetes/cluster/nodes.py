"""Simulated nodes: Node objects whose kubelet is one small program, which also plays the Ray dashboard of head pods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cluster.api import KubernetesApi, Object, holds, wait_until

GPU = "nvidia.com/gpu"
GPU_TAINT = {"key": GPU, "value": "present", "effect": "NoSchedule"}
SIMULATED = "simulated.mlp.test/node"
LOST = "simulated.mlp.test/lost"


@dataclass(frozen=True)
class SimulatedNode:
    """A node as its cloud would register it."""

    name: str
    cpus: int = 16
    memory: str = "64Gi"
    gpus: int = 0
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    taints: Sequence[Mapping[str, str]] = ()

    def manifest(self) -> Object:
        labels = {"kubernetes.io/hostname": self.name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
        capacity = {"cpu": str(self.cpus), "memory": self.memory, "pods": "110", "ephemeral-storage": "100Gi"}
        if self.gpus:
            capacity[GPU] = str(self.gpus)
        return {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": self.name, "labels": labels | dict(self.labels) | {SIMULATED: "true"}},
            "spec": {"taints": [dict(taint) for taint in self.taints], "providerID": f"simulated://{self.name}"},
            "status": {"capacity": capacity, "allocatable": capacity, "nodeInfo": {"kubeletVersion": "simulated"}},
        }


def cpu_nodes(count: int, cpus: int = 16) -> list[SimulatedNode]:
    """`count` nodes named cpu-N with the label pool=cpu."""
    return [SimulatedNode(f"cpu-{index}", cpus, labels={"pool": "cpu"}) for index in range(count)]


def gpu_nodes(count: int, gpus: int = 4) -> list[SimulatedNode]:
    """`count` nodes named gpu-N with the label pool=gpu and the taint that keeps others off them."""
    made = range(count)
    return [SimulatedNode(f"gpu-{i}", gpus=gpus, labels={"pool": "gpu"}, taints=(GPU_TAINT,)) for i in made]


def add_nodes(api: KubernetesApi, nodes: Sequence[SimulatedNode], seconds: float = 120) -> None:
    """Register nodes and wait until the scheduler may use them."""
    # Created and not applied, so that taints set by Kubernetes itself stay.
    for node in nodes:
        api.create(node.manifest())
    expected = {node.name for node in nodes}

    def all_ready() -> bool:
        seen = {node["metadata"]["name"] for node in api.list("v1", "Node", labels=SIMULATED) if usable(node)}
        return expected <= seen

    wait_until(all_ready, f"{len(nodes)} nodes are ready", seconds)


def usable(node: Object) -> bool:
    """Ready, and no longer tainted as not being so."""
    taints = {taint["key"] for taint in node["spec"].get("taints", [])}
    return holds(node, "Ready") and not {key for key in taints if key.startswith("node.kubernetes.io/")}


def lose_node(api: KubernetesApi, name: str) -> None:
    """Let a node fall silent, as by a power failure: Kubernetes has to find out by itself."""
    api.patch(api.path("v1", "Node", name), {"metadata": {"annotations": {LOST: "true"}}})
