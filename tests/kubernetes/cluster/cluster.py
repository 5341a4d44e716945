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
from cluster.components import REAL, SIMULATED
from cluster.control_plane import ControlPlane
from cluster.images import pause_image, ray_image
from cluster.network import Network, make_network
from cluster.nodes import SimulatedNode, add_nodes, cpu_nodes, gpu_nodes
from cluster.operators import Operators
from cluster.pki import by_certificate
from cluster.processes import Programs, lives, process_of
from cluster.real_nodes import RealNode, RealNodes
from cluster.remains import clear_remains

_OWNER = "owner"


@dataclass(frozen=True)
class Cluster:
    """A running cluster; the folder of its programs holds kubeconfigs, and the log and the pid of each."""

    network: Network
    programs: Programs
    plane: ControlPlane
    operators: Operators
    groups: Mapping[str, Path]

    @classmethod
    def at(cls, network: Network, groups: Mapping[str, Path]) -> Cluster:
        """The cluster of a network, running or not, with its programs in the folders of `groups`."""
        programs = Programs(network, clusters_folder() / str(network.number))
        plane = ControlPlane.at(network, programs, groups["control-plane"] / "bin", programs.folder)
        return cls(network, programs, plane, Operators(plane, groups["control-plane"], groups["kuberay"]), groups)

    @cached_property
    def api(self) -> KubernetesApi:
        """A client with all rights."""
        return self.plane.api()

    @property
    def kubeconfig(self) -> Path:
        """An administrator's, valid on this machine and inside the namespace."""
        return self.programs.folder / "administrator.kubeconfig"

    @property
    def real_nodes(self) -> RealNodes:
        """How true nodes are started; LookupError where the cluster was not built for them."""
        return RealNodes(self.plane, self.groups["kubelet"], self.groups["containerd"], self.groups["node-extras"])

    def start(self, report: Report) -> None:
        """Start the control plane, Kueue, KubeRay and the kubelet of simulated nodes.

        NotReady or TimedOut where one of them does not come up.
        """
        report("starting the control plane")
        self.plane.kubeconfig("administrator", by_certificate(self.plane.administrator))
        self.plane.start()
        report("starting Kueue and KubeRay")
        self.operators.install(self.api)
        self.start_fakenode()

    def start_fakenode(self) -> None:
        """Start the kubelet of all simulated nodes."""
        program = self.groups["simulated-nodes"] / "bin/fakenode"
        flags = (f"--kubeconfig={self.kubeconfig}", f"--pod-range={self.network.simulated_pods}")
        self.programs.start("fakenode", (str(program), *flags))

    def add_real_nodes(self, nodes: Sequence[RealNode], report: Report, images: Sequence[Path] | None = None) -> None:
        """Start true nodes that have `images`, or where none are given that of `cluster.images`; once per cluster."""
        pause = pause_image(self.groups["node-extras"] / "bin/pause", self.programs.folder / "pause.tar")
        given = [ray_image(report)] if images is None else images
        report(f"starting {len(nodes)} true nodes")
        self.real_nodes.start(self.api, nodes, [pause, *given])


def clusters_folder() -> Path:
    """Has one folder for each cluster of this machine's user that is up, or was when its owner died."""
    return cache_folder() / "clusters"


def default_nodes() -> list[SimulatedNode]:
    return [*cpu_nodes(4), *gpu_nodes(2)]


@contextmanager
def running_cluster(
    report: Report, simulated: Sequence[SimulatedNode] = (), real: Sequence[RealNode] = (),
    images: Sequence[Path] | None = None,
) -> Generator[Cluster]:  # fmt: skip
    """A cluster for the time of the context.

    CannotBuild, NotReady or TimedOut where it does not come up; then too nothing of it is left.
    """
    groups = built(REAL if real else SIMULATED, report)
    sweep()
    network = make_network()
    folder = clusters_folder() / str(network.number)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _OWNER).write_text(process_of(os.getpid()))
        cluster = Cluster.at(network, groups)
        cluster.start(report)
        add_nodes(cluster.api, simulated)
        if real:
            cluster.add_real_nodes(real, report, images)
        report("the cluster is up")
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
    programs.stop(*(name for name in programs.running() if name not in ControlPlane.NAMES))
    # Nobody reads its data again, and an API server whose etcd is gone would take its time.
    programs.stop(*ControlPlane.NAMES, patience=0)
    clear_remains(network, folder)
    network.remove()
    shutil.rmtree(folder, ignore_errors=True)
