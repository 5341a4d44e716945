"""What is wrong with pods: the classifier of causes, from what the kubelet, the scheduler and the node say. Pure.

Strongest evidence first. Reasons (words of an API) decide; messages (words for people) are only passed on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from mlp.runtime.pods import exits
from mlp.schemas.phases import FailureClass
from mlp.schemas.units import format_memory
from mlp_core.domain.execution import Trouble
from mlp_operator.engines.kubernetes import names
from mlp_operator.engines.kubernetes.manifests import quantities
from mlp_operator.engines.kubernetes.manifests.pods import AGENT, HEAD, SETUP
from mlp_operator.engines.kubernetes.reading import (
    Manifest,
    condition,
    instant,
    is_going,
    items,
    label,
    number,
    part,
    text,
)

PULL_TRIES = 3
"""How often an image must fail before it is called unusable: registries have hiccups."""
PULL_PATIENCE = timedelta(seconds=90)
"""Or for how long, where the kubelet does not say how often; three tries take it 10 + 20 + 40 s."""
CRASHES = 3
INIT_PATIENCE = timedelta(minutes=10)
VOLUME_PATIENCE = timedelta(minutes=2)
_PULL_FAILED = frozenset({"ImagePullBackOff", "ErrImagePull"})
_PULL_NEVER = frozenset({"InvalidImageName", "ErrImageNeverPull"})
_CONFIG = frozenset({"CreateContainerConfigError", "CreateContainerError", "RunContainerError"})
_DISRUPTED = {
    "PreemptionByScheduler": (FailureClass.PREEMPTED, "Its pod {pod} made room for a more important one."),
    "DeletionByTaintManager": (FailureClass.NODE_LOST, "Node {node} does not answer any more; pod {pod} was on it."),
    "DeletionByPodGC": (FailureClass.NODE_LOST, "Node {node} is gone; pod {pod} was on it."),
    "EvictionByEvictionAPI": (FailureClass.PREEMPTED, "Node {node} is being emptied; pod {pod} was on it."),
    "TerminationByKubelet": (FailureClass.NODE_LOST, "Node {node} ended pod {pod}, because it ran short or shut down."),
}
_SETUP_EXITS = {
    exits.NO_WORK: (FailureClass.INFRA, False),
    exits.AWAY: (FailureClass.INFRA, False),
    exits.BAD_PACKAGE: (FailureClass.USER_ERROR, True),
    exits.BAD_ENVIRONMENT: (FailureClass.ENVIRONMENT, True),
}
RETRY_HINT = "Add `--retry-on node_lost --retries 2`, and resume from a checkpoint."
_MORE_MEMORY = "Ask for more memory (`--memory`), or retry with `--retry-on oom --memory-factor 2`."


@dataclass(frozen=True, slots=True)
class PodLook:
    """A pod with what is needed to judge it."""

    pod: Manifest
    now: datetime
    node_ready: bool | None = None
    """None where it is on no node, or the node is not known."""
    events: tuple[Manifest, ...] = ()
    """Looked up only for pods that do not get on."""
    has_nodes: bool | None = None
    """Whether the cluster has a node with the labels that it asks for; None where it has found one already."""

    @property
    def name(self) -> str:
        return str(self.pod["metadata"]["name"])

    @property
    def group(self) -> str:
        return label(self.pod, names.GROUP) or "?"

    @property
    def node(self) -> str:
        return text(self.pod, "spec", "nodeName")

    @property
    def age(self) -> timedelta:
        return self.now - instant(text(self.pod, "metadata", "creationTimestamp"))

    @property
    def is_going(self) -> bool:
        return is_going(self.pod)

    @property
    def is_ready(self) -> bool:
        return not self.is_going and condition(self.pod, "Ready") == "True"


def of_pods(looks: Iterable[PodLook]) -> Trouble | None:
    """The most telling trouble of a cluster's pods; heads before workers, final before passing."""
    found = [trouble for look in sorted(looks, key=_head_first) if (trouble := of_pod(look)) is not None]
    return next((trouble for trouble in found if trouble.is_final), found[0] if found else None)


def of_pod(look: PodLook) -> Trouble | None:
    for judge in (_out_of_memory, _disrupted, _evicted, _node_lost, _unschedulable, _containers, _stuck):
        trouble = judge(look)
        if trouble is not None:
            return trouble
    return None


def oom_kills(look: PodLook) -> tuple[str, ...]:
    """Containers of the pod that the kernel ended for memory."""
    return tuple(str(status["name"]) for status in _statuses(look.pod) if _ended(status, "OOMKilled") is not None)


# -- what has ended -------------------------------------------------------------------------------------------------


def _out_of_memory(look: PodLook) -> Trouble | None:
    killed = [name for name in oom_kills(look) if name not in (AGENT, SETUP)]
    if not killed:
        return None
    limit = _memory_limit(look.pod, killed[0])
    of = f" of {format_memory(limit)}" if limit is not None else ""
    return Trouble(
        FailureClass.OOM,
        f"Container {killed[0]} of {look.group} (pod {look.name}) outgrew its memory{of} and was killed.",
        is_final=look.group == HEAD,
        hint=_MORE_MEMORY,
        node=look.group,
        memory_limit_bytes=limit,
    )


def _disrupted(look: PodLook) -> Trouble | None:
    if condition(look.pod, "DisruptionTarget") != "True":
        return None
    known = _DISRUPTED.get(condition(look.pod, "DisruptionTarget", "reason"))
    if known is None:
        return None
    failure_class, sentence = known
    told = sentence.format(pod=look.name, node=look.node or "?")
    return Trouble(failure_class, told, is_final=look.group == HEAD, node=look.group, hint=RETRY_HINT)


def _evicted(look: PodLook) -> Trouble | None:
    if text(look.pod, "status", "reason") != "Evicted":
        return None
    told = text(look.pod, "status", "message") or "the node ran short"
    told = f"Pod {look.name} was evicted from {look.node}: {told}"
    return Trouble(FailureClass.NODE_LOST, told, is_final=look.group == HEAD, node=look.group)


def _node_lost(look: PodLook) -> Trouble | None:
    if look.node_ready is not False and text(look.pod, "status", "reason") != "NodeLost":
        return None
    told = f"Node {look.node} does not answer; pod {look.name} of {look.group} is on it."
    return Trouble(FailureClass.NODE_LOST, told, is_final=False, node=look.group, hint=RETRY_HINT)


# -- what does not begin --------------------------------------------------------------------------------------------


def _unschedulable(look: PodLook) -> Trouble | None:
    if condition(look.pod, "PodScheduled") != "False":
        return None
    reason, message = (condition(look.pod, "PodScheduled", name) for name in ("reason", "message"))
    if reason == "SchedulingGated":
        return Trouble(FailureClass.QUOTA, f"Pod {look.name} waits for its quota.", is_final=False, node=look.group)
    told = f"No machine has room for {look.group}: {message}"
    if look.has_nodes is False:
        labels = ", ".join(f"{name}={value}" for name, value in sorted(part(look.pod, "spec", "nodeSelector").items()))
        told = f"No node of the cluster carries the labels of {look.group}'s pool ({labels}): {message}"
    hint = "See `mlp pool list`, and whether the pool's labels match its nodes."
    return Trouble(FailureClass.INFRA, told, is_final=False, node=look.group, hint=hint)


def _containers(look: PodLook) -> Trouble | None:
    for status in _statuses(look.pod):
        waiting = part(status, "state", "waiting")
        if not waiting:
            continue
        trouble = _image(look, status, waiting) or _crashes(look, status, waiting) or _config(look, status, waiting)
        if trouble is not None:
            return trouble
    return None


def _image(look: PodLook, status: Manifest, waiting: Manifest) -> Trouble | None:
    reason, message = text(waiting, "reason"), text(waiting, "message")
    if reason not in _PULL_FAILED | _PULL_NEVER:
        return None
    tries = _pull_tries(look)
    final = reason in _PULL_NEVER or (tries >= PULL_TRIES if tries else look.age > PULL_PATIENCE)
    image = text(status, "image") or "?"
    told = f"Image {image} cannot be used on {look.node or 'its node'}: {message or reason}"
    hint = "Check the image's name and tag, and whether the cluster may read it."
    return Trouble(FailureClass.IMAGE, told, is_final=final, node=look.group, hint=hint)


def _pull_tries(look: PodLook) -> int:
    """Failed pulls that events tell of; 0 where they were not looked up."""
    failed = [
        event for event in look.events if text(event, "reason") == "Failed" and "pull" in text(event, "message").lower()
    ]
    return sum(number(event, "count") or 1 for event in failed)


def _crashes(look: PodLook, status: Manifest, waiting: Manifest) -> Trouble | None:
    if text(waiting, "reason") != "CrashLoopBackOff":
        return None
    last = part(status, "lastState", "terminated")
    code, count, name = number(last, "exitCode"), number(status, "restartCount"), text(status, "name")
    if name == SETUP:
        return _not_set_up(look, code, count, text(last, "message"))
    told = f"Container {name} of {look.group} ends with exit code {code} again and again, {count} times so far."
    failure_class = FailureClass.IMAGE if code in (126, 127) else FailureClass.INFRA
    hint = "The image must hold Ray and the platform's runtime." if failure_class is FailureClass.IMAGE else None
    said = tuple(text(last, "message").splitlines()[-30:])
    return Trouble(failure_class, told, is_final=count >= CRASHES, node=look.group, hint=hint, last_lines=said)


def _not_set_up(look: PodLook, code: int, count: int, said: str) -> Trouble:
    """By the step's own word, and by its exit status, which tells whether trying again can help."""
    failure_class, is_final = _SETUP_EXITS.get(code, (FailureClass.ENVIRONMENT, False))
    why = said.strip() or f"exit code {code}, {count} times."
    told = f"Code and environment could not be set up on {look.group}: {why}"
    return Trouble(failure_class, told, is_final=is_final or count >= CRASHES, node=look.group)


def _config(look: PodLook, status: Manifest, waiting: Manifest) -> Trouble | None:
    reason, message = text(waiting, "reason"), text(waiting, "message")
    if reason not in _CONFIG:
        return None
    # The platform's runtime is what every container starts with; an image without it cannot start at all.
    missing = "executable file not found" in message or "no such file" in message
    failure_class = FailureClass.IMAGE if missing else FailureClass.INFRA
    told = f"Container {text(status, 'name')} of {look.group} cannot be started: {message or reason}"
    return Trouble(failure_class, told, is_final=missing or look.age > VOLUME_PATIENCE, node=look.group)


def _stuck(look: PodLook) -> Trouble | None:
    """Nothing is refused and nothing goes on."""
    if look.is_going or text(look.pod, "status", "phase") != "Pending" or not look.node:
        return None
    mounts = next((event for event in reversed(look.events) if text(event, "reason") == "FailedMount"), None)
    if mounts is not None and look.age > VOLUME_PATIENCE:
        told = f"A volume of {look.group} cannot be mounted: {text(mounts, 'message')}"
        return Trouble(FailureClass.INFRA, told, is_final=False, node=look.group)
    steps = (text(status, "name") for status in _statuses(look.pod) if "running" in part(status, "state"))
    step = next((name for name in steps if name != AGENT), None)
    if look.age > INIT_PATIENCE and step is not None:
        told = f"Step {step} of {look.group} has not come to an end for {look.age.seconds // 60} minutes."
        return Trouble(FailureClass.INFRA, told, is_final=False, node=look.group)
    return None


# -- reading ----------------------------------------------------------------------------------------------------------


def _head_first(look: PodLook) -> tuple[bool, str]:
    return look.group != HEAD, look.name


def _statuses(pod: Manifest) -> list[Manifest]:
    return [*items(pod, "status", "initContainerStatuses"), *items(pod, "status", "containerStatuses")]


def _ended(status: Manifest, reason: str) -> Manifest | None:
    ends = (part(status, state, "terminated") for state in ("state", "lastState"))
    return next((ended for ended in ends if text(ended, "reason") == reason), None)


def _memory_limit(pod: Manifest, container: str) -> int | None:
    limits = (text(one, "resources", "limits", "memory") for one in items(pod, "spec", "containers")
              if one["name"] == container)  # fmt: skip
    limit = next(limits, "")
    return int(quantities.amount(limit)) if limit else None
