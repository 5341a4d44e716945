"""Who the operator is on the test cluster: a service account with the rights that the chart gives it, and no other."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import yaml

from cluster.cluster import Cluster

RIGHTS = Path(__file__).parents[2] / "helm/mlp/files/operator-rights.yaml"
"""What the chart's ClusterRole is rendered from; `tests/kubernetes/chart` holds the two together."""
NAMESPACE = "mlp-system"
ACCOUNT = "mlp-operator"
_ROLE = f"{NAMESPACE}-{ACCOUNT}"
_RBAC = "rbac.authorization.k8s.io"
_DAY = 24 * 3600


def rules() -> list[dict[str, Any]]:
    """The rules of the operator's ClusterRole."""
    listed: list[dict[str, Any]] = yaml.safe_load(RIGHTS.read_text(encoding="utf-8"))
    return [{key: value for key, value in rule.items() if key != "why"} for rule in listed]


def operator_kubeconfig(cluster: Cluster) -> Path:
    """Credentials of the operator; the account and its role are made, or brought up to date, at the first call."""
    # Of this process alone: a cluster made by hand may serve several test runs at once.
    path = cluster.programs.folder / f"operator-{os.getpid()}.kubeconfig"
    if path.exists():
        return path
    subject = {"kind": "ServiceAccount", "name": ACCOUNT, "namespace": NAMESPACE}
    role = {"apiGroup": _RBAC, "kind": "ClusterRole", "name": _ROLE}
    api = cluster.api
    api.apply(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": ACCOUNT, "namespace": NAMESPACE}},
        {"apiVersion": f"{_RBAC}/v1", "kind": "ClusterRole", "metadata": {"name": _ROLE}, "rules": rules()},
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": _ROLE},
            "roleRef": role,
            "subjects": [subject],
        },
    )
    return cluster.plane.kubeconfig(path.stem, {"token": token_of(cluster, NAMESPACE, ACCOUNT)})


def token_of(cluster: Cluster, namespace: str, account: str) -> str:
    """A token of a service account, valid for a day."""
    path = cluster.api.path("v1", "ServiceAccount", account, namespace) + "/token"
    request = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenRequest",
        "spec": {"expirationSeconds": _DAY},
    }
    return str(cluster.api.post(path, request)["status"]["token"])
