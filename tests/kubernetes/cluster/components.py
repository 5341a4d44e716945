"""What the cluster is made of: which programs come from which Go module, in groups that are built as one."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

MODULES = Path(__file__).parent / "go"


@dataclass(frozen=True)
class Group:
    """Programs of one Go module that are built, published and replaced as one."""

    name: str
    module: str
    programs: dict[str, str]
    """Name of the binary → its package; a package below `./cmd` is our own."""
    manifests_of: str = ""
    """The module whose `config` folder (CRDs, roles, webhooks) is kept beside the binaries."""
    version_of: str = ""
    """The module whose version the binaries report as `gitVersion`."""
    stamped: tuple[str, ...] = field(default=())
    """Packages with a `gitVersion` to set."""

    @property
    def folder(self) -> Path:
        return MODULES / self.module

    def pinned(self, module: str) -> str:
        """The version of `module` in go.mod; LookupError where it is not required there."""
        found = re.search(rf"^\s*(?:require )?{re.escape(module)} (v\S+)", (self.folder / "go.mod").read_text(), re.M)
        if found is None:
            raise LookupError(f"{self.folder}/go.mod does not require {module}")
        return found[1]

    def linker_flags(self) -> str:
        flags = ["-s", "-w"]
        if self.version_of:
            version = self.pinned(self.version_of)
            major, minor, _ = version.removeprefix("v").split(".", 2)
            for package in self.stamped:
                for name, value in {"gitVersion": version, "gitMajor": major, "gitMinor": minor}.items():
                    flags += ["-X", f"{package}.{name}={value}"]
        return " ".join(flags)

    def key(self, go_version: str) -> str:
        """Changes whenever the binaries could: pins, checksums, own sources, the compiler and its flags."""
        digest = hashlib.sha256(repr((go_version, self.linker_flags(), sorted(self.programs.items()))).encode())
        own = [self.folder / package for package in self.programs.values() if package.startswith("./")]
        files = [self.folder / "go.mod", self.folder / "go.sum", *(path for folder in own for path in folder.iterdir())]
        for path in sorted(path for path in files if path.is_file()):
            digest.update(path.relative_to(self.folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
        return digest.hexdigest()[:16]


_KUBERNETES_VERSION = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")

CONTROL_PLANE = Group(
    "control-plane",
    "k8s",
    {
        "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
        "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
        "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
        "etcd": "go.etcd.io/etcd/server/v3",
        "kueue": "sigs.k8s.io/kueue/cmd/kueue",
    },
    manifests_of="sigs.k8s.io/kueue",
    version_of="k8s.io/kubernetes",
    stamped=_KUBERNETES_VERSION,
)
KUBERAY = Group(
    "kuberay",
    "kuberay",
    {"ray-operator": "github.com/ray-project/kuberay/ray-operator"},
    manifests_of="github.com/ray-project/kuberay/ray-operator",
)
SIMULATED_NODES = Group("simulated-nodes", "extra", {"fakenode": "./cmd/fakenode"})
KUBELET = Group(
    "kubelet",
    "k8s",
    {"kubelet": "k8s.io/kubernetes/cmd/kubelet", "kube-proxy": "k8s.io/kubernetes/cmd/kube-proxy"},
    version_of="k8s.io/kubernetes",
    stamped=_KUBERNETES_VERSION,
)
CONTAINERD = Group(
    "containerd",
    "containerd",
    {
        name: f"github.com/containerd/containerd/v2/cmd/{name}"
        for name in ("containerd", "containerd-shim-runc-v2", "ctr")
    },
)
NODE_EXTRAS = Group("node-extras", "extra", {"coredns": "./cmd/coredns", "pause": "./cmd/pause"})
KUBECTL = Group(
    "kubectl",
    "k8s",
    {"kubectl": "k8s.io/kubernetes/cmd/kubectl"},
    version_of="k8s.io/kubernetes",
    stamped=_KUBERNETES_VERSION,
)
HELM = Group("helm", "helm", {"helm": "helm.sh/helm/v3/cmd/helm"})

SIMULATED = (CONTROL_PLANE, KUBERAY, SIMULATED_NODES)
"""All that a cluster of simulated nodes needs."""
REAL = (*SIMULATED, KUBELET, CONTAINERD, NODE_EXTRAS)
"""All that a cluster with true nodes needs, the images of its pods aside."""
TESTED = (*REAL, HELM)
"""All that tests need: Helm serves those of the chart."""
ALL = (*TESTED, KUBECTL)
"""kubectl is what benchmarks are held against."""
