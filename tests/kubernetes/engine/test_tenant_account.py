"""What a job gets hold of if it finds its pod's identity: nothing. Asked of the API server by that identity itself."""

from __future__ import annotations

import ssl
from collections.abc import Generator

import httpx
import pytest

from mlp_operator.engines.kubernetes import names
from mlp_operator.engines.kubernetes.manifests.tenancy import Project
from support.kubernetes_rights import token_of
from support.kubernetes_stage import Stage, workers

pytestmark = pytest.mark.timeout(600)
KUEUE = "/apis/kueue.x-k8s.io/v1beta2"
RAY = "/apis/ray.io/v1"
OF_ANYBODY = {"authentication.k8s.io", "authorization.k8s.io"}
"""Groups in which everyone who has signed in may ask about themselves."""


@pytest.fixture
async def project(stage: Stage) -> Project:
    """With a job that runs, so that there is something to see, to change and to steal."""
    made = await stage.project()
    spec = stage.job(made, workers(1))
    await stage.enter(spec)
    await stage.until_ready(spec)
    return made


@pytest.fixture
async def other(stage: Stage) -> Project:
    return await stage.project()


@pytest.fixture
def tenant(stage: Stage, project: Project) -> Generator[httpx.Client]:
    """The API server, as the service account of the project's pods."""
    plane = stage.cluster.plane
    token = token_of(stage.cluster, names.namespace(project.slug), names.SERVICE_ACCOUNT)
    with httpx.Client(
        base_url=plane.url,
        verify=ssl.create_default_context(cadata=plane.authority.pem.decode()),
        headers={"Authorization": f"Bearer {token}"},
        trust_env=False,
        timeout=30,
    ) as client:
        yield client


def test_the_account_is_known_and_has_no_rights_of_its_own(
    tenant: httpx.Client, project: Project, other: Project
) -> None:
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    who = tenant.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", json=review).json()
    account = f"system:serviceaccount:{names.namespace(project.slug)}:{names.SERVICE_ACCOUNT}"
    assert who["status"]["userInfo"]["username"] == account
    for namespace in (names.namespace(project.slug), names.namespace(other.slug), "mlp-system", "kube-system"):
        body = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectRulesReview",
            "spec": {"namespace": namespace},
        }
        answer = tenant.post("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", json=body)
        rules = answer.raise_for_status().json()["status"]["resourceRules"]
        assert {group for rule in rules for group in rule["apiGroups"]} <= OF_ANYBODY, rules


def test_it_can_read_nothing(tenant: httpx.Client, project: Project, other: Project) -> None:
    paths = ["/api/v1/namespaces", "/api/v1/nodes", "/api/v1/secrets", "/api/v1/pods", f"{RAY}/rayjobs"]
    paths += [f"{KUEUE}/clusterqueues", f"{KUEUE}/workloads", "/apis/rbac.authorization.k8s.io/v1/clusterroles"]
    for space in (names.namespace(project.slug), names.namespace(other.slug), "mlp-system"):
        core = ("secrets", "pods", "configmaps", "services", "events", "serviceaccounts", "resourcequotas")
        paths += [f"/api/v1/namespaces/{space}", *(f"/api/v1/namespaces/{space}/{kind}" for kind in core)]
        paths += [f"{RAY}/namespaces/{space}/{kind}" for kind in ("rayjobs", "rayclusters", "rayservices")]
        paths += [f"{KUEUE}/namespaces/{space}/{kind}" for kind in ("localqueues", "workloads")]
        paths += [f"/apis/networking.k8s.io/v1/namespaces/{space}/networkpolicies"]
    answers = {path: tenant.get(path).status_code for path in paths}
    assert {path: code for path, code in answers.items() if code != httpx.codes.FORBIDDEN} == {}


def test_it_can_make_and_change_nothing(stage: Stage, tenant: httpx.Client, project: Project, other: Project) -> None:
    own = names.namespace(project.slug)
    job = stage.cluster.api.list("ray.io/v1", "RayJob", own)[0]["metadata"]["name"]
    pod = stage.pods(project)[0]["metadata"]["name"]
    cluster_queue = f"{KUEUE}/clusterqueues/{names.cluster_queue(project.slug)}"
    more = {"spec": {"replicas": 9}}
    answers = {
        "more of its own job": tenant.patch(f"{RAY}/namespaces/{own}/rayjobs/{job}", json=more, headers=MERGE),
        "a bigger quota": tenant.patch(cluster_queue, json={"spec": {}}, headers=MERGE),
        "another queue": tenant.patch(f"{KUEUE}/namespaces/{own}/localqueues/default", json={}, headers=MERGE),
        "its own namespace": tenant.patch(f"/api/v1/namespaces/{own}", json={"metadata": {}}, headers=MERGE),
        "the end of its job": tenant.delete(f"{RAY}/namespaces/{own}/rayjobs/{job}"),
        "a command in a pod": tenant.post(f"/api/v1/namespaces/{own}/pods/{pod}/exec?command=id"),
        "the log of a pod": tenant.get(f"/api/v1/namespaces/{own}/pods/{pod}/log"),
        "a way to a dashboard": tenant.get(f"/api/v1/namespaces/{own}/pods/{pod}:8265/proxy/api/version"),
    }
    for space in (own, names.namespace(other.slug), "default"):
        answers |= {
            f"a pod in {space}": tenant.post(f"/api/v1/namespaces/{space}/pods", json=_object("v1", "Pod")),
            f"a secret in {space}": tenant.post(f"/api/v1/namespaces/{space}/secrets", json=_object("v1", "Secret")),
            f"a job in {space}": tenant.post(f"{RAY}/namespaces/{space}/rayjobs", json=_object("ray.io/v1", "RayJob")),
            f"a token in {space}": tenant.post(
                f"/api/v1/namespaces/{space}/serviceaccounts/{names.SERVICE_ACCOUNT}/token",
                json=_object("authentication.k8s.io/v1", "TokenRequest"),
            ),
            f"a role in {space}": tenant.post(
                f"/apis/rbac.authorization.k8s.io/v1/namespaces/{space}/rolebindings",
                json=_object("rbac.authorization.k8s.io/v1", "RoleBinding"),
            ),
        }
    codes = {what: answer.status_code for what, answer in answers.items()}
    assert {what: code for what, code in codes.items() if code != httpx.codes.FORBIDDEN} == {}


def test_pods_are_not_even_given_its_token(stage: Stage, project: Project) -> None:
    pods = [pod for pod in stage.pods(project) if pod["metadata"]["labels"].get(names.GROUP) != "submitter"]
    assert pods
    for pod in pods:
        assert pod["spec"]["automountServiceAccountToken"] is False
        projected = [volume for volume in pod["spec"]["volumes"] if "projected" in volume]
        assert projected == []


MERGE = {"Content-Type": "application/merge-patch+json"}


def _object(version: str, kind: str) -> dict[str, object]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "intruder"}}
