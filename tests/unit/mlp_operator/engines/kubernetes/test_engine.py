"""The engine over a small API server, with the test in the part of KubeRay and Kueue."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from mlp.schemas.phases import FailureClass
from mlp_core.domain.execution import ClusterObserved, QueueObserved
from mlp_core.domain.packing import Shape
from mlp_operator.engines.kubernetes import names
from mlp_operator.engines.kubernetes.client import KubeClient
from mlp_operator.engines.kubernetes.engine import KubernetesEngine
from mlp_operator.engines.kubernetes.manifests import tenancy
from mlp_operator.engines.kubernetes.observing import WorkReport
from mlp_operator.engines.kubernetes.placement import Placement
from mlp_operator.engines.kubernetes.settings import KubernetesSettings
from mlp_operator.engines.kubernetes.tenancy import Tenancy, Tenants
from mlp_operator.engines.port import (
    ClusterSpec,
    EngineAwayError,
    EngineError,
    NodeGroup,
    NotTakenError,
    Place,
    WorkSpec,
)
from support import kube_definitions
from support.kube_api import Fault, KubeApi
from support.waiting import eventually

GIB = 2**30
NAMESPACE = "/api/v1/namespaces/mlp-demo"
JOB = "/apis/ray.io/v1/namespaces/mlp-demo/rayjobs/job-1"
CLUSTERS = "/apis/ray.io/v1/namespaces/mlp-demo/rayclusters"
WORKLOAD = "/apis/kueue.x-k8s.io/v1beta2/namespaces/mlp-demo/workloads/rayjob-job-1"
PODS = f"{NAMESPACE}/pods"
SECRET = f"{NAMESPACE}/secrets/job-1-work"
SPEC = ClusterSpec(
    "att_1", "demo", NodeGroup("head", "cpu", 1, 1, GIB), (NodeGroup("train", "cpu", 1, 1, GIB),),
    place=Place("job_1", "normal", 5, None),
)  # fmt: skip
WORK = WorkSpec("att_1", "att_1", ("python",), None, (), 5, None, "job_1", "http://api", "t.o.k", None, None)


class Pools:
    async def placements(self) -> dict[str, Placement]:
        return {"cpu": Placement("cpu")}


@dataclass
class Reports:
    told: dict[str, WorkReport] = field(default_factory=dict[str, WorkReport])

    async def of(self, work: str) -> WorkReport | None:
        return self.told.get(work)


@dataclass
class Stage:
    """The engine, and what the test plays."""

    api: KubeApi
    engine: KubernetesEngine
    settings: KubernetesSettings
    reports: Reports
    heard: list[str]

    async def queued(self) -> QueueObserved | None:
        assert self.engine.queue is not None
        return await self.engine.queue.observe("job_1")

    async def enter(self, spec: ClusterSpec = SPEC) -> None:
        assert self.engine.queue is not None
        await self.engine.queue.enter(spec)

    async def until_cluster(self, name: str, **wanted: object) -> ClusterObserved:
        async def seen() -> ClusterObserved | None:
            observed = await self.engine.observe_cluster(name)
            fits = observed is not None and all(getattr(observed, key) == value for key, value in wanted.items())
            return observed if fits else None

        return await eventually(seen)

    def kueue_says(self, **said: tuple[str, str]) -> None:
        conditions = [
            {"type": kind, "status": status, "reason": reason, "message": ""} for kind, (status, reason) in said.items()
        ]
        owner = {"uid": self.api.objects[JOB]["metadata"]["uid"]}
        labels = {names.JOB_UID: owner["uid"]}
        metadata = {"name": "rayjob-job-1", "namespace": "mlp-demo", "ownerReferences": [owner], "labels": labels}
        self.api.put(WORKLOAD, {"metadata": metadata, "status": {"conditions": conditions}})

    def kuberay_says(self, **status: Any) -> None:
        job = self.api.objects[JOB]
        self.api.put(JOB, {**job, "status": {**job.get("status", {}), **status}})

    def kuberay_makes(self, cluster: str) -> None:
        labels = {**names.MANAGED, names.JOB: "job_1", names.PROJECT: "demo"}
        metadata = {"name": cluster, "namespace": "mlp-demo", "labels": labels}
        self.api.put(f"{CLUSTERS}/{cluster}", {"metadata": metadata})
        self.kuberay_says(rayClusterName=cluster, jobDeploymentStatus="Initializing")

    def pods_are_ready(self, cluster: str, *groups: str) -> None:
        for group in groups:
            labels = {**names.MANAGED, names.JOB: "job_1", names.RAY_CLUSTER: cluster, names.GROUP: group}
            metadata = {"name": f"{cluster}-{group}", "namespace": "mlp-demo", "labels": labels}
            status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
            self.api.put(f"{PODS}/{cluster}-{group}", {"metadata": metadata, "spec": {}, "status": status})

    def take_away(self, cluster: str) -> None:
        for path in [path for path in self.api.objects if path.startswith(f"{PODS}/{cluster}")]:
            self.api.remove(path)
        self.api.remove(f"{CLUSTERS}/{cluster}")


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    api = await KubeApi().start()
    kube_definitions.install(api)
    config = tmp_path / "kubeconfig"
    config.write_text(api.kubeconfig())
    settings = KubernetesSettings(kubeconfig=config, runtime_image="ray:1", request_seconds=2, stale_seconds=1)
    reports = Reports()
    heard: list[str] = []
    client = KubeClient(config, settings.request_seconds)
    engine = KubernetesEngine(settings, client, Pools(), reports, heard.append)
    api.put(NAMESPACE, {"metadata": {"name": "mlp-demo", "labels": {**names.MANAGED, names.PROJECT: "demo"}}})
    yield Stage(api, engine, settings, reports, heard)
    await engine.close()
    await api.stop()


async def until_bound(stage: Stage, spec: ClusterSpec) -> None:
    """The RayCluster that KubeRay made has become the attempt that `spec` names."""

    async def bound() -> bool:
        await stage.engine.ensure_cluster(spec)
        return await stage.engine.observe_cluster(spec.name) is not None

    await eventually(bound)


async def test_a_job_enters_kueue_once_and_waits_with_its_reason(stage: Stage) -> None:
    assert await stage.queued() is None
    await asyncio.gather(stage.enter(), stage.enter())
    job = stage.api.objects[JOB]
    assert job["metadata"]["labels"][names.QUEUE_NAME] == "default"
    assert "suspend" not in job["spec"]

    async def waits() -> bool:
        queued = await stage.queued()
        return queued is not None and queued.verdict.reason == "WaitingForQuota"

    stage.kueue_says(QuotaReserved=("False", "WaitingForQuota"))
    await eventually(waits)
    uid = job["metadata"]["uid"]
    await stage.enter()
    assert stage.api.objects[JOB]["metadata"]["uid"] == uid
    assert "job_1" in stage.heard


async def test_an_attempt_is_one_ray_cluster_and_a_preempted_job_keeps_its_ray_job(stage: Stage) -> None:
    await stage.enter()
    stage.kueue_says(QuotaReserved=("True", "QuotaReserved"), Admitted=("True", "Admitted"))
    stage.kuberay_makes("job-1-aaaaa")

    await until_bound(stage, SPEC)
    assert stage.api.objects[JOB]["metadata"]["annotations"][names.ATTEMPT_CLUSTER] == "job-1-aaaaa"
    await stage.engine.ensure_work(WORK)
    work = json.loads(stage.api.objects[SECRET]["stringData"]["work.json"])
    assert (work["ray_cluster"], work["name"]) == ("job-1-aaaaa", "att_1")
    stage.pods_are_ready("job-1-aaaaa", "head", "train")
    await stage.until_cluster("att_1", nodes_ready=2, head_ready=True, trouble=None)

    # Kueue takes its machines back, and KubeRay the cluster.
    stage.kueue_says(QuotaReserved=("False", "Pending"), Evicted=("True", "Preempted"))
    stage.kuberay_says(jobDeploymentStatus="Suspended", rayClusterName="")

    async def is_preempted() -> bool:
        observed = await stage.engine.observe_cluster("att_1")
        assert observed is not None
        return observed.trouble is not None and observed.trouble.failure_class is FailureClass.PREEMPTED

    await eventually(is_preempted)
    await stage.engine.delete_cluster("att_1", keep_place=True)
    assert SECRET not in stage.api.objects
    assert await stage.engine.observe_cluster("att_1") is not None, "its pods are still there"
    stage.take_away("job-1-aaaaa")

    async def released() -> bool:
        await stage.engine.delete_cluster("att_1", keep_place=True)
        return await stage.engine.observe_cluster("att_1") is None

    await eventually(released)
    assert await stage.engine.observe_work("att_1", "att_1") is None
    assert JOB in stage.api.objects, "the job keeps its place"

    # Admitted again: another cluster, another attempt.
    stage.kueue_says(QuotaReserved=("True", "QuotaReserved"), Admitted=("True", "Admitted"))
    stage.kuberay_makes("job-1-bbbbb")
    second = replace(SPEC, name="att_2")

    await until_bound(stage, second)
    observed = await stage.engine.observe_cluster("att_2")
    assert observed is not None
    assert observed.trouble is None
    await stage.engine.delete_cluster("att_2")

    async def gone() -> bool:
        return await stage.engine.observe_cluster("att_2") is None and await stage.queued() is None

    await eventually(gone)
    assert JOB not in stage.api.objects


async def test_a_failed_attempt_gives_up_the_job_s_place_whatever_kueue_does_meanwhile(stage: Stage) -> None:
    await stage.enter()
    stage.kuberay_makes("job-1-aaaaa")

    await until_bound(stage, SPEC)
    stage.kuberay_says(jobDeploymentStatus="Suspended")
    await stage.engine.delete_cluster("att_1")
    assert JOB not in stage.api.objects


async def test_what_ended_an_attempt_is_noted_before_its_pods_are_gone(stage: Stage) -> None:
    await stage.enter()
    stage.kuberay_makes("job-1-aaaaa")

    await until_bound(stage, SPEC)
    stage.pods_are_ready("job-1-aaaaa", "head", "train")
    head = stage.api.objects[f"{PODS}/job-1-aaaaa-head"]
    last = {"terminated": {"reason": "OOMKilled"}}
    killed: dict[str, Any] = {"name": "ray-head", "lastState": last, "state": {"running": {}}}
    stage.api.put(f"{PODS}/job-1-aaaaa-head", {**head, "status": {**head["status"], "containerStatuses": [killed]}})

    async def noted() -> bool:
        await stage.engine.observe_cluster("att_1")
        return names.CAUSE in stage.api.objects[JOB]["metadata"]["annotations"]

    await eventually(noted)
    stage.take_away("job-1-aaaaa")

    async def still_told() -> bool:
        observed = await stage.engine.observe_cluster("att_1")
        assert observed is not None
        return observed.nodes_ready == 0 and observed.trouble is not None

    await eventually(still_told)
    observed = await stage.engine.observe_cluster("att_1")
    assert observed is not None
    assert observed.trouble is not None
    assert observed.trouble.failure_class is FailureClass.OOM


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Fault(500, 'failed calling webhook "mrayjob.kb.io"', "InternalError", method="PATCH"), "KueueAway"),
        (Fault(503, method="PATCH"), "ClusterAway"),
        (Fault(429, reason="TooManyRequests", method="PATCH"), "ClusterBusy"),
        (Fault(401, reason="Unauthorized", method="PATCH"), "ClusterRefuses"),
        (Fault(404, "the server could not find the requested resource", "NotFound", method="PATCH"), "ClusterNotReady"),
        (Fault(422, "spec: Invalid value", "Invalid", method="PATCH"), "ClusterRefuses"),
    ],
    ids=["kueue down", "server away", "server busy", "expired", "no kuberay", "refused"],
)
async def test_what_keeps_a_job_out_is_a_state_with_words(stage: Stage, fault: Fault, reason: str) -> None:
    await stage.queued()
    stage.api.faults.extend([fault] * 100)
    with pytest.raises(NotTakenError) as refused:
        await stage.enter()
    assert refused.value.reason == reason
    assert JOB not in stage.api.objects
    stage.api.faults.clear()
    await stage.enter()
    assert JOB in stage.api.objects


async def test_what_a_cluster_lacks_is_told_and_looked_for_again(stage: Stage) -> None:
    missing = f"{kube_definitions.FOLDER}/rayjobs.ray.io"
    definition = stage.api.objects.pop(missing)
    with pytest.raises(EngineAwayError, match="lacks rayjobs") as lacking:
        await stage.engine.observe_cluster("att_1")
    assert lacking.value.reason == "ClusterNotReady"
    stage.api.objects[missing] = definition

    async def goes_on() -> bool:
        try:
            return await stage.engine.observe_cluster("att_1") is None
        except EngineAwayError:
            return False

    await eventually(goes_on)


async def test_refused_credentials_are_told_in_every_call(stage: Stage) -> None:
    stage.api.token = "renewed"
    with pytest.raises(EngineAwayError, match="must renew them") as refused:
        await stage.engine.observe_work("att_1", "att_1")
    assert refused.value.reason == "ClusterRefuses"
    assert stage.settings.kubeconfig is not None
    stage.settings.kubeconfig.write_text(stage.api.kubeconfig("renewed"))

    async def goes_on() -> bool:
        try:
            return await stage.engine.observe_work("att_1", "att_1") is None
        except EngineAwayError:
            return False

    await eventually(goes_on)


async def test_a_write_that_is_refused_is_told_too(stage: Stage) -> None:
    await stage.enter()
    stage.kuberay_makes("job-1-aaaaa")

    async def known() -> bool:
        await stage.engine.ensure_cluster(SPEC)
        return await stage.engine.observe_cluster("att_1") is not None

    await eventually(known)
    stage.api.faults.extend([Fault(429, reason="TooManyRequests", method="DELETE")] * 50)
    with pytest.raises(EngineAwayError) as refused:
        await stage.engine.delete_cluster("att_1")
    assert refused.value.reason == "ClusterBusy"
    assert JOB in stage.api.objects
    stage.api.faults.clear()
    await stage.engine.delete_cluster("att_1")
    assert JOB not in stage.api.objects


async def test_a_named_cluster_is_not_put_into_somebody_else_s_namespace(stage: Stage) -> None:
    named = replace(SPEC, name="cls_1", place=None)
    stage.api.put(NAMESPACE, {"metadata": {"name": "mlp-demo", "labels": {}}})
    with pytest.raises(NotTakenError, match="is not the platform's") as refused:
        await stage.engine.ensure_cluster(named)
    assert refused.value.reason == "NamespaceTaken"
    assert f"{CLUSTERS}/cls-1" not in stage.api.objects


@pytest.mark.parametrize(
    ("count", "each", "taken"), [(4, 0.5, False), (10, 0.1, False), (3, 1 / 3, False), (3, 0.6, True), (2, 1, True)]
)
async def test_case_c3_nodes_that_would_share_a_gpu_are_not_taken_in_silence(
    stage: Stage, count: int, each: float, taken: bool
) -> None:
    spec = replace(SPEC, groups=(NodeGroup("train", "cpu", count, 1, GIB, gpu=each),))
    if taken:
        await stage.enter(spec)
        return
    with pytest.raises(NotTakenError, match="On Kubernetes a node has whole GPUs") as refused:
        await stage.enter(spec)
    assert refused.value.reason == "WholeGpusOnly"
    with pytest.raises(NotTakenError):
        await stage.engine.ensure_cluster(replace(spec, name="cls_1", place=None))


async def test_a_pool_whose_labels_match_no_node_is_told_as_such(stage: Stage) -> None:
    await stage.enter()
    stage.kuberay_makes("job-1-aaaaa")
    stage.api.put("/api/v1/nodes/n1", {"metadata": {"name": "n1", "labels": {"pool": "cpu"}}})
    unschedulable = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/1 nodes."}

    async def told(labels: dict[str, str]) -> str:
        marks = {**names.MANAGED, names.JOB: "job_1", names.RAY_CLUSTER: "job-1-aaaaa", names.GROUP: "head"}
        pod = {"metadata": {"name": "h", "namespace": "mlp-demo", "labels": marks}, "spec": {"nodeSelector": labels}}
        stage.api.put(f"{PODS}/h", {**pod, "status": {"phase": "Pending", "conditions": [unschedulable]}})
        wanted = "carries the labels" if labels == {"pool": "cqu"} else "has room for head"

        async def seen() -> str | None:
            await stage.engine.ensure_cluster(SPEC)
            observed = await stage.engine.observe_cluster("att_1")
            trouble = observed.trouble if observed is not None else None
            return trouble.message if trouble is not None and wanted in trouble.message else None

        return await eventually(seen)

    assert await told({"pool": "cqu"}) == (
        "No node of the cluster carries the labels of head's pool (pool=cqu): 0/1 nodes."
    )
    assert await told({"pool": "cpu"}) == "No machine has room for head: 0/1 nodes."


async def test_a_namespace_of_somebody_else_is_never_used(stage: Stage) -> None:
    stage.api.put(NAMESPACE, {"metadata": {"name": "mlp-demo", "labels": {}}})
    with pytest.raises(NotTakenError, match="is not the platform's") as refused:
        await stage.enter()
    assert refused.value.reason == "NamespaceTaken"
    del stage.api.objects[NAMESPACE]
    with pytest.raises(NotTakenError) as refused:
        await stage.enter()
    assert refused.value.reason == "PreparingProject"


async def test_what_was_just_made_is_seen_before_any_watch_tells_of_it(stage: Stage) -> None:
    await stage.queued()
    stage.api.deaf = True
    await stage.enter()
    assert await stage.queued() is not None
    assert stage.engine.queue is not None
    await stage.engine.queue.leave("job_1")
    assert JOB not in stage.api.objects


async def test_what_was_seen_is_not_believed_for_ever_once_the_server_is_away(stage: Stage) -> None:
    await stage.enter()
    await stage.queued()
    await stage.api.stop()

    async def doubts() -> bool:
        try:
            await stage.queued()
        except EngineError:
            return True
        return False

    await eventually(doubts)
    await stage.api.start()

    async def believes() -> bool:
        try:
            return await stage.queued() is not None
        except EngineError:
            return False

    await eventually(believes)


# -- tenancy --------------------------------------------------------------------------------------------------------


@dataclass
class Source:
    tenants: Tenants
    notes: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    async def load(self) -> Tenants:
        return self.tenants

    async def note(self, project: tenancy.Project, reason: str, message: str) -> None:
        self.notes.append((reason, message))


POOL = tenancy.Pool(Placement("cpu"), Shape(8, 32 * GIB), 2)
PROJECT = tenancy.Project("prj_1", "demo", "vision")
QUEUE = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues/mlp-demo"


@pytest.fixture
async def kept(stage: Stage) -> AsyncIterator[tuple[Tenancy, Source]]:
    del stage.api.objects[NAMESPACE]
    source = Source(Tenants((POOL,), (PROJECT,), frozenset()))
    client = KubeClient(stage.settings.kubeconfig, 2)
    yield Tenancy(stage.settings, client, source), source
    await client.close()


async def test_a_project_is_made_whole_and_then_left_alone(stage: Stage, kept: tuple[Tenancy, Source]) -> None:
    tenant, source = kept
    await tenant.keep()
    assert source.notes == [("NamespaceReady", "Namespace mlp-demo is ready.")]
    kinds = {one["kind"] for one in stage.api.objects.values()}
    assert {"Namespace", "LocalQueue", "ClusterQueue", "Cohort", "ResourceFlavor", "NetworkPolicy", "Role"} <= kinds
    before = len([request for request in stage.api.requests if request[0] == "PATCH"])
    await tenant.keep()
    assert len([request for request in stage.api.requests if request[0] == "PATCH"]) == before


async def test_drift_by_hand_is_put_back_and_told(stage: Stage, kept: tuple[Tenancy, Source]) -> None:
    tenant, source = kept
    await tenant.keep()
    source.notes.clear()
    queue = stage.api.objects[QUEUE]
    stage.api.put(QUEUE, {**queue, "spec": {**queue["spec"], "cohortName": "elsewhere"}})
    policy = "/apis/networking.k8s.io/v1/namespaces/mlp-demo/networkpolicies/default-deny"
    stage.api.remove(policy)
    await tenant.keep()
    assert stage.api.objects[QUEUE]["spec"]["cohortName"] == "mlp-team-vision"
    assert policy in stage.api.objects
    told = dict.fromkeys(message for _, message in source.notes)
    assert "NetworkPolicy default-deny was missing and has been made again." in told
    assert "ClusterQueue mlp-demo was changed by hand and has been put back: spec.cohortName." in told


async def test_a_namespace_that_is_not_ours_is_refused_once_and_nothing_in_it_is_touched(
    stage: Stage, kept: tuple[Tenancy, Source]
) -> None:
    tenant, source = kept
    stage.api.put(NAMESPACE, {"kind": "Namespace", "metadata": {"name": "mlp-demo", "labels": {"theirs": "yes"}}})
    await tenant.keep()
    await tenant.keep()
    assert [reason for reason, _ in source.notes] == ["NamespaceTaken"]
    assert QUEUE not in stage.api.objects
    assert [path for path in stage.api.objects if path.startswith(f"{NAMESPACE}/")] == []


async def test_deleting_a_project_leaves_nothing_of_it(stage: Stage, kept: tuple[Tenancy, Source]) -> None:
    tenant, source = kept
    await tenant.keep()
    source.tenants = Tenants((POOL,), (), frozenset())
    await tenant.keep()
    assert NAMESPACE in stage.api.objects, "a project that the database does not know costs nobody their namespace"
    source.tenants = Tenants((POOL,), (), frozenset({"prj_1"}))
    await tenant.keep()
    left = [one for one in stage.api.objects.values() if "demo" in json.dumps(one["metadata"])]
    assert left == []
    assert "/apis/kueue.x-k8s.io/v1beta2/cohorts/mlp-team-vision" not in stage.api.objects
