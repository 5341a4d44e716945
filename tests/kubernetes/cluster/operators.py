"""KubeRay's operator and Kueue as programs outside the cluster, each with the rights that its release gives it."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cluster.api import KubernetesApi, holds, wait_until
from cluster.control_plane import ControlPlane, listens
from cluster.manifests import (
    KUBERAY_ACCOUNT,
    KUBERAY_NAMESPACE,
    KUEUE_ACCOUNT,
    KUEUE_NAMESPACE,
    Manifests,
    kuberay_manifests,
    kueue_manifests,
)

_DAY = 24 * 3600


def kueue_configuration(address: str, pods_ready_seconds: int) -> dict[str, Any]:
    """Kueue's configuration on `address`: fair sharing and all-or-nothing, for Ray alone."""
    return {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "namespace": KUEUE_NAMESPACE,
        "health": {"healthProbeBindAddress": f"{address}:8081"},
        "metrics": {"bindAddress": f"{address}:8443"},
        "webhook": {"host": address, "port": 9443, "certDir": "/webhooks"},
        "leaderElection": {"leaderElect": False},
        "internalCertManagement": {"enable": False},
        "clientConnection": {"qps": 300, "burst": 500},
        "integrations": {"frameworks": ["ray.io/rayjob", "ray.io/raycluster", "ray.io/rayservice"]},
        "fairSharing": {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]},
        "waitForPodsReady": {
            "timeout": f"{pods_ready_seconds}s",
            "recoveryTimeout": "3m",
            "blockAdmission": False,
            "requeuingStrategy": {
                "timestamp": "Eviction",
                "backoffLimitCount": 2,
                "backoffBaseSeconds": 5,
                "backoffMaxSeconds": 60,
            },
        },
    }


@dataclass(frozen=True)
class Operators:
    """Both operators of one control plane; each can be stopped and started again."""

    plane: ControlPlane
    kueue: Path
    """The folder of the group that Kueue was built in."""
    kuberay: Path

    NAMES = ("kueue", "ray-operator")

    def install(self, api: KubernetesApi) -> None:
        """Apply all that both need, start them, and let Kueue's webhooks act; NotReady where one does not start."""
        kuberay, kueue = kuberay_manifests(self.kuberay / "config"), self._kueue_manifests()
        for manifests in (kuberay, kueue):
            for definition in manifests.definitions:
                # Definitions this large take the API server seconds each to apply, and a moment to create.
                api.create(definition)
            api.apply(*manifests.roles)
        for definition in kuberay.definitions + kueue.definitions:
            name = definition["metadata"]["name"]
            where = api.path_of(definition)
            wait_until(lambda path=where: holds(api.get_path(path), "Established"), f"{name} is served", 120)
        self._sign_in(api, KUBERAY_NAMESPACE, KUBERAY_ACCOUNT, "ray-operator")
        self._make_root(api)
        self.start_kueue()
        self.start_ray_operator()
        # Before, every create of a Ray object would have failed for want of an answer.
        api.apply(*kueue.webhooks)

    def start_ray_operator(self) -> None:
        """Start KubeRay's operator and wait until it is healthy. It reaches heads through the API server."""
        flags = (
            f"--kubeconfig={self.plane.folder / 'ray-operator.kubeconfig'}",
            "--enable-leader-election=false",
            f"--metrics-addr={self._address}:8090",
            f"--health-probe-bind-address={self._address}:8092",
            "--reconcile-concurrency=4",
            "--use-kubernetes-proxy",
        )
        self._start("ray-operator", str(self.kuberay / "bin/ray-operator"), *flags)
        self._wait("ray-operator", f"http://{self._address}:8092/healthz")

    def start_kueue(self) -> None:
        """Start Kueue and wait until it is ready, webhooks included."""
        flags = (
            "--config=/kueue.yaml",
            "--kubeconfig=/kubeconfig",
            "--feature-gates=UnadmittedWorkloadsObservability=true",
            "--zap-log-level=2",
        )
        # It reads certificates from fixed folders such as /visibility. So it sees a root folder of its own.
        self._start("kueue", "chroot", str(self._root), "/kueue", *flags)
        self._wait("kueue", f"http://{self._address}:8081/readyz")
        self._wait("kueue", self._webhooks)

    @property
    def _address(self) -> str:
        return self.plane.network.node()

    @property
    def _webhooks(self) -> str:
        return f"https://{self._address}:9443"

    @property
    def _root(self) -> Path:
        return self.plane.folder / "kueue-root"

    def _start(self, name: str, *command: str) -> None:
        self.plane.programs.start(name, command)

    def _wait(self, name: str, url: str) -> None:
        self.plane.programs.wait(name, lambda: listens(url), 90)

    def _kueue_manifests(self) -> Manifests:
        return kueue_manifests(self.kueue / "config", self._webhooks, self.plane.authority.pem)

    def _make_root(self, api: KubernetesApi) -> None:
        """The root folder of Kueue: the program, its configuration, its identity and its certificates."""
        root = self._root
        pair = self.plane.authority.issue("kueue-webhooks", "kueue-webhooks", names=(self._address,))
        for folder in ("webhooks", "etc/kueue/metrics/certs", "visibility"):
            (root / folder).mkdir(parents=True)
            shutil.copyfile(pair.certificate, root / folder / "tls.crt")
            shutil.copyfile(pair.key, root / folder / "tls.key")
        _link(self.kueue / "bin" / "kueue", root / "kueue")
        # Simulated pods are ready at once, true ones within two minutes even on a busy machine.
        (root / "kueue.yaml").write_text(json.dumps(kueue_configuration(self._address, 600)))
        shutil.copyfile(self._sign_in(api, KUEUE_NAMESPACE, KUEUE_ACCOUNT, "kueue"), root / "kubeconfig")

    def _sign_in(self, api: KubernetesApi, namespace: str, account: str, name: str) -> Path:
        """A kubeconfig with a token of the operator's own service account."""
        path = api.path("v1", "ServiceAccount", account, namespace) + "/token"
        request = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {"expirationSeconds": _DAY},
        }
        return self.plane.kubeconfig(name, {"token": api.post(path, request)["status"]["token"]})


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        # The cache is on another file system.
        shutil.copy2(source, target)
