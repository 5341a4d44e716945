"""One cluster, from an empty machine to a kubeconfig, and back to a machine on which nothing of it is left."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from cluster.api import KubernetesApi
from cluster.build import Report, built, cache_folder
from cluster.components import SIMULATED
from cluster.control_plane import ControlPlane
from cluster.network import Network, make_network
from cluster.nodes import SimulatedNode, add_nodes, cpu_nodes, gpu_nodes
from cluster.operators import Operators
from cluster.pki import by_certificate
from cluster.processes import Programs, lives, process_of

_OWNER = "owner"


@dataclass(frozen=True)
class Cluster:
    """A running cluster; its folder holds kubeconfigs, and the log and the pid of every program."""

    network: Network
    programs: Programs
    plane: ControlPlane
    operators: Operators
    fakenode: Path

    @classmethod
    def at(cls, network: Network, groups: Mapping[str, Path]) -> Cluster:
        """The cluster of a network, running or not, with its programs in the folders of `groups`."""
        programs = Programs(network, clusters_folder() / str(network.number))
        plane = ControlPlane.at(network, programs, groups["control-plane"] / "bin", programs.folder)
        operators = Operators(plane, groups["control-plane"], groups["kuberay"])
        return cls(network, programs, plane, operators, groups["simulated-nodes"] / "bin/fakenode")

    @cached_property
    def api(self) -> KubernetesApi:
        """A client with all rights."""
        return self.plane.api()

    @property
    def kubeconfig(self) -> Path:
        """An administrator's, valid on this machine and inside the namespace."""
        return self.programs.folder / "administrator.kubeconfig"

    def start(self, nodes: Sequence[SimulatedNode], report: Report) -> None:
        """Start everything, in order. NotReady or TimedOut where it does not come up."""
        report("starting the control plane")
        self.plane.kubeconfig("administrator", by_certificate(self.plane.administrator))
        self.plane.start()
        report("starting Kueue and KubeRay")
        self.operators.install(self.api)
        report(f"adding {len(nodes)} simulated nodes")
        self.start_fakenode()
        add_nodes(self.api, nodes)

    def start_fakenode(self) -> None:
        """Start the kubelet of all simulated nodes."""
        flags = (f"--kubeconfig={self.kubeconfig}", f"--pod-range={self.network.simulated_pods}")
        self.programs.start("fakenode", (str(self.fakenode), *flags))


def clusters_folder() -> Path:
    """Has one folder for each cluster of this machine's user that is up, or was when its owner died."""
    return cache_folder() / "clusters"


def default_nodes() -> list[SimulatedNode]:
    return [*cpu_nodes(4), *gpu_nodes(2)]


@contextmanager
def running_cluster(nodes: Sequence[SimulatedNode], report: Report) -> Generator[Cluster]:
    """A cluster of simulated nodes for the time of the context.

    CannotBuild, NotReady or TimedOut where it does not come up; then too nothing of it is left.
    """
    groups = built(SIMULATED, report)
    sweep()
    network = make_network()
    folder = clusters_folder() / str(network.number)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _OWNER).write_text(process_of(os.getpid()))
        cluster = Cluster.at(network, groups)
        cluster.start(nodes, report)
        yield cluster
    finally:
        take_down(network.number)


def running_cluster_of(number: int) -> Cluster:
    """A cluster that somebody else runs (`make cluster`) and takes down."""
    return Cluster.at(Network(number), built(SIMULATED, print))


def sweep() -> None:
    """Take down every cluster whose owner died without doing it."""
    for folder in clusters_folder().glob("*"):
        owner = folder / _OWNER
        if owner.exists() and not lives(owner.read_text()):
            take_down(int(folder.name))


def take_down(number: int) -> None:
    """End a cluster's programs, remove its network and its folder. Safe to repeat, whatever is left of it."""
    network = Network(number)
    folder = clusters_folder() / str(number)
    programs = Programs(network, folder)
    # Those that write first, etcd last.
    first = [name for name in programs.running() if name not in ControlPlane.NAMES]
    programs.stop(*first)
    programs.stop(*ControlPlane.NAMES)
    network.remove()
    shutil.rmtree(folder, ignore_errors=True)
