"""Admitted and provisioning: machines are reserved, the process does not run yet."""

from __future__ import annotations

from datetime import datetime, timedelta

from mlp.schemas.phases import AttemptOutcome, JobPhase
from mlp_core.domain import failures
from mlp_core.domain.job.model import LOOK, Command, Decision, Ending, Job, Seen, deadline_passed
from mlp_core.domain.job.sealing import seal

PROVISION_DEADLINE = timedelta(minutes=15)
"""From admission to the first line of the user's process."""


def admitted(job: Job, seen: Seen, now: datetime) -> Decision:
    ending = _early_ending(job, seen, now)
    if ending is not None:
        return seal(ending)
    commands = (Command.ENSURE_CLUSTER, Command.ENSURE_RUN) if job.has_own_cluster else (Command.ENSURE_RUN,)
    return Decision(
        JobPhase.PROVISIONING, "StartingCluster", "The Ray cluster is being started.", commands, again_in=LOOK
    )


def provisioning(job: Job, seen: Seen, now: datetime) -> Decision:
    if seen.work is not None and seen.work.started_at is not None:
        # First of all: a process that runs is owed its grace period, whatever else ends the attempt.
        again_in = LOOK if job.stop is None else timedelta(0)
        text = "The job's process is running."
        return Decision(JobPhase.RUNNING, "Running", text, again_in=again_in, started_at=seen.work.started_at)
    ending = _early_ending(job, seen, now)
    if ending is not None:
        return seal(ending)
    if not job.has_own_cluster and seen.cluster is None:
        return seal(Ending(AttemptOutcome.FAILED, failures.cluster_lost()))
    if seen.cluster is None:
        return _waits_for_nodes("The Ray cluster is being started.", _provision(job, seen))
    if not (seen.cluster.head_ready and seen.cluster.nodes_ready >= seen.cluster.nodes_wanted):
        trouble = f" {seen.cluster.trouble.message}" if seen.cluster.trouble else ""
        text = f"{seen.cluster.nodes_ready} of {seen.cluster.nodes_wanted} nodes are ready.{trouble}"
        return _waits_for_nodes(text, _provision(job, seen))
    setting_up = seen.work.setting_up if seen.work is not None else None
    return Decision(
        JobPhase.PROVISIONING,
        "SettingUp",
        setting_up or "Code and environment are being set up.",
        (Command.ENSURE_RUN, Command.ENSURE_WORK),
        again_in=LOOK,
    )


def _provision(job: Job, seen: Seen) -> tuple[Command, ...]:
    if not job.has_own_cluster:
        return ()
    if seen.engine_admits:
        # Its nodes bring in code and environment while they start, and start the process once all are ready.
        return (Command.ENSURE_CLUSTER, Command.ENSURE_RUN, Command.ENSURE_WORK)
    return (Command.ENSURE_CLUSTER,)


def _waits_for_nodes(message: str, commands: tuple[Command, ...]) -> Decision:
    return Decision(JobPhase.PROVISIONING, "WaitingForNodes", message, commands, again_in=LOOK)


def _early_ending(job: Job, seen: Seen, now: datetime) -> Ending | None:
    """What ends an attempt before its process runs."""
    if job.stop is not None:
        return Ending(AttemptOutcome.CANCELLED)
    if deadline_passed(job, now):
        return Ending(AttemptOutcome.FAILED, failures.deadline(job.spec, now))
    for trouble in (seen.cluster.trouble if seen.cluster else None, seen.work.trouble if seen.work else None):
        if trouble is not None and trouble.is_final:
            return Ending(AttemptOutcome.FAILED, failures.of_trouble(trouble))
    if job.attempt is not None and now - job.attempt.created_at > PROVISION_DEADLINE:
        return Ending(AttemptOutcome.FAILED, failures.provision_deadline(seen.cluster, PROVISION_DEADLINE))
    return None
