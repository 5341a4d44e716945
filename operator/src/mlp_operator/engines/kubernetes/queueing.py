"""How Kueue stands to a job or cluster, in words for people. Pure.

Kueue's reasons decide, its sentences are passed on: they change between versions, and with the flavor that was
looked at last.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from mlp_core.domain.admission import Verdict
from mlp_operator.engines.kubernetes.reading import Manifest, condition, items, part

NOT_SEEN = Verdict(False, "Submitted", "Waits for Kueue to look at it.", 0)
_WORDS = {
    "WaitingForQuota": "Waits for quota that others use now.",
    "ExceedsMaxQuota": "Asks for more than the project may ever have; it cannot start unless its quota grows.",
    "NoMatchingFlavor": "No pool that the project may use has machines of this kind.",
    "WaitingForPreemptedWorkloads": "Machines are being taken back for it.",
    "WaitingForPodsReady": "Waits until the one before it has all of its nodes.",
    "TopologyPlacementFailed": "No group of machines near each other has room for it.",
    "Misconfigured": "The project's queue is not set up right; an administrator must look at it.",
    "Suspended": "The project's queue is stopped.",
    "PendingEvaluation": "Waits for its turn.",
    "UnsatisfiedAdmissionChecks": "Has its quota, and waits for machines to be provided.",
    "OnHold": "Its place in the queue is held.",
}
_EVICTED = {
    "Preempted": "Its machines were taken back for others.",
    "PodsReadyTimeout": "Its nodes did not come in time; it waits again.",
    "NodeFailures": "Its machines failed; it waits for others.",
    "ClusterQueueStopped": "The project's queue was stopped.",
    "LocalQueueStopped": "The project's queue was stopped.",
    "AdmissionCheck": "The machines promised to it did not come.",
    "InactiveWorkload": "It was taken out of the queue.",
}


def verdict_of(workload: Manifest | None) -> Verdict:
    """What a Workload says; `NOT_SEEN` before there is one."""
    if workload is None:
        return NOT_SEEN
    if condition(workload, "Finished") == "True":
        # So short that nobody saw it run; its attempt is recorded all the same.
        return Verdict(True, "Admitted", "Kueue has admitted it.", 0)
    if condition(workload, "Admitted") == "True" and condition(workload, "Evicted") != "True":
        return Verdict(True, "Admitted", _admitted(workload), 0)
    waits = condition(workload, "QuotaReserved")
    kind = "Admitted" if waits == "True" else "QuotaReserved"
    reason, message = condition(workload, kind, "reason"), condition(workload, kind, "message")
    if not reason:
        return NOT_SEEN
    words = _WORDS.get(reason, "Waits in the queue.")
    return Verdict(False, reason, f"{words} Kueue: {message}" if message else words, 0)


def is_passed_over(workload: Manifest | None) -> bool:
    """Whether Kueue has not said a word of it."""
    return workload is not None and verdict_of(workload) is NOT_SEEN


def verdict_by_likeness(workload: Manifest, neighbours: Iterable[Manifest]) -> Verdict:
    """What Kueue says of one that asks for the same.

    It does not look at those that are like one that cannot start, nor does it write that down.
    """
    own = _shape(workload)
    for other in neighbours:
        if other is not workload and _shape(other) == own:
            said = verdict_of(other)
            if said is not NOT_SEEN and not said.admitted:
                return replace(said, message=f"As with another that asks for the same: {said.message}")
    return NOT_SEEN


def _shape(workload: Manifest) -> list[Any]:
    return [
        [
            one.get("name"),
            one.get("count"),
            part(one, "template", "spec").get("nodeSelector"),
            [part(container, "resources") for container in items(one, "template", "spec", "containers")],
        ]
        for one in items(workload, "spec", "podSets")
    ]


def eviction_of(workload: Manifest) -> str | None:
    """Why Kueue has taken the machines back, as a sentence; None where it has not."""
    if condition(workload, "Evicted") != "True":
        return None
    reason = condition(workload, "Evicted", "reason")
    words = _EVICTED.get(reason.removeprefix("Deactivated"), f"Kueue took its machines back ({reason}).")
    message = condition(workload, "Preempted", "message") if reason == "Preempted" else ""
    return f"{words} Kueue: {message}" if message else words


def was_preempted(workload: Manifest) -> bool:
    """Whether it goes on from the queue, or was put out of it for good."""
    return not condition(workload, "Evicted", "reason").startswith("Deactivated")


def _admitted(workload: Manifest) -> str:
    """`Admitted on cpu (head, prep) and a100 (train).`"""
    groups: dict[str, list[str]] = {}
    for assignment in items(workload, "status", "admission", "podSetAssignments"):
        for flavor in dict.fromkeys(part(assignment, "flavors").values()):
            groups.setdefault(str(flavor).removeprefix("mlp-"), []).append(str(assignment["name"]))
    where = " and ".join(f"{flavor} ({', '.join(sets)})" for flavor, sets in sorted(groups.items()))
    return f"Kueue has admitted it on {where}." if where else "Kueue has admitted it."
