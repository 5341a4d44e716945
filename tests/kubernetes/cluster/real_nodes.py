"""True nodes: each a kubelet and a containerd of its own, all on this machine and in the cluster's namespace."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cluster.api import KubernetesApi, wait_until
from cluster.control_plane import ControlPlane, listens
from cluster.images import PAUSE
from cluster.nodes import GPU, GPU_TAINT, usable
from cluster.pki import by_certificate
from cluster.remains import control_groups, sockets_folder

_CNI_PLUGINS = "/usr/lib/cni"


@dataclass(frozen=True)
class RealNode:
    """A node that runs its pods. Its GPUs are counted by the scheduler and seen by Ray, but drive nothing."""

    index: int
    name: str
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    taints: Sequence[Mapping[str, str]] = ()
    gpus: int = 0


def default_real_nodes() -> list[RealNode]:
    """One node of the pool `cpu`, and one of the pool `gpu` with two GPUs and the taint that keeps others off it."""
    return [
        RealNode(0, "real-cpu", {"pool": "cpu"}),
        RealNode(1, "real-gpu", {"pool": "gpu"}, (GPU_TAINT,), gpus=2),
    ]


@dataclass(frozen=True)
class RealNodes:
    """Starts true nodes of one cluster, and what their pods need beside them."""

    plane: ControlPlane
    kubelet: Path
    """The folder of the group that kubelet and kube-proxy were built in."""
    containerd: Path
    extras: Path

    def start(self, api: KubernetesApi, nodes: Sequence[RealNode], images: Sequence[Path]) -> None:
        """Start nodes with `images` (OCI archives), then cluster DNS and the service proxy; once per cluster.

        NotReady or TimedOut where one of them does not come up.
        """
        for node in nodes:
            self._start_containerd(node)
        for node in nodes:
            self._import(node, images)
            self.start_kubelet(node)
        for node in nodes:
            path = api.path("v1", "Node", node.name)
            wait_until(lambda path=path: api.answers(path) and usable(api.get_path(path)), f"{node.name} is ready", 120)
            if node.gpus:
                # In place of a device plugin; the kubelet leaves resources alone that it does not know.
                api.patch(f"{path}/status", {"status": {"capacity": {GPU: str(node.gpus)}}})
        self._start_dns()
        self._start_proxy(nodes[0])

    def start_kubelet(self, node: RealNode) -> None:
        """Start a node's kubelet; also after it was stopped or killed."""
        address = self.plane.network.node(node.index)
        subject = f"system:node:{node.name}"
        pair = self.plane.authority.issue(f"node-{node.index}", subject, "system:nodes", (node.name, address))
        kubeconfig = self.plane.kubeconfig(f"node-{node.index}", by_certificate(pair))
        folder = self._folder(node)
        (folder / "resolv.conf").write_text("")
        config = self._kubelet_config(node) | {"tlsCertFile": str(pair.certificate), "tlsPrivateKeyFile": str(pair.key)}
        (folder / "kubelet.yaml").write_text(json.dumps(config, indent=1))
        flags = {
            "config": str(folder / "kubelet.yaml"),
            "kubeconfig": str(kubeconfig),
            "root-dir": str(folder / "kubelet"),
            "cert-dir": str(folder / "kubelet-pki"),
            "hostname-override": node.name,
            "node-ip": address,
            "node-labels": ",".join(f"{key}={value}" for key, value in node.labels.items()),
        }
        given = [f"--{name}={value}" for name, value in flags.items()]
        self.plane.programs.start(f"kubelet-{node.index}", [str(self.kubelet / "bin/kubelet"), *given])

    def _kubelet_config(self, node: RealNode) -> dict[str, Any]:
        folder, network = self._folder(node), self.plane.network
        return {
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            "address": network.node(node.index),
            "port": 10250,
            "healthzBindAddress": network.node(node.index),
            "authentication": {
                "anonymous": {"enabled": False},
                "webhook": {"enabled": True},
                "x509": {"clientCAFile": str(self.plane.authority.path)},
            },
            "authorization": {"mode": "Webhook"},
            "containerRuntimeEndpoint": f"unix://{self._socket(node)}",
            "registerWithTaints": [dict(taint) for taint in node.taints],
            "cgroupDriver": "cgroupfs",
            "cgroupRoot": f"/{_cgroup(self.plane, node)}",
            "failCgroupV1": False,
            "failSwapOn": False,
            "oomScoreAdj": 0,  # containers may not lower it everywhere
            "enforceNodeAllocatable": ["pods"],
            "clusterDomain": "cluster.local",
            "clusterDNS": [network.node()],
            "resolvConf": str(folder / "resolv.conf"),  # else pods would ask the machine's resolver
            "evictionHard": {
                "memory.available": "200Mi",
                "nodefs.available": "1%",
                "imagefs.available": "1%",
                "nodefs.inodesFree": "1%",
            },
            "imageGCHighThresholdPercent": 100,
            "imageGCLowThresholdPercent": 99,
            "podLogsDir": str(folder / "pod-logs"),
            "volumePluginDir": str(folder / "volume-plugins"),
            "maxPods": 40,
            "makeIPTablesUtilChains": False,
            "nodeStatusUpdateFrequency": "5s",
        }

    def _start_containerd(self, node: RealNode) -> None:
        network, folder = self.plane.network, self._folder(node)
        if node.index:
            address = f"{network.node(node.index)}/24"
            subprocess.run(network.inside("ip", "address", "add", address, "dev", "nodes"), check=True)
        for group in control_groups(_cgroup(self.plane, node)):
            _make_control_group(group)
        (folder / "cni").mkdir(parents=True)
        (folder / "cni/10-pods.conflist").write_text(json.dumps(self._pod_network(node)))
        self._socket(node).parent.mkdir(parents=True)
        (folder / "containerd.toml").write_text(self._containerd_config(node))
        binaries = self.containerd / "bin"
        self.plane.programs.start(
            f"containerd-{node.index}",
            [str(binaries / "containerd"), "--config", str(folder / "containerd.toml"), "--log-level", "info"],
            {"PATH": f"{binaries}:{_CNI_PLUGINS}:{os.environ['PATH']}"},
        )
        self.plane.programs.wait(f"containerd-{node.index}", lambda: _succeeds(self._ctr(node, "version")), 60)

    def _import(self, node: RealNode, images: Sequence[Path]) -> None:
        for image in images:
            subprocess.run(self._ctr(node, "images", "import", "--local", str(image)), check=True, capture_output=True)

    def _pod_network(self, node: RealNode) -> dict[str, Any]:
        """One bridge per node; pods of different nodes reach each other as this namespace forwards between bridges."""
        bridge = {
            "type": "bridge",
            "bridge": f"pods{node.index}",
            "isGateway": True,
            "ipMasq": False,
            "hairpinMode": True,
            "ipam": {
                "type": "host-local",
                "dataDir": str(self._folder(node) / "addresses"),
                "ranges": [[{"subnet": self.plane.network.pods(node.index)}]],
                "routes": [{"dst": "0.0.0.0/0"}],
            },
        }
        return {"cniVersion": "1.0.0", "name": _cgroup(self.plane, node), "plugins": [bridge]}

    def _containerd_config(self, node: RealNode) -> str:
        folder, sockets = self._folder(node), self._socket(node).parent
        # The machine may lack what the other snapshotters need; and AppArmor and lower OOM scores need rights that
        # a root in a container does not have.
        unused = [
            f"io.containerd.snapshotter.v1.{kind}" for kind in ("btrfs", "zfs", "devmapper", "blockfile", "erofs")
        ]
        return f"""\
version = 3
root = "{folder}/containerd"
state = "{sockets}/state"
disabled_plugins = {json.dumps([*unused, "io.containerd.nri.v1.nri"])}

[grpc]
address = "{self._socket(node)}"

[plugins."io.containerd.internal.v1.opt"]
path = "{folder}/opt"

[plugins."io.containerd.cri.v1.images".pinned_images]
sandbox = "{PAUSE}"

[plugins."io.containerd.cri.v1.runtime"]
disable_apparmor = true
restrict_oom_score_adj = true
netns_mounts_under_state_dir = true

[plugins."io.containerd.cri.v1.runtime".cni]
bin_dirs = ["{_CNI_PLUGINS}"]
conf_dir = "{folder}/cni"

[plugins."io.containerd.cri.v1.runtime".containerd]
default_runtime_name = "runc"

[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
BinaryName = "/usr/sbin/runc"
Root = "{sockets}/runc"
SystemdCgroup = false
"""

    def _start_dns(self) -> None:
        """CoreDNS on the first node's address, where every pod's resolver points: DNS needs no service."""
        address = self.plane.network.node()
        corefile = self.plane.folder / "Corefile"
        corefile.write_text(f"""\
.:53 {{
  bind {address}
  errors
  ready {address}:8181
  cache 5
  kubernetes cluster.local in-addr.arpa {{
    kubeconfig {self.plane.folder / "administrator.kubeconfig"} mlp-test
    pods insecure
    ttl 5
  }}
}}
""")
        self.plane.programs.start("coredns", [str(self.extras / "bin/coredns"), "-conf", str(corefile)])
        self.plane.programs.wait("coredns", lambda: listens(f"http://{address}:8181/ready"), 60)

    def _start_proxy(self, node: RealNode) -> None:
        """kube-proxy, on the node that it takes itself for: it waits until that exists."""
        pair = self.plane.authority.issue("kube-proxy", "system:kube-proxy")
        address = self.plane.network.node()
        config = {
            "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
            "kind": "KubeProxyConfiguration",
            "mode": "nftables",
            "clientConnection": {"kubeconfig": str(self.plane.kubeconfig("kube-proxy", by_certificate(pair)))},
            "clusterCIDR": self.plane.network.everything,
            "hostnameOverride": node.name,
            "nodePortAddresses": ["primary"],
            "metricsBindAddress": f"{address}:10249",
            "healthzBindAddress": f"{address}:10256",
            "conntrack": {"maxPerCore": 0, "min": 0},  # they are the whole machine's to set
        }
        path = self.plane.folder / "kube-proxy.yaml"
        path.write_text(json.dumps(config))
        self.plane.programs.start("kube-proxy", [str(self.kubelet / "bin/kube-proxy"), f"--config={path}"])
        self.plane.programs.wait("kube-proxy", lambda: listens(f"http://{address}:10256/healthz"), 90)

    def _folder(self, node: RealNode) -> Path:
        return self.plane.folder / f"node-{node.index}"

    def _socket(self, node: RealNode) -> Path:
        return sockets_folder(self.plane.network) / str(node.index) / "containerd.sock"

    def _ctr(self, node: RealNode, *command: str) -> list[str]:
        return [str(self.containerd / "bin/ctr"), "-a", str(self._socket(node)), "-n", "k8s.io", *command]


def _cgroup(plane: ControlPlane, node: RealNode) -> str:
    return f"{plane.network.namespace}-{node.index}"


def _make_control_group(group: Path) -> None:
    group.mkdir(exist_ok=True)
    for name in ("cpuset.cpus", "cpuset.mems"):
        # The first version leaves them empty, and no process may enter such a group.
        if (group / name).exists() and not (group / name).read_text().strip() and (group.parent / name).exists():
            (group / name).write_text((group.parent / name).read_text())


def _succeeds(command: Sequence[str]) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
