"""Projects in the cluster: made whole, guarded, put back when changed, and gone without a trace."""

from __future__ import annotations

import pytest

from cluster.api import Refused
from mlp_operator.engines.kubernetes import names
from mlp_operator.engines.kubernetes.manifests.tenancy import Project
from support.kubernetes_stage import WITHIN, Stage
from support.waiting import eventually

pytestmark = pytest.mark.timeout(600)


async def test_what_is_written_holds_and_is_written_once(stage: Stage) -> None:
    project = await stage.project()
    stage.source.notes.clear()
    await stage.tenancy.keep()
    await stage.tenancy.keep()
    assert [note for note in stage.source.notes if note[0] == project.slug] == []


async def test_drift_by_hand_is_put_back_and_told(stage: Stage) -> None:
    project = await stage.project()
    api, namespace = stage.cluster.api, names.namespace(project.slug)
    stage.source.notes.clear()
    api.patch(f"/api/v1/namespaces/{namespace}", {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": None}}})
    api.delete("networking.k8s.io/v1", "NetworkPolicy", "default-deny", namespace)
    api.patch(f"/api/v1/namespaces/{namespace}/resourcequotas/backstop", {"spec": {"hard": {"pods": "1"}}})
    await stage.tenancy.keep()
    labels = api.get("v1", "Namespace", namespace)["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"
    assert api.find("networking.k8s.io/v1", "NetworkPolicy", "default-deny", namespace) is not None
    told = [
        message for slug, reason, message in stage.source.notes if (slug, reason) == (project.slug, "DriftRepaired")
    ]
    assert len(told) == 3


async def test_pods_that_are_not_restricted_are_refused(stage: Stage) -> None:
    project = await stage.project()
    namespace = names.namespace(project.slug)
    container = {"name": "x", "image": "x", "securityContext": {"privileged": True}}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "bad", "namespace": namespace},
        "spec": {"containers": [container]},
    }
    with pytest.raises(Refused, match="PodSecurity"):
        stage.cluster.api.create(pod)


async def test_a_namespace_of_somebody_else_is_left_alone(stage: Stage) -> None:
    api, slug = stage.cluster.api, "taken-by-others"
    api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": names.namespace(slug)}})
    stage.source.projects["prj_taken"] = Project("prj_taken", slug, "x")
    try:
        await stage.tenancy.keep()
        assert (slug, "NamespaceTaken") in {(note[0], note[1]) for note in stage.source.notes}
        assert api.find("kueue.x-k8s.io/v1beta2", "ClusterQueue", names.cluster_queue(slug)) is None
        assert names.MANAGED_BY not in api.get("v1", "Namespace", names.namespace(slug))["metadata"]["labels"]
    finally:
        del stage.source.projects["prj_taken"]
        api.delete("v1", "Namespace", names.namespace(slug))


async def test_deleting_a_project_leaves_nothing(stage: Stage) -> None:
    project = await stage.project()
    del stage.source.projects[project.id]
    stage.source.deleted.add(project.id)
    api = stage.cluster.api

    async def gone() -> bool:
        await stage.tenancy.keep()
        queue = api.find("kueue.x-k8s.io/v1beta2", "ClusterQueue", names.cluster_queue(project.slug))
        return queue is None and api.find("v1", "Namespace", names.namespace(project.slug)) is None

    await eventually(gone, within=WITHIN)
