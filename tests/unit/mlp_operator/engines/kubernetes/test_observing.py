"""What the platform makes of what the cluster says, on objects in the shapes that KubeRay, Kueue and kubelets write."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mlp.runtime.pods import exits
from mlp.schemas.phases import FailureClass
from mlp_operator.engines.kubernetes import causes, drift, names, observing, queueing
from mlp_operator.engines.kubernetes.causes import PodLook
from mlp_operator.engines.kubernetes.observing import JobLook, WorkReport

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
ATTEMPT = "att_1"
CLUSTER = "job-1-abcde"
Object = dict[str, Any]


def conditions(**said: tuple[str, str, str]) -> Object:
    """`Evicted=("True", "Preempted", "words")`."""
    return {
        "status": {
            "conditions": [
                {"type": kind, "status": status, "reason": reason, "message": message}
                for kind, (status, reason, message) in said.items()
            ]
        }
    }


def a_ray_job(status: Mapping[str, Any] | None = None, *, bound: bool = True, cause: str = "") -> Object:
    annotations = {names.ATTEMPT_CLUSTER: CLUSTER} if bound else {}
    groups = [{"groupName": "prep", "replicas": 1}, {"groupName": "train", "replicas": 2}]
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayJob",
        "metadata": {
            "name": "job-1",
            "uid": "u-1",
            "creationTimestamp": "2026-11-30T11:00:00Z",
            "labels": {names.JOB: "job_1", names.ATTEMPT: ATTEMPT},
            "annotations": annotations | ({names.CAUSE: cause} if cause else {}),
        },
        "spec": {"suspend": False, "rayClusterSpec": {"workerGroupSpecs": groups}},
        "status": {"rayClusterName": CLUSTER, "jobDeploymentStatus": "Running", **(status or {})},
    }


def a_ray_cluster(*, provisioned: bool = True) -> Object:
    status = (
        ("True", "AllPodRunningAndReadyFirstTime", "") if provisioned else ("False", "RayClusterPodsProvisioning", "")
    )
    return {"metadata": {"name": CLUSTER}, **conditions(RayClusterProvisioned=status)}


def a_pod(
    group: str = "head", number: int = 0, *, ready: bool = True, age: float = 30, node: str = "n-1", **status: Any
) -> PodLook:
    created = (NOW - timedelta(seconds=age)).isoformat().replace("+00:00", "Z")
    said = [{"type": "Ready", "status": "True" if ready else "False"}, *status.pop("conditions", [])]
    pod = {
        "metadata": {"name": f"{group}-{number}", "creationTimestamp": created, "labels": {names.GROUP: group}},
        "spec": {
            "nodeName": node,
            "containers": [{"name": "ray-head", "resources": {"limits": {"memory": "2Gi"}}}],
        },
        "status": {"phase": "Running" if ready else "Pending", "conditions": said, **status},
    }
    return PodLook(pod, NOW, node_ready=True)


ALL = (a_pod(), a_pod("prep"), a_pod("train", 0), a_pod("train", 1))
ADMITTED = conditions(QuotaReserved=("True", "QuotaReserved", ""), Admitted=("True", "Admitted", ""))


def waiting(container: str, reason: str, message: str = "", restarts: int = 0, **last: Any) -> Object:
    status: Object = {"name": container, "image": "x:1", "restartCount": restarts}
    status["state"] = {"waiting": {"reason": reason, "message": message}}
    if last:
        status["lastState"] = {"terminated": last}
    return status


def not_set_up(status: int, word: str = "") -> Object:
    waits = waiting("setup", "CrashLoopBackOff", restarts=1)
    return waits | {"lastState": {"terminated": {"exitCode": status, "message": word}}}


def oom_killed(container: str = "ray-head") -> Object:
    return {
        "name": container,
        "lastState": {"terminated": {"reason": "OOMKilled", "exitCode": 137}},
        "state": {"running": {}},
    }


# -- the queue ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "begins"),
    [
        ("WaitingForQuota", "Waits for quota that others use now."),
        ("ExceedsMaxQuota", "Asks for more than the project may ever have"),
        ("NoMatchingFlavor", "No pool that the project may use"),
        ("SomethingNew", "Waits in the queue."),
    ],
)
def test_kueue_s_reason_becomes_words_and_its_sentence_is_passed_on(reason: str, begins: str) -> None:
    told = "couldn't assign flavors to pod set head: insufficient unused quota for cpu in flavor cpu, 500m more needed"
    verdict = queueing.verdict_of(conditions(QuotaReserved=("False", reason, told)))
    assert (verdict.admitted, verdict.reason) == (False, reason)
    assert verdict.message.startswith(begins)
    assert verdict.message.endswith(f"Kueue: {told}")


def test_without_a_workload_a_job_waits_for_kueue_to_look() -> None:
    assert queueing.verdict_of(None).reason == "Submitted"
    assert queueing.verdict_of({}).reason == "Submitted"


def a_workload(cpu: str, **said: tuple[str, str, str]) -> Object:
    container = {"name": "ray", "resources": {"requests": {"cpu": cpu}}}
    pod_set = {"name": "head", "count": 1, "template": {"spec": {"containers": [container]}}}
    return {"spec": {"podSets": [pod_set]}, **conditions(**said)}


def test_case_c1_one_that_kueue_passes_over_has_the_reason_of_its_like() -> None:
    waits = a_workload("4", QuotaReserved=("False", "WaitingForQuota", "4 more needed"))
    silent = a_workload("4", PodsReady=("False", "WaitForStart", ""))
    others = [a_workload("4", Admitted=("True", "Admitted", "")), a_workload("8"), silent, waits]
    verdict = observing.of_queue({}, silent, others).verdict
    assert (verdict.admitted, verdict.reason) == (False, "WaitingForQuota")
    assert verdict.message.startswith("As with another that asks for the same: ")
    assert "4 more needed" in verdict.message
    assert observing.of_queue({}, a_workload("8"), others).verdict == queueing.NOT_SEEN
    assert observing.of_queue({}, waits, others).verdict == queueing.verdict_of(waits)


def test_an_admission_names_the_pool_of_each_group() -> None:
    assignments = [
        {"name": "head", "flavors": {"cpu": "mlp-cpu", "memory": "mlp-cpu"}},
        {"name": "train", "flavors": {"cpu": "mlp-a100", "nvidia.com/gpu": "mlp-a100"}},
    ]
    workload = {"status": ADMITTED["status"] | {"admission": {"podSetAssignments": assignments}}}
    verdict = queueing.verdict_of(workload)
    assert verdict.admitted
    assert verdict.message == "Kueue has admitted it on a100 (train) and cpu (head)."


def test_a_preempted_workload_waits_again_and_a_deactivated_one_is_out_for_good() -> None:
    evicted = conditions(
        QuotaReserved=("False", "WaitingForQuota", "x"),
        Admitted=("False", "NoReservation", ""),
        Evicted=("True", "Preempted", "y"),
        Preempted=("True", "InCohortReclamation", "Preempted to accommodate a workload (UID: 1)"),
    )
    assert not queueing.verdict_of(evicted).admitted
    assert "accommodate" in (queueing.eviction_of(evicted) or "")
    assert observing.of_queue(a_ray_job(), evicted).trouble is None
    out = conditions(Evicted=("True", "DeactivatedDueToRequeuingLimitExceeded", ""))
    trouble = observing.of_queue(a_ray_job(), out).trouble
    assert trouble is not None
    assert (trouble.failure_class, trouble.is_final) == (FailureClass.QUOTA, True)


def test_what_kuberay_finds_invalid_is_final() -> None:
    refused = a_ray_job({"jobDeploymentStatus": "ValidationFailed", "message": "name too long"})
    trouble = observing.of_queue(refused, None).trouble
    assert trouble is not None
    assert trouble.is_final
    assert "name too long" in trouble.message


# -- clusters -------------------------------------------------------------------------------------------------------


def test_a_whole_cluster_is_ready_and_has_no_trouble() -> None:
    observed = observing.of_attempt(JobLook(a_ray_job(), ADMITTED, a_ray_cluster(), ALL))
    assert (observed.nodes_ready, observed.nodes_wanted, observed.head_ready) == (4, 4, True)
    assert (observed.trouble, observed.lost_nodes) == (None, ())


def test_what_was_whole_and_is_not_any_more_has_lost_nodes() -> None:
    starting = observing.of_attempt(JobLook(a_ray_job(), ADMITTED, a_ray_cluster(provisioned=False), ALL[:2]))
    assert (starting.nodes_ready, starting.lost_nodes) == (2, ())
    later = observing.of_attempt(JobLook(a_ray_job(), ADMITTED, a_ray_cluster(), ALL[:3]))
    assert later.lost_nodes == ("train",)


@pytest.mark.parametrize(
    "look",
    [
        JobLook(a_ray_job(), conditions(Evicted=("True", "Preempted", "")), a_ray_cluster(), ALL),
        JobLook(a_ray_job({"jobDeploymentStatus": "Suspending"}), ADMITTED, a_ray_cluster(), ALL),
        JobLook(a_ray_job({"jobDeploymentStatus": "Suspended", "rayClusterName": ""}), ADMITTED),
        # Evicted, requeued and admitted again before anybody looked: another cluster stands there now.
        JobLook(a_ray_job({"rayClusterName": "job-1-fghij"}), ADMITTED),
    ],
    ids=["evicted", "suspending", "suspended", "already elsewhere"],
)
def test_a_preemption_is_seen_at_every_step_of_it(look: JobLook) -> None:
    trouble = observing.of_attempt(look).trouble
    assert trouble is not None
    assert (trouble.failure_class, trouble.is_final) == (FailureClass.PREEMPTED, True)


@pytest.mark.parametrize(
    ("suspend", "workload", "status", "failure_class"),
    [
        (True, conditions(Evicted=("True", "Preempted", "")), {}, FailureClass.PREEMPTED),
        (False, conditions(Evicted=("True", "PodsReadyTimeout", "")), {}, FailureClass.PREEMPTED),
        (True, conditions(Evicted=("True", "DeactivatedDueToRequeuingLimitExceeded", "")), {}, FailureClass.QUOTA),
        (True, None, {}, FailureClass.PREEMPTED),
        (False, None, conditions(RayClusterSuspending=("True", "x", "")), FailureClass.PREEMPTED),
        (False, None, conditions(RayClusterSuspended=("True", "x", "")), FailureClass.PREEMPTED),
    ],
)
def test_a_named_cluster_that_kueue_holds_back_is_told_at_every_step_of_it(
    suspend: bool, workload: Object | None, status: Object, failure_class: FailureClass
) -> None:
    cluster = {**a_ray_cluster(), **status, "spec": {"suspend": suspend}}
    trouble = observing.of_named(cluster, workload, (a_pod(),)).trouble
    assert trouble is not None
    assert (trouble.failure_class, trouble.is_final) == (failure_class, True)


def test_a_named_cluster_that_runs_anew_has_no_trouble() -> None:
    workload = conditions(Evicted=("False", "QuotaReserved", "Was preempted."), Admitted=("True", "Admitted", ""))
    assert observing.of_named({**a_ray_cluster(), "spec": {"suspend": False}}, workload, (a_pod(),)).trouble is None


def test_a_job_that_ended_well_is_not_called_preempted_when_its_cluster_goes() -> None:
    look = JobLook(a_ray_job({"jobDeploymentStatus": "Complete", "jobStatus": "SUCCEEDED"}), ADMITTED)
    assert observing.of_attempt(look).trouble is None


def test_a_cluster_that_somebody_removed_is_told() -> None:
    trouble = observing.of_attempt(JobLook(a_ray_job(), ADMITTED)).trouble
    assert trouble is not None
    assert (trouble.failure_class, trouble.is_final) == (FailureClass.NODE_LOST, True)


def test_kuberay_s_own_deadlines_have_their_class() -> None:
    failed = a_ray_job({"jobDeploymentStatus": "Failed", "reason": "DeadlineExceeded", "message": "too long"})
    trouble = observing.of_attempt(JobLook(failed)).trouble
    assert trouble is not None
    assert trouble.failure_class is FailureClass.TIMEOUT
    plain = a_ray_job({"jobDeploymentStatus": "Failed", "reason": "AppFailed"})
    assert observing.of_attempt(JobLook(plain)).trouble is None


RUNS = {"jobStatus": "RUNNING", "rayJobInfo": {"startTime": "2026-11-30T11:59:00Z"}}


@pytest.mark.parametrize(("head_age", "lost"), [(10, True), (90, False)])
def test_a_head_younger_than_the_process_knows_nothing_of_it(head_age: float, lost: bool) -> None:
    pods = (a_pod(age=head_age), *ALL[1:])
    trouble = observing.of_attempt(JobLook(a_ray_job(RUNS), ADMITTED, a_ray_cluster(), pods)).trouble
    told = (trouble.failure_class, trouble.is_final) if trouble is not None else None
    assert told == ((FailureClass.NODE_LOST, True) if lost else None)


def test_what_ended_the_old_head_is_told_before_the_new_one() -> None:
    old = a_pod(ready=False, number=1, conditions=disrupted("DeletionByPodGC"))
    look = JobLook(a_ray_job(RUNS), ADMITTED, a_ray_cluster(), (a_pod(age=5), old, *ALL[1:]))
    trouble = observing.of_attempt(look).trouble
    assert trouble is not None
    assert "Node n-1 is gone" in trouble.message


@pytest.mark.parametrize("reason", ["SubmissionFailed", "AppFailed"])
def test_a_process_that_kuberay_lost_sight_of_is_no_fault_of_its_own(reason: str) -> None:
    status = RUNS | {"jobDeploymentStatus": "Failed", "reason": reason, "message": "submitter is gone"}
    look = JobLook(a_ray_job(status), ADMITTED)
    for trouble in (observing.of_attempt(look).trouble, observing.of_work(look, None).trouble):
        assert trouble is not None
        assert (trouble.failure_class, trouble.is_final) == (FailureClass.NODE_LOST, True)
        assert "submitter is gone" in trouble.message


def test_kuberay_s_own_verdict_on_a_process_is_no_fault_of_the_process() -> None:
    reason = "JobDeploymentStatusTransitionGracePeriodExceeded"
    status = {"jobDeploymentStatus": "Failed", "jobStatus": "FAILED", "reason": reason}
    trouble = observing.of_work(JobLook(a_ray_job(status), ADMITTED), None).trouble
    assert trouble is not None
    assert trouble.failure_class is FailureClass.INFRA


def test_a_final_cause_is_noted_once_and_outlives_the_pods_that_told_it() -> None:
    dead = a_pod(ready=False, containerStatuses=[oom_killed()])
    look = JobLook(a_ray_job(), ADMITTED, a_ray_cluster(), (dead, *ALL[1:]))
    note = observing.cause_to_note(look)
    assert note is not None
    noted = JobLook(a_ray_job(cause=note), ADMITTED)
    trouble = observing.of_attempt(noted).trouble
    assert trouble is not None
    assert trouble.failure_class is FailureClass.OOM
    assert observing.cause_to_note(noted) is None
    assert observing.noted_cause(a_ray_job(cause="{spoilt")) is None
    assert json.loads(note)["memory_limit_bytes"] == 2 * 2**30


# -- causes ---------------------------------------------------------------------------------------------------------


def scheduled(reason: str, message: str) -> list[Object]:
    return [{"type": "PodScheduled", "status": "False", "reason": reason, "message": message}]


def disrupted(reason: str) -> list[Object]:
    return [{"type": "DisruptionTarget", "status": "True", "reason": reason, "message": ""}]


CAUSES = {
    "the kernel": (a_pod(containerStatuses=[oom_killed()]), FailureClass.OOM, True, "outgrew its memory of 2Gi"),
    "the kernel, a worker": (
        a_pod("train", containerStatuses=[oom_killed("ray-worker")]), FailureClass.OOM, False, "ray-worker of train",
    ),
    "the scheduler": (
        a_pod(ready=False, node="", conditions=scheduled("Unschedulable", "0/3 nodes are available: 3 node(s) had x.")),
        FailureClass.INFRA, False, "0/3 nodes are available",
    ),
    "a gate": (
        a_pod(ready=False, node="", conditions=scheduled("SchedulingGated", "")), FailureClass.QUOTA, False, "quota",
    ),
    "an image, at first": (
        a_pod(ready=False, containerStatuses=[waiting("ray-head", "ErrImagePull", "not found")]),
        FailureClass.IMAGE, False, "not found",
    ),
    "an image, for long": (
        a_pod(ready=False, age=120, containerStatuses=[waiting("ray-head", "ImagePullBackOff", "back-off")]),
        FailureClass.IMAGE, True, "back-off",
    ),
    "an image's name": (
        a_pod(ready=False, initContainerStatuses=[waiting("setup", "InvalidImageName", "bad")]),
        FailureClass.IMAGE, True, "bad",
    ),
    "a crash loop": (
        a_pod(ready=False, containerStatuses=[waiting("ray-head", "CrashLoopBackOff", restarts=3, exitCode=1)]),
        FailureClass.INFRA, True, "exit code 1",
    ),
    "an image without ray": (
        a_pod(ready=False, containerStatuses=[waiting("ray-head", "CrashLoopBackOff", restarts=3, exitCode=127)]),
        FailureClass.IMAGE, True, "exit code 127",
    ),
    "an image without our runtime": (
        a_pod(
            ready=False,
            initContainerStatuses=[
                waiting("setup", "RunContainerError", 'exec: "python": executable file not found in $PATH')
            ],
        ),
        FailureClass.IMAGE, True, "cannot be started",
    ),
    "setup": (
        a_pod(ready=False, initContainerStatuses=[waiting("setup", "CrashLoopBackOff", restarts=3, exitCode=1)]),
        FailureClass.ENVIRONMENT, True, "Code and environment",
    ),
    "a package that is gone": (
        a_pod(ready=False, initContainerStatuses=[not_set_up(exits.BAD_PACKAGE, "It is not there.")]),
        FailureClass.USER_ERROR, True, "on head: It is not there.",
    ),
    "a lock that cannot be installed": (
        a_pod(ready=False, initContainerStatuses=[not_set_up(exits.BAD_ENVIRONMENT)]),
        FailureClass.ENVIRONMENT, True, "Code and environment",
    ),
    "a platform that is away, at first": (
        a_pod(ready=False, initContainerStatuses=[not_set_up(exits.AWAY)]),
        FailureClass.INFRA, False, "Code and environment",
    ),
    "eviction": (
        a_pod(ready=False, reason="Evicted", message="low on memory"), FailureClass.NODE_LOST, True, "low on memory",
    ),
    "a drain": (
        a_pod("train", conditions=disrupted("EvictionByEvictionAPI")), FailureClass.PREEMPTED, False, "being emptied",
    ),
    "a lost node": (
        a_pod("train", conditions=disrupted("DeletionByTaintManager")),
        FailureClass.NODE_LOST, False, "does not answer",
    ),
    "a silent node": (
        replace(a_pod("train"), node_ready=False), FailureClass.NODE_LOST, False, "does not answer",
    ),
    "a volume": (
        replace(
            a_pod(ready=False, age=200),
            events=({"reason": "FailedMount", "message": 'secret "x" not found'},),
        ),
        FailureClass.INFRA, False, 'secret "x" not found',
    ),
    "a stuck step": (
        a_pod("train", ready=False, age=700, initContainerStatuses=[
            {"name": "agent", "state": {"running": {}}},
            {"name": "wait-gcs-ready", "state": {"running": {}}},
        ]),
        FailureClass.INFRA, False, "wait-gcs-ready of train",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("look", "failure_class", "final", "words"), CAUSES.values(), ids=CAUSES.keys())
def test_each_cause_has_its_class_and_words(
    look: PodLook, failure_class: FailureClass, final: bool, words: str
) -> None:
    trouble = causes.of_pod(look)
    assert trouble is not None
    assert (trouble.failure_class, trouble.is_final) == (failure_class, final)
    assert words in trouble.message


def test_three_failed_pulls_are_enough_and_a_hiccup_is_not() -> None:
    look = a_pod(ready=False, age=200, containerStatuses=[waiting("ray-head", "ImagePullBackOff")])
    for tries, final in ((1, False), (3, True)):
        event = {"reason": "Failed", "message": "Failed to pull image x", "count": tries}
        trouble = causes.of_pod(replace(look, events=(event,)))
        assert trouble is not None
        assert trouble.is_final is final


def test_a_healthy_pod_has_no_trouble_and_the_final_one_is_told_first() -> None:
    assert causes.of_pods(ALL) is None
    passing = a_pod("prep", ready=False, node="", conditions=scheduled("Unschedulable", "later"))
    final = a_pod("train", ready=False, containerStatuses=[waiting("ray-worker", "InvalidImageName")])
    trouble = causes.of_pods((passing, final))
    assert trouble is not None
    assert trouble.failure_class is FailureClass.IMAGE


# -- work -----------------------------------------------------------------------------------------------------------


def test_a_process_is_told_by_its_report() -> None:
    look = JobLook(
        a_ray_job({"jobStatus": "RUNNING", "startTime": "2026-11-30T11:00:05Z"}), ADMITTED, a_ray_cluster(), ALL
    )
    started = datetime(2026, 11, 30, 11, 0, 9, tzinfo=UTC)
    assert observing.of_work(look, WorkReport(setting_up="Fetching code.")).started_at is not None
    report = WorkReport(started_at=started, ended_at=NOW, exit_code=3, oom_kills=1)
    work = observing.of_work(look, report)
    assert (work.started_at, work.ended_at, work.exit_code, work.sealed) == (started, NOW, 3, False)
    assert work.oom_kills == ("head",)


@pytest.mark.parametrize(
    ("pods", "shipped", "sealed"),
    [
        (ALL, False, False),
        (ALL, True, False),
        (ALL[:1], False, False),
        (ALL[:1], True, True),
        ((), False, True),
    ],
    ids=["nothing handed in", "workers there", "head alone", "head alone, handed in", "all gone"],
)
def test_an_attempt_is_sealed_when_the_agents_of_all_its_nodes_have_finished(
    pods: tuple[PodLook, ...], shipped: bool, sealed: bool
) -> None:
    look = JobLook(a_ray_job({"jobStatus": "RUNNING"}), ADMITTED, a_ray_cluster(), pods)
    report = WorkReport(started_at=NOW, ended_at=NOW, exit_code=0, shipped=shipped)
    assert observing.of_work(look, report).sealed is sealed
    assert not observing.of_work(look, replace(report, ended_at=None)).sealed


def test_a_work_on_a_named_cluster_is_sealed_by_its_agents_word_or_its_entrypoints_end() -> None:
    running = a_ray_job({"jobStatus": "RUNNING"}, bound=False)
    done = a_ray_job({"jobStatus": "SUCCEEDED", "jobDeploymentStatus": "Complete"}, bound=False)
    report = WorkReport(started_at=NOW, ended_at=NOW, exit_code=0)
    assert not observing.of_work(JobLook(running), report).sealed
    assert observing.of_work(JobLook(running), replace(report, shipped=True)).sealed
    assert observing.of_work(JobLook(done), report).sealed


def test_a_process_without_a_report_is_told_by_ray() -> None:
    info = {"startTime": "2026-11-30T11:00:05Z", "endTime": "2026-11-30T11:01:00Z"}
    status = {"jobStatus": "FAILED", "jobDeploymentStatus": "Failed", "message": "exit code 3", "rayJobInfo": info}
    work = observing.of_work(JobLook(a_ray_job(status)), None)
    assert (work.has_ended, work.exit_code, work.sealed) == (True, None, True)
    assert work.trouble is not None
    assert "exit code 3" in work.trouble.message
    done = observing.of_work(JobLook(a_ray_job(status | {"jobStatus": "SUCCEEDED"})), None)
    assert (done.exit_code, done.trouble) == (0, None)


def test_a_process_that_has_not_begun_says_what_it_waits_for() -> None:
    look = JobLook(a_ray_job({"jobStatus": ""}), ADMITTED, a_ray_cluster(), ALL)
    work = observing.of_work(look, WorkReport(setting_up="Fetching code."))
    assert (work.started_at, work.setting_up) == (None, "Fetching code.")


# -- drift ----------------------------------------------------------------------------------------------------------


def test_drift_is_what_differs_from_what_we_write_and_nothing_else() -> None:
    wanted = {"spec": {"hard": {"cpu": "2000m", "pods": "5"}, "podSelector": {}, "list": [{"a": 1}]}}
    same = {"spec": {"hard": {"cpu": "2", "pods": "5", "more": "1"}, "podSelector": {}, "list": [{"a": 1, "b": 2}]}}
    assert drift.differences(wanted, same) == []
    changed: Object = {"spec": {"hard": {"cpu": "3", "pods": "5"}, "podSelector": {"x": "y"}, "list": []}}
    assert drift.differences(wanted, changed) == ["spec.hard.cpu", "spec.podSelector", "spec.list"]


def an_object(name: str, project: str = "") -> Object:
    labels = {names.PROJECT_ID: project} if project else {}
    return {"kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def test_a_namespace_goes_only_with_a_project_that_is_known_to_be_deleted() -> None:
    live = [an_object("mlp-a", "prj_live"), an_object("mlp-b", "prj_deleted"), an_object("mlp-c", "prj_unknown")]
    left = drift.leftovers([live[0]], live, frozenset({"prj_deleted"}))
    assert [one["metadata"]["name"] for one in left] == ["mlp-b"]
    assert drift.leftovers([], [an_object("mlp-old-flavor")], frozenset()) == [an_object("mlp-old-flavor")]
