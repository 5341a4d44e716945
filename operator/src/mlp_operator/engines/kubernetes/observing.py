"""One truth about an attempt, from all that tells of it: RayJob, Workload, RayCluster, pods, and the pods' own words.

Pure. An attempt is one RayCluster of its RayJob. KubeRay forgets a cluster when the next one comes, and its pods are
gone a second after the end, so what ended an attempt is also read from what was noted on the RayJob (`names.CAUSE`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from pydantic import TypeAdapter, ValidationError

from mlp.schemas.phases import FailureClass
from mlp_core.domain.execution import ArtifactsObserved, ClusterObserved, QueueObserved, Trouble, WorkObserved
from mlp_operator.engines.kubernetes import causes, names, queueing
from mlp_operator.engines.kubernetes.causes import PodLook
from mlp_operator.engines.kubernetes.manifests.pods import HEAD
from mlp_operator.engines.kubernetes.reading import (
    Manifest,
    annotation,
    condition,
    instant,
    is_going,
    items,
    number,
    part,
    text,
)

ENDED = frozenset({"Complete", "Failed"})
SUSPENDED = frozenset({"Suspending", "Suspended"})
_CAUSE_LENGTH = 2000
_TROUBLE = TypeAdapter(Trouble)
_FAILURES = {
    "DeadlineExceeded": (FailureClass.TIMEOUT, "It ran past its time limit and KubeRay took its cluster away."),
    "PreRunningDeadlineExceeded": (FailureClass.INFRA, "Its cluster did not come up in time."),
    "JobStatusCheckTimeoutExceeded": (FailureClass.NODE_LOST, "Its head did not answer any more."),
    "JobDeploymentStatusTransitionGracePeriodExceeded": (FailureClass.INFRA, "KubeRay could not reach its head."),
    "SubmissionFailed": (FailureClass.INFRA, "KubeRay could not start the process on the head."),
}
_LOST_SIGHT = (FailureClass.NODE_LOST, "KubeRay lost sight of its process and took its cluster away.")
"""Of a process that ran when the job was given up: its head is gone, or the pod from which it was followed."""


@dataclass(frozen=True, slots=True)
class WorkReport:
    """What the agent beside the launcher has told the api of one attempt's process."""

    setting_up: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    exit_code: int | None = None
    signal: int | None = None
    timed_out: bool = False
    stopped: bool = False
    oom_kills: int = 0
    shipped: bool = False
    """Everything of the head is at the api."""
    trouble: Trouble | None = None
    artifacts: ArtifactsObserved | None = None


@dataclass(frozen=True, slots=True)
class JobLook:
    """What there is of a job in the cluster."""

    ray_job: Manifest
    workload: Manifest | None = None
    ray_cluster: Manifest | None = None
    """Of the attempt; None once it is gone."""
    pods: tuple[PodLook, ...] = ()
    """Of the attempt's RayCluster."""

    @property
    def status(self) -> str:
        return text(self.ray_job, "status", "jobDeploymentStatus")

    @property
    def has_ended(self) -> bool:
        return self.status in ENDED

    @property
    def bound_to(self) -> str:
        """The RayCluster that the attempt is; empty before there is one."""
        return annotation(self.ray_job, names.ATTEMPT_CLUSTER)


# -- the queue ------------------------------------------------------------------------------------------------------


def of_queue(
    resource: Manifest, workload: Manifest | None, neighbours: Iterable[Manifest] = ()
) -> QueueObserved:  # fmt: skip
    """How a RayJob or a RayCluster stands with Kueue. `neighbours`: Workloads of the same queue."""
    verdict = queueing.verdict_of(workload)
    if workload is not None and queueing.is_passed_over(workload):
        verdict = queueing.verdict_by_likeness(workload, neighbours)
    return QueueObserved(verdict, _refusal(resource, workload))


def _refusal(resource: Manifest, workload: Manifest | None) -> Trouble | None:
    if text(resource, "status", "jobDeploymentStatus") == "ValidationFailed":
        told = text(resource, "status", "message") or "the specification is not valid"
        return Trouble(FailureClass.INFRA, f"KubeRay refuses the job: {told}", is_final=True)
    if workload is None:
        return None
    told = queueing.eviction_of(workload)
    if told is not None and not queueing.was_preempted(workload):
        return Trouble(FailureClass.QUOTA, told, is_final=True)
    return None


# -- clusters -------------------------------------------------------------------------------------------------------


def of_attempt(look: JobLook) -> ClusterObserved:
    """The cluster of a job's attempt, also while and after it goes."""
    spec = part(look.ray_job, "spec", "rayClusterSpec")
    return _cluster(spec, look.ray_cluster, look.pods, _trouble(look))


def of_named(ray_cluster: Manifest, workload: Manifest | None, pods: tuple[PodLook, ...]) -> ClusterObserved:
    trouble = _held_back(ray_cluster, workload) or causes.of_pods(pods)
    return _cluster(part(ray_cluster, "spec"), ray_cluster, pods, trouble)


def _held_back(ray_cluster: Manifest, workload: Manifest | None) -> Trouble | None:
    """Kueue does not let it run (any more); it goes on from its place in the queue, unless it was put out of it."""
    told = queueing.eviction_of(workload) if workload is not None else None
    if told is not None and workload is not None and not queueing.was_preempted(workload):
        return Trouble(FailureClass.QUOTA, told, is_final=True)
    is_suspended = part(ray_cluster, "spec").get("suspend") is True or any(
        condition(ray_cluster, kind) == "True" for kind in ("RayClusterSuspending", "RayClusterSuspended")
    )
    if told is None and not is_suspended:
        return None
    return Trouble(FailureClass.PREEMPTED, told or "Kueue holds its machines back.", is_final=True)


def _cluster(
    spec: Manifest, ray_cluster: Manifest | None, pods: tuple[PodLook, ...], trouble: Trouble | None
) -> ClusterObserved:
    groups = {text(group, "groupName"): number(group, "replicas") for group in items(spec, "workerGroupSpecs")}
    ready = [look for look in pods if look.is_ready and look.group in {HEAD, *groups}]
    was_whole = ray_cluster is not None and condition(ray_cluster, "RayClusterProvisioned") == "True"
    lost = _missing({HEAD: 1, **groups}, ready) if was_whole else ()
    return ClusterObserved(
        nodes_wanted=1 + sum(groups.values()),
        nodes_ready=len(ready),
        head_ready=any(look.group == HEAD for look in ready),
        trouble=trouble,
        lost_nodes=lost,
    )


def _missing(wanted: dict[str, int], ready: list[PodLook]) -> tuple[str, ...]:
    """Nodes that are not there any more, by group: pods have no numbers."""
    here = {group: sum(look.group == group for look in ready) for group in wanted}
    return tuple(group for group, count in wanted.items() for _ in range(max(0, count - here[group])))


def _trouble(look: JobLook) -> Trouble | None:
    noted = noted_cause(look.ray_job)
    if noted is not None and noted.is_final:
        return noted
    told = _taken_back(look) or _failed(look)
    of_pods = causes.of_pods(look.pods)
    final = of_pods if of_pods is not None and of_pods.is_final else _head_replaced(look)
    return told or final or of_pods or _vanished(look)


def _taken_back(look: JobLook) -> Trouble | None:
    """Kueue has stopped the job, or has stopped it and already started it anew elsewhere."""
    told = queueing.eviction_of(look.workload) if look.workload is not None else None
    current = text(look.ray_job, "status", "rayClusterName")
    stopped = look.status in SUSPENDED or part(look.ray_job, "spec").get("suspend") is True
    if not look.bound_to or look.has_ended:
        return None
    if told is None and not stopped and current in ("", look.bound_to):
        return None
    return Trouble(FailureClass.PREEMPTED, told or "Kueue took its machines back.", is_final=True)


def _failed(look: JobLook) -> Trouble | None:
    if look.status != "Failed":
        return None
    lost_sight = _LOST_SIGHT if text(look.ray_job, "status", "jobStatus") == "RUNNING" else None
    known = lost_sight or _FAILURES.get(text(look.ray_job, "status", "reason"))
    if known is None:
        return None
    failure_class, sentence = known
    told = text(look.ray_job, "status", "message")
    return Trouble(failure_class, f"{sentence} KubeRay: {told}" if told else sentence, is_final=True)


def _head_replaced(look: JobLook) -> Trouble | None:
    """KubeRay puts a new head in place of one that is lost, and all that Ray knew is lost with the old one."""
    began = text(look.ray_job, "status", "rayJobInfo", "startTime")
    if not began or text(look.ray_job, "status", "jobStatus") != "RUNNING":
        return None
    for pod in look.pods:
        if pod.group == HEAD and instant(text(pod.pod, "metadata", "creationTimestamp")) > instant(began):
            told = f"The head of its cluster was lost; {pod.name}, in its place, knows nothing of the process."
            return Trouble(FailureClass.NODE_LOST, told, is_final=True, node=HEAD, hint=causes.RETRY_HINT)
    return None


def _vanished(look: JobLook) -> Trouble | None:
    """The cluster of a job that goes on was removed by somebody else."""
    gone = look.ray_cluster is None or is_going(look.ray_cluster)
    if not look.bound_to or not gone or look.has_ended or is_going(look.ray_job):
        return None
    return Trouble(FailureClass.NODE_LOST, "Its Ray cluster was removed from outside.", is_final=True)


# -- work -----------------------------------------------------------------------------------------------------------


def of_work(look: JobLook, report: WorkReport | None) -> WorkObserved:
    """The process: by its own report, or where it could not make one, by what Ray has told KubeRay."""
    report = report or WorkReport()
    started, ended = report.started_at or _began(look), report.ended_at
    exit_code, trouble = report.exit_code, report.trouble
    status = text(look.ray_job, "status", "jobStatus")
    if ended is None and (status in ("SUCCEEDED", "FAILED", "STOPPED") or look.has_ended):
        ended = _ended(look)
        exit_code = 0 if status == "SUCCEEDED" else None
        trouble = trouble or _of_ray(look, status)
    return WorkObserved(
        setting_up=None if started is not None else report.setting_up,
        started_at=started,
        ended_at=ended,
        exit_code=exit_code,
        signal=report.signal,
        timed_out=report.timed_out,
        stopped=report.stopped or status == "STOPPED",
        oom_kills=_oom_kills(look, report),
        sealed=ended is not None and _is_sealed(look, report),
        trouble=trouble,
        artifacts=report.artifacts,
    )


def _is_sealed(look: JobLook, report: WorkReport) -> bool:
    """Whether all agents have handed in what they have: the head's says so, and a worker's has when its pod is gone.

    A work on a named cluster has no pods of its own: its entrypoint goes when its agent has finished.
    """
    if not look.bound_to:
        return report.shipped or look.has_ended
    return not look.pods or (report.shipped and all(pod.group == HEAD for pod in look.pods))


def _began(look: JobLook) -> datetime | None:
    if text(look.ray_job, "status", "jobStatus") in ("", "PENDING"):
        return None
    at = text(look.ray_job, "status", "rayJobInfo", "startTime") or text(look.ray_job, "status", "startTime")
    return instant(at) if at else None


def _ended(look: JobLook) -> datetime:
    at = text(look.ray_job, "status", "rayJobInfo", "endTime") or text(look.ray_job, "status", "endTime")
    return instant(at or text(look.ray_job, "metadata", "creationTimestamp"))


def _of_ray(look: JobLook, status: str) -> Trouble | None:
    """Of a process that ended without a report: KubeRay's and Ray's own sentences are all that there is."""
    told = _failed(look)
    if told is not None:
        return told
    if status == "FAILED":
        told = text(look.ray_job, "status", "message") or "Ray does not say why."
        return Trouble(FailureClass.USER_ERROR, f"The job's process failed. Ray: {told}", is_final=True)
    return None


def _oom_kills(look: JobLook, report: WorkReport) -> tuple[str, ...]:
    killed = tuple(pod.group for pod in look.pods if causes.oom_kills(pod))
    return killed or ((HEAD,) if report.oom_kills else ())


# -- what is kept of a cause ------------------------------------------------------------------------------------------


def cause_to_note(look: JobLook) -> str | None:
    """The text to write on the RayJob now; None where there is nothing final, or it is noted already."""
    if noted_cause(look.ray_job) is not None or not look.bound_to:
        return None
    trouble = _trouble(look)
    if trouble is None or not trouble.is_final:
        return None
    kept = replace(trouble, message=trouble.message[:_CAUSE_LENGTH], last_lines=())
    return _TROUBLE.dump_json(kept).decode()


def noted_cause(ray_job: Manifest) -> Trouble | None:
    """What was written down; None also where somebody has spoilt it."""
    noted = annotation(ray_job, names.CAUSE)
    try:
        return _TROUBLE.validate_json(noted) if noted else None
    except ValidationError:
        return None
