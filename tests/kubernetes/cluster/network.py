"""A network namespace of its own for each cluster, joined to this machine by one cable and to nothing else."""

from __future__ import annotations

import ipaddress
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

FIRST, LAST = 189, 219
"""Clusters take 10.189.0.0/16, 10.190.0.0/16 and so on, several at once; podman and Docker like other ranges."""


class NoNetworkLeft(Exception):
    """All address ranges that clusters may take are in use on this machine."""


@dataclass(frozen=True)
class Network:
    """The addresses of one cluster. All of them can be reached from this machine, and no other."""

    number: int

    @property
    def namespace(self) -> str:
        return f"mlp-k8s-{self.number}"

    @property
    def cable(self) -> str:
        """The interface of this machine; its peer in the namespace is called `uplink`."""
        return f"mlpk8s{self.number}"

    @property
    def everything(self) -> str:
        return f"10.{self.number}.0.0/16"

    @property
    def services(self) -> str:
        return f"10.{self.number}.64.0/18"

    @property
    def api_service(self) -> str:
        """Where pods find the API server: Kubernetes takes the first address of its services."""
        return f"10.{self.number}.64.1"

    @property
    def simulated_pods(self) -> str:
        return f"10.{self.number}.128.0/17"

    def node(self, index: int = 0) -> str:
        """The address of a node; node 0 is also the control plane's and the cluster DNS's."""
        return f"10.{self.number}.0.{index + 1}"

    def pods(self, index: int) -> str:
        """The range of a true node's pods."""
        return f"10.{self.number}.{16 + index}.0/24"

    @property
    def machine(self) -> str:
        """This machine, as pods see it: what listens here can be reached from every pod."""
        return f"10.{self.number}.0.254"

    def inside(self, *command: str) -> tuple[str, ...]:
        """`command`, to be run in the namespace.

        Not `ip netns exec`, which mounts another /sys and so hides the cgroups from kubelet and runc.
        """
        return ("nsenter", f"--net=/run/netns/{self.namespace}", *command)

    def exists(self) -> bool:
        return Path("/run/netns", self.namespace).exists()

    def remove(self) -> None:
        """Take the namespace away, and with it its interfaces, routes and packet rules."""
        if self.exists():
            _run("ip", "netns", "delete", self.namespace)
        if Path("/sys/class/net", self.cable).exists():
            _run("ip", "link", "delete", self.cable)


def make_network() -> Network:
    """Make the namespace of a new cluster under the first free number; NoNetworkLeft where there is none."""
    for number in range(FIRST, LAST + 1):
        network = Network(number)
        if network.exists() or _in_use(network):
            continue
        made = subprocess.run(["ip", "netns", "add", network.namespace], capture_output=True, check=False)
        # Another cluster may have been faster; then the next number is tried.
        if made.returncode == 0:
            _wire(network)
            return network
    raise NoNetworkLeft(f"10.{FIRST}.0.0 to 10.{LAST}.255.255 are taken")


def _wire(network: Network) -> None:
    inside = network.inside
    _run(*inside("ip", "link", "set", "lo", "up"))
    # The nodes' interface is a bridge, since not every kernel has dummy devices.
    _run(*inside("ip", "link", "add", "nodes", "type", "bridge"))
    _run(*inside("ip", "address", "add", f"{network.node()}/24", "dev", "nodes"))
    _run("ip", "link", "add", network.cable, "type", "veth", "peer", "name", "uplink", "netns", network.namespace)
    _run(*inside("ip", "link", "set", "uplink", "master", "nodes", "up"))
    _run(*inside("ip", "link", "set", "nodes", "up"))
    _run("ip", "address", "add", f"{network.machine}/24", "dev", network.cable)
    _run("ip", "link", "set", network.cable, "up")
    _run("ip", "route", "add", network.everything, "via", network.node())
    # The API server refuses to advertise itself without a default route. This one ends at the bridge.
    _run(*inside("ip", "route", "add", "default", "dev", "nodes"))
    # A program in the namespace answers under the address of any simulated pod.
    _run(*inside("ip", "route", "add", "local", network.simulated_pods, "dev", "lo"))
    _run(*inside("sysctl", "--quiet", "--write", "net.ipv4.ip_forward=1"))


def _in_use(network: Network) -> bool:
    """Whether this machine has routes into the range already."""
    routes: list[dict[str, str]] = json.loads(_run("ip", "-json", "-4", "route", "show"))
    wanted = ipaddress.ip_network(network.everything)
    taken = (ipaddress.ip_network(route["dst"], strict=False) for route in routes if route["dst"] != "default")
    return any(wanted.overlaps(other) for other in taken)


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
