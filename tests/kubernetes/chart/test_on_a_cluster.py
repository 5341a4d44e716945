"""The chart against a real API server: taken field by field, installed, upgraded and rolled back.

Nodes are simulated: pods are admitted, scheduled and said to run, but no process runs in them. Hooks are Jobs, so the
test says of their pods that they have ended, as a kubelet would.
"""

from __future__ import annotations

import base64
import os
import threading
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from chart.rendering import CHART, SETS, VALUES, Chart, Object, name, of_kind
from cluster.api import KubernetesApi, Refused, namespace, wait_until
from cluster.cluster import Cluster
from mlp_operator import preflight

pytestmark = pytest.mark.timeout(1800)
HOOKS = "app.kubernetes.io/component in (preflight,migrate,bootstrap)"
CRDS_OF_OTHERS = {"HTTPRoute", "ServiceMonitor"}
RESTRICTED = {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "restricted"}}}
KUBERAY = "--kuberay=1.6.2=kuberay-system/kuberay-operator"
KUEUE = "--kueue=0.19.2=kueue-system/kueue-controller-manager"


@pytest.fixture
def space(cluster: Cluster) -> Generator[str]:
    """A namespace in which Pod Security `restricted` is enforced."""
    with namespace(cluster.api, f"chart-{uuid.uuid4().hex[:8]}") as made:
        cluster.api.patch(cluster.api.path("v1", "Namespace", made), RESTRICTED)
        yield made


@contextmanager
def hooks_that_end(api: KubernetesApi, space: str) -> Generator[list[str]]:
    """While it is open, pods of hooks succeed; the components in their order."""
    ended: list[str] = []
    stop = threading.Event()

    def play_kubelet() -> None:
        while not stop.wait(0.2):
            for pod in api.list("v1", "Pod", space, labels=HOOKS):
                if pod.get("status", {}).get("phase") == "Running":
                    path = api.path("v1", "Pod", pod["metadata"]["name"], space)
                    try:
                        api.patch(f"{path}/status", {"status": {"phase": "Succeeded"}})
                    except Refused:
                        continue
                    ended.append(pod["metadata"]["labels"]["app.kubernetes.io/component"])

    player = threading.Thread(target=play_kubelet)
    player.start()
    try:
        yield ended
    finally:
        stop.set()
        player.join()


@pytest.mark.parametrize("values", SETS)
def test_the_api_server_takes_every_object(cluster: Cluster, space: str, chart: Chart, values: str) -> None:
    refused: dict[str, str] = {}
    for item in chart.render(values, f"--namespace={space}"):
        if item["kind"] in CRDS_OF_OTHERS:
            continue
        item["metadata"].setdefault("namespace", space)
        if item["kind"].startswith("ClusterRole"):
            del item["metadata"]["namespace"]
        query = "?dryRun=All&fieldValidation=Strict"
        try:
            cluster.api.post(cluster.api.path(item["apiVersion"], item["kind"], None, space) + query, item)
        except Refused as error:
            refused[name(item)] = str(error)
    assert refused == {}


def test_installed_upgraded_and_rolled_back(cluster: Cluster, space: str, chart: Chart) -> None:
    helm = (f"--kubeconfig={cluster.kubeconfig}", f"--namespace={space}")
    values = (f"--values={VALUES / 'trial.yaml'}", "--set=postgres.persistence.enabled=false",
              "--set=valkey.persistence.enabled=false", "--set=objects.persistence.enabled=false")  # fmt: skip
    small = tuple(f"--set={part}.resources.requests.cpu=10m" for part in ("api", "operator", "worker", "mlflow"))

    def secrets() -> dict[str, Any]:
        found = cluster.api.list("v1", "Secret", space)
        return {item["metadata"]["name"]: item["data"] for item in found if item["type"] == "Opaque"}

    def replicas_of_the_api() -> int:
        return cluster.api.get("apps/v1", "Deployment", "mlp-api", space)["spec"]["replicas"]

    with hooks_that_end(cluster.api, space) as ended:
        chart.run("install", "mlp", str(CHART), *helm, *values, *small, "--timeout=5m", timeout=400)
        assert ended == ["preflight", "migrate", "bootstrap"] or ended == ["preflight", "bootstrap", "migrate"]
        first = secrets()
        assert set(first) == {"mlp-keys", "mlp-postgres", "mlp-valkey", "mlp-objects"}
        for deployment in ("api", "operator", "worker", "mlflow"):
            wait_until(lambda deployment=deployment: pods_of(cluster.api, space, deployment), f"pods of {deployment}")

        ended.clear()
        chart.run(
            "upgrade", "mlp", str(CHART), *helm, *values, *small, "--set=api.replicas=3", "--timeout=5m", timeout=400
        )
        assert ended == ["preflight", "migrate"]
        assert replicas_of_the_api() == 3
        assert secrets() == first, "what was made once is kept"

        chart.run("rollback", "mlp", "1", *helm, "--timeout=5m", timeout=400)
        assert replicas_of_the_api() == 2
        assert secrets() == first

    chart.run("uninstall", "mlp", *helm)
    assert secrets() == first, "the data outlive the release, and so do their passwords"


def pods_of(api: KubernetesApi, space: str, component: str) -> list[Object]:
    """Pods that passed Pod Security and were scheduled."""
    found = api.list("v1", "Pod", space, labels=f"app.kubernetes.io/component={component}")
    return [pod for pod in found if pod["spec"].get("nodeName")]


@pytest.fixture
def account(cluster: Cluster, space: str, chart: Chart, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The preflight's own service account, as its pod would see it."""
    grant_rights(cluster.api, chart, space, "preflight")
    path = cluster.api.path("v1", "ServiceAccount", "mlp-preflight", space)
    token = cluster.api.post(
        f"{path}/token", {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    )
    config = yaml.safe_load(cluster.kubeconfig.read_text())["clusters"][0]["cluster"]
    authority = config.get("certificate-authority-data")
    (tmp_path / "token").write_text(token["status"]["token"])
    (tmp_path / "ca.crt").write_bytes(
        base64.b64decode(authority) if authority else Path(config["certificate-authority"]).read_bytes()
    )
    host, _, port = config["server"].removeprefix("https://").rpartition(":")
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", host)
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", port)
    return tmp_path


def test_preflight_finds_what_is_there(account: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert preflight.main([KUBERAY, KUEUE, f"--account={account}"]) == 0
    said = capsys.readouterr().out
    assert "KubeRay and Kueue are there." in said
    # Their controllers run beside this cluster, not as Deployments on it.
    assert said.count("WARNING: There is no Deployment") == 2


def test_preflight_may_read_nothing_else(cluster: Cluster, space: str, account: Path) -> None:
    with preflight.connect(account, os.environ) as client:
        for path in (
            "/api/v1/secrets",
            "/api/v1/namespaces",
            f"/api/v1/namespaces/{space}/pods",
            "/apis/apps/v1/deployments",
        ):
            assert client.get(path).status_code == httpx.codes.FORBIDDEN, path


def test_operator_may_do_what_is_listed_and_nothing_more(cluster: Cluster, space: str, chart: Chart) -> None:
    grant_rights(cluster.api, chart, space, "operator")
    for rule in yaml.safe_load((CHART / "files/operator-rights.yaml").read_text()):
        for group in rule["apiGroups"]:
            for resource in rule["resources"]:
                for verb in rule["verbs"]:
                    assert may(cluster.api, space, verb, group, resource), f"{verb} {resource}.{group}"
    for verb, group, resource in (
        ("create", "", "pods"),
        ("get", "", "secrets"),
        ("list", "", "secrets"),
        ("delete", "", "nodes"),
        ("patch", "kueue.x-k8s.io", "workloads"),
        ("create", "rbac.authorization.k8s.io", "clusterroles"),
        ("escalate", "rbac.authorization.k8s.io", "roles"),
        ("impersonate", "", "users"),
        ("get", "apps", "deployments"),
        ("create", "", "serviceaccounts/token"),
    ):
        assert not may(cluster.api, space, verb, group, resource), f"{verb} {resource}.{group}"


def grant_rights(api: KubernetesApi, chart: Chart, space: str, component: str) -> None:
    """Make the service account of a component, with the rights that the chart gives it."""
    objects = of_kind(
        chart.render("production", f"--namespace={space}"), "ServiceAccount", "ClusterRole", "ClusterRoleBinding"
    )
    made = [item for item in objects if item["metadata"]["name"].endswith(component)]
    for item in made:
        item["metadata"].pop("annotations", None)
        if item["kind"] == "ServiceAccount":
            item["metadata"]["namespace"] = space
    api.apply(*made)


def may(api: KubernetesApi, space: str, verb: str, group: str, resource: str) -> bool:
    """What the API server's own authorizer says of the operator's service account."""
    kind, _, sub = resource.partition("/")
    asked = {"verb": verb, "group": group, "resource": kind, "subresource": sub, "namespace": space}
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {"user": f"system:serviceaccount:{space}:mlp-operator", "resourceAttributes": asked},
    }
    return api.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", review)["status"]["allowed"]
