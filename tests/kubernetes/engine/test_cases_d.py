"""Cases of kind d (failures), as the API server, KubeRay and Kueue tell of them; what kubelets do is simulated."""

from __future__ import annotations

import time
from typing import Any

import pytest

from cluster.api import Object
from mlp.schemas.phases import FailureClass
from mlp_core.domain.execution import ClusterObserved
from mlp_operator.engines.kubernetes import names
from mlp_operator.engines.kubernetes.manifests.tenancy import Project
from mlp_operator.engines.port import ClusterSpec, NodeGroup
from support.kubernetes_stage import GIB, WITHIN, Stage, job_of, workers
from support.waiting import eventually

pytestmark = pytest.mark.timeout(600)
OURS = (
    ("ray.io/v1", "RayJob"),
    ("ray.io/v1", "RayCluster"),
    ("kueue.x-k8s.io/v1beta2", "Workload"),
    ("v1", "Pod"),
)


def pod_of(stage: Stage, project: Project, group: str) -> Object:
    return next(pod for pod in stage.pods(project) if pod["metadata"]["labels"].get(names.GROUP) == group)


def path_of(pod: Object, part: str = "") -> str:
    metadata = pod["metadata"]
    return f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}{part}"


async def running(stage: Stage, project: Project, count: int = 2) -> ClusterSpec:
    spec = stage.job(project, workers(count))
    await stage.enter(spec)
    await stage.until_ready(spec)
    return spec


async def nothing_left(stage: Stage, project: Project) -> None:
    api, namespace = stage.cluster.api, names.namespace(project.slug)

    async def gone() -> bool:
        secrets = [one for one in api.list("v1", "Secret", namespace) if one["metadata"]["name"].startswith("job-")]
        return not secrets and not any(api.list(*kind, namespace) for kind in OURS)

    await eventually(gone, within=WITHIN)


# -- d1: out of memory ------------------------------------------------------------------------------------------------


def kill_for_memory(stage: Stage, pod: Object) -> None:
    """As the kubelet writes it when the kernel has ended the first container."""
    name = pod["spec"]["containers"][0]["name"]
    ended = {"exitCode": 137, "reason": "OOMKilled", "startedAt": None, "finishedAt": None}
    status: dict[str, Any] = {
        "name": name, "image": "ray", "imageID": "", "ready": False, "restartCount": 1, "started": False,
        "state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": {"terminated": ended},
    }  # fmt: skip
    stage.cluster.api.patch(path_of(pod, "/status"), {"status": {"containerStatuses": [status]}})


@pytest.mark.parametrize(("group", "is_final"), [("prep", False), ("head", True)])
async def test_case_d1_a_container_that_outgrows_its_memory_is_named_with_its_limit(
    stage: Stage, group: str, is_final: bool
) -> None:
    project = await stage.project()
    spec = await running(stage, project)
    kill_for_memory(stage, pod_of(stage, project, group))
    observed = await stage.until_cluster(
        spec, lambda seen: seen.trouble is not None and seen.trouble.failure_class is FailureClass.OOM
    )
    trouble = observed.trouble
    assert trouble is not None
    assert (trouble.node, trouble.is_final, trouble.memory_limit_bytes) == (group, is_final, GIB)
    assert f"of {group}" in trouble.message
    assert "1Gi" in trouble.message
    assert trouble.hint is not None
    assert "--memory" in trouble.hint
    await stage.remove(spec.name)


# -- d3: images -------------------------------------------------------------------------------------------------------


async def test_case_d3_a_wrong_tag_ends_within_three_minutes_and_after_several_tries(stage: Stage) -> None:
    project = await stage.project()
    spec = stage.job(project)
    begun = time.monotonic()
    await stage.enter(spec, image="team/train:does-not-exist")
    first = await stage.until_cluster(spec, lambda seen: seen.trouble is not None)
    assert first.trouble is not None
    assert (first.trouble.failure_class, first.trouble.is_final) == (FailureClass.IMAGE, False), "one try is not enough"
    assert "does-not-exist" in first.trouble.message

    async def final() -> ClusterObserved | None:
        seen = await stage.engine().observe_cluster(spec.name)
        return seen if seen is not None and seen.trouble is not None and seen.trouble.is_final else None

    last = await eventually(final, within=180)
    assert last.trouble is not None
    assert last.trouble.failure_class is FailureClass.IMAGE
    assert time.monotonic() - begun < 180
    await stage.remove(spec.name)
    await nothing_left(stage, project)


async def test_case_d3_the_same_of_a_named_cluster(stage: Stage) -> None:
    project = await stage.project()
    named = ClusterSpec(f"cls_{project.slug}", project.slug, NodeGroup("head", "cpu", 1, 0.5, GIB), ())
    engine = stage.engine(image="does-not-exist")
    await engine.ensure_cluster(named)

    async def told() -> ClusterObserved | None:
        seen = await engine.observe_cluster(named.name)
        is_image = seen is not None and seen.trouble is not None and seen.trouble.failure_class is FailureClass.IMAGE
        return seen if is_image else None

    await eventually(told, within=WITHIN)
    await stage.remove(named.name)
    await nothing_left(stage, project)


# -- d5: cancelled, and nothing is left -------------------------------------------------------------------------------


@pytest.mark.parametrize("at", ["queued", "provisioning", "running"])
async def test_case_d5_a_job_cancelled_at_any_moment_leaves_nothing(stage: Stage, at: str) -> None:
    project = await stage.project()
    wanted = NodeGroup("prep", "nowhere", 1, 1, GIB) if at == "provisioning" else workers(2)
    spec = stage.job(project, wanted)
    await stage.enter(spec)
    if at == "provisioning":
        await stage.until_cluster(spec, lambda seen: seen.trouble is not None)
    elif at == "running":
        await stage.until_ready(spec)
    queue = stage.engine().queue
    assert queue is not None
    if at == "queued":
        await queue.leave(job_of(spec))
    else:
        await stage.remove(spec.name)
    await nothing_left(stage, project)

    async def out() -> bool:
        return await stage.queued(spec) is None

    await eventually(out, within=WITHIN)


# -- d7: a machine is taken away --------------------------------------------------------------------------------------


def evict(stage: Stage, pod: Object) -> None:
    """As `kubectl drain` does, and as clouds do with spot machines."""
    metadata = {"name": pod["metadata"]["name"], "namespace": pod["metadata"]["namespace"]}
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": metadata}
    stage.cluster.api.post(path_of(pod, "/eviction"), body)


async def test_case_d7_a_worker_whose_machine_is_emptied_is_named_and_comes_back(stage: Stage) -> None:
    project = await stage.project()
    spec = await running(stage, project, 3)
    evict(stage, pod_of(stage, project, "prep"))
    begun = time.monotonic()
    observed = await stage.until_cluster(spec, lambda seen: "prep" in seen.lost_nodes)
    assert time.monotonic() - begun < 30
    assert (observed.head_ready, observed.nodes_wanted) == (True, 4)
    assert observed.trouble is None or not observed.trouble.is_final, "the job may go on with what is left"
    await stage.until_cluster(spec, lambda seen: seen.nodes_ready == 4 and not seen.lost_nodes)
    await stage.remove(spec.name)


async def test_case_d7_a_head_whose_machine_is_emptied_is_a_preemption_and_not_a_failure_of_the_job(
    stage: Stage,
) -> None:
    project = await stage.project()
    spec = await running(stage, project)
    evict(stage, pod_of(stage, project, "head"))
    observed = await stage.until_cluster(spec, lambda seen: seen.trouble is not None and seen.trouble.is_final)
    assert observed.trouble is not None
    assert observed.trouble.failure_class in (FailureClass.PREEMPTED, FailureClass.NODE_LOST)
    await stage.remove(spec.name)
    await nothing_left(stage, project)
