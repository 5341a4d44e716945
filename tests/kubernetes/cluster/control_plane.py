"""etcd, the API server, the controller manager and the scheduler: their certificates, flags and order of start."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import httpx

from cluster.api import KubernetesApi
from cluster.network import Network
from cluster.pki import Authority, Pair, by_certificate, kubeconfig, service_account_keys
from cluster.processes import Programs

PORT = 6443
_ETCD = "https://127.0.0.1:2379"
NODE_LOST_SECONDS = 40
"""Without a sign of life for that long, a node is taken to be lost."""


@dataclass(frozen=True)
class ControlPlane:
    """A control plane that can be started, and whose parts can be stopped and started again one by one."""

    network: Network
    programs: Programs
    binaries: Path
    folder: Path
    authority: Authority
    etcd_authority: Authority
    front_proxy: Authority
    service_accounts: Pair
    administrator: Pair

    NAMES = ("kube-scheduler", "kube-controller-manager", "kube-apiserver", "etcd")
    """In the order in which they are best ended."""

    @classmethod
    def at(cls, network: Network, programs: Programs, binaries: Path, folder: Path) -> ControlPlane:
        """The control plane in `folder`, with its authorities and keys; nothing is started."""
        pki = folder / "pki"
        pki.mkdir(parents=True, exist_ok=True)
        authority = Authority.at(pki, "kubernetes")
        return cls(
            network,
            programs,
            binaries,
            folder,
            authority,
            Authority.at(pki, "etcd"),
            Authority.at(pki, "front-proxy"),
            service_account_keys(pki),
            authority.issue("administrator", "administrator", "system:masters"),
        )

    @property
    def url(self) -> str:
        """Where the API server is, for this machine, the namespace and true pods alike."""
        return f"https://{self.network.node()}:{PORT}"

    def api(self) -> KubernetesApi:
        """A client with the rights of an administrator."""
        return KubernetesApi(self.url, self.authority, self.administrator)

    def kubeconfig(self, file: str, credentials: dict[str, str]) -> Path:
        """Write `FILE.kubeconfig` for somebody and return its path."""
        path = self.folder / f"{file}.kubeconfig"
        path.touch(0o600)
        path.write_text(kubeconfig(self.url, self.authority, credentials))
        return path

    def start(self) -> None:
        """Start all of it and wait until each part is ready; NotReady otherwise."""
        self.start_etcd()
        self.start_api_server()
        # The controller manager gives up where no API server answers, so these two come second.
        self.start_controller_manager()
        self.start_scheduler()

    def start_etcd(self) -> None:
        server = self.etcd_authority.issue("etcd-server", "etcd", names=("localhost", "127.0.0.1"))
        peer = "http://127.0.0.1:2380"
        flags = {
            "name": "test",
            "data-dir": str(self.folder / "etcd"),
            "listen-client-urls": _ETCD,
            "advertise-client-urls": _ETCD,
            "listen-peer-urls": peer,
            "initial-advertise-peer-urls": peer,
            "initial-cluster": f"test={peer}",
            "cert-file": str(server.certificate),
            "key-file": str(server.key),
            "trusted-ca-file": str(self.etcd_authority.path),
            "client-cert-auth": "true",
            "unsafe-no-fsync": "true",  # the data need not outlive the machine
            "log-level": "warn",
        }
        self._start("etcd", flags)

    def start_api_server(self, *extra_flags: str) -> None:
        """Start it and wait until it is ready to serve."""
        own = ("kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local")
        addresses = ("127.0.0.1", self.network.node(), self.network.api_service)
        server = self.authority.issue("kube-apiserver", "kube-apiserver", names=(*own, "localhost", *addresses))
        etcd = self.etcd_authority.issue("kube-apiserver-to-etcd", "kube-apiserver")
        kubelet = self.authority.issue("kube-apiserver-to-kubelet", "kube-apiserver", "system:masters")
        proxy = self.front_proxy.issue("front-proxy-client", "front-proxy")
        flags = {
            "etcd-servers": _ETCD,
            "etcd-cafile": str(self.etcd_authority.path),
            "etcd-certfile": str(etcd.certificate),
            "etcd-keyfile": str(etcd.key),
            "bind-address": "0.0.0.0",
            "advertise-address": self.network.node(),
            "secure-port": str(PORT),
            "tls-cert-file": str(server.certificate),
            "tls-private-key-file": str(server.key),
            "client-ca-file": str(self.authority.path),
            "authorization-mode": "Node,RBAC",
            "enable-admission-plugins": "NodeRestriction",
            "allow-privileged": "true",
            "service-cluster-ip-range": self.network.services,
            "service-account-issuer": "https://kubernetes.default.svc",
            "service-account-key-file": str(self.service_accounts.certificate),
            "service-account-signing-key-file": str(self.service_accounts.key),
            "kubelet-client-certificate": str(kubelet.certificate),
            "kubelet-client-key": str(kubelet.key),
            "kubelet-certificate-authority": str(self.authority.path),
            "kubelet-preferred-address-types": "InternalIP",
            "requestheader-client-ca-file": str(self.front_proxy.path),
            "requestheader-allowed-names": "front-proxy",
            "requestheader-username-headers": "X-Remote-User",
            "requestheader-group-headers": "X-Remote-Group",
            "requestheader-extra-headers-prefix": "X-Remote-Extra-",
            "proxy-client-cert-file": str(proxy.certificate),
            "proxy-client-key-file": str(proxy.key),
            "enable-aggregator-routing": "true",
            "profiling": "false",
        }
        self._start("kube-apiserver", flags, *extra_flags)
        api = self.api()
        try:
            self.programs.wait("kube-apiserver", lambda: api.answers("/readyz"), 180)
        finally:
            api.close()

    def start_controller_manager(self) -> None:
        """Start it and wait until it has made the default service account, without which no pod is admitted."""
        flags = self._client_flags("kube-controller-manager") | {
            "use-service-account-credentials": "true",
            "service-account-private-key-file": str(self.service_accounts.key),
            "root-ca-file": str(self.authority.path),
            "cluster-signing-cert-file": str(self.authority.path),
            "cluster-signing-key-file": str(self.authority.path.with_suffix(".key")),
            "service-cluster-ip-range": self.network.services,
            "node-monitor-grace-period": f"{NODE_LOST_SECONDS}s",
        }
        self._start("kube-controller-manager", flags)
        api = self.api()
        account = "/api/v1/namespaces/default/serviceaccounts/default"
        try:
            self.programs.wait("kube-controller-manager", lambda: api.answers(account), 120)
        finally:
            api.close()

    def start_scheduler(self) -> None:
        """Start it; pods wait for it, so nothing else has to."""
        self._start("kube-scheduler", self._client_flags("kube-scheduler"))

    def _client_flags(self, name: str) -> dict[str, str]:
        """How a part of the control plane signs in, serves its own health, and does without election."""
        pair = self.authority.issue(name, f"system:{name}", names=("localhost", "127.0.0.1"))
        config = str(self.kubeconfig(name, by_certificate(pair)))
        return {
            "kubeconfig": config,
            "authentication-kubeconfig": config,
            "authorization-kubeconfig": config,
            "bind-address": "127.0.0.1",
            "tls-cert-file": str(pair.certificate),
            "tls-private-key-file": str(pair.key),
            "leader-elect": "false",
            "kube-api-qps": "300",  # else hundreds of nodes, added at once, wait for their turn
            "kube-api-burst": "500",
        }

    def _start(self, name: str, flags: dict[str, str], *more: str) -> None:
        given = [f"--{flag}={value}" for flag, value in flags.items()]
        self.programs.start(name, [str(self.binaries / name), *given, *more])


def listens(url: str) -> bool:
    """Whether a server answers at `url`, content with itself; whoever signed its certificate."""
    try:
        return httpx.get(url, verify=False, trust_env=False, timeout=5).status_code < 500
    except httpx.HTTPError:
        return False
