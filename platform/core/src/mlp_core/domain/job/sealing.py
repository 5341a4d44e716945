"""Sealing: evidence is brought in, machines go, then comes the end."""

from __future__ import annotations

from datetime import datetime, timedelta

from mlp.schemas.phases import AttemptOutcome, FailureClass, JobPhase
from mlp_core.domain import artifacts, failures
from mlp_core.domain.execution import WorkObserved
from mlp_core.domain.job.model import WATCH, Attempt, Command, Decision, Ending, Job, Seen
from mlp_core.domain.job.retrying import next_attempt

SEAL_DEADLINE = timedelta(seconds=60)
"""For logs and metrics. Artifacts take as long as the engine allows them."""
GONE_DEADLINE = timedelta(minutes=5)
"""After which a cluster that does not go is shown as trouble; the job waits on: no proof, no next attempt."""
_LOOK = timedelta(milliseconds=300)


def seal(ending: Ending, *first: Command) -> Decision:
    message = ending.failure.message if ending.failure else "Logs, metrics and events are being stored."
    return Decision(
        JobPhase.SEALING, "Sealing", message, (*first, Command.SEAL_WORK), again_in=timedelta(0), ending=ending
    )


def sealing(job: Job, seen: Seen, now: datetime) -> Decision:
    attempt = job.attempt
    if attempt is None:
        return Decision(JobPhase.CANCELLED, "Cancelled", "It had no attempt to seal.")
    until = _seal_until(attempt, seen.work)
    if seen.work is not None and not seen.work.sealed and now < until:
        return _shipping(job, seen.work)
    told = _tell_of_artifacts(job, attempt, seen.work)
    if told is not None:
        return told
    gone = seen.work is None and (seen.cluster is None or not job.has_own_cluster)
    if not gone:
        if now > until + GONE_DEADLINE:
            return _still_sealing(job, "The cluster does not go away; trying on.", *_removal(job), again_in=WATCH)
        return _still_sealing(job, "The cluster is being removed.", *_removal(job))
    if job.stop is None and attempt.outcome is AttemptOutcome.SUCCEEDED and job.spec.model and not job.model_registered:
        return _still_sealing(job, "The model is being registered.", Command.REGISTER_MODEL)
    return _end(job, attempt, seen.last_lines, now)


def _seal_until(attempt: Attempt, work: WorkObserved | None) -> datetime:
    until = attempt.phase_since + SEAL_DEADLINE
    if work is None or work.artifacts is None or work.artifacts.files == 0:
        return until
    return max(until, work.artifacts.until)


def _shipping(job: Job, work: WorkObserved) -> Decision:
    if work.artifacts is None or work.artifacts.files == 0:
        return _still_sealing(job, "Logs, metrics and events are being stored.", Command.SEAL_WORK)
    text = artifacts.progress(work.artifacts)
    return Decision(JobPhase.SEALING, artifacts.STORING, text, (Command.SEAL_WORK,), again_in=_LOOK)


def _tell_of_artifacts(job: Job, attempt: Attempt, work: WorkObserved | None) -> Decision | None:
    """Say what became of them, once, and write it down before the folder goes. A success with lost files is none."""
    vanished = work is None and job.reason == artifacts.STORING
    seen = work.artifacts if work is not None else None
    if job.reason in artifacts.TOLD or not (vanished or (seen and (seen.files or seen.left_out_count))):
        return None
    reason, text = (artifacts.LOST, artifacts.VANISHED) if seen is None else artifacts.outcome(seen)
    ending = None
    if reason == artifacts.LOST and attempt.outcome is AttemptOutcome.SUCCEEDED:
        ending = Ending(AttemptOutcome.FAILED, failures.artifacts_lost(text), attempt.exit_code)
    return Decision(JobPhase.SEALING, reason, text, again_in=timedelta(0), ending=ending)


def _still_sealing(job: Job, message: str, *commands: Command, again_in: timedelta = _LOOK) -> Decision:
    reason = job.reason if job.reason in artifacts.TOLD else "Sealing"
    return Decision(JobPhase.SEALING, reason, message, commands, again_in=again_in)


def _removal(job: Job) -> tuple[Command, ...]:
    if not job.has_own_cluster:
        return (Command.DELETE_WORK,)
    failure = job.attempt.failure if job.attempt is not None else None
    goes_on = job.stop is None and failure is not None and failure.failure_class is FailureClass.PREEMPTED
    return (Command.DELETE_WORK, Command.YIELD_CLUSTER if goes_on else Command.DELETE_CLUSTER)


def _end(job: Job, attempt: Attempt, last_lines: tuple[str, ...], now: datetime) -> Decision:
    finish = (Command.FINISH_RUN,)
    if job.stop is not None:
        code = f" Its process had ended with exit code {attempt.exit_code}." if attempt.exit_code is not None else ""
        ending = Ending(AttemptOutcome.CANCELLED, None, attempt.exit_code, attempt.signal)
        return Decision(JobPhase.CANCELLED, "Cancelled", f"Cancelled by {job.stop.by}.{code}", finish, ending=ending)
    if attempt.outcome is AttemptOutcome.SUCCEEDED:
        ending = Ending(AttemptOutcome.SUCCEEDED, None, 0, None)
        return Decision(JobPhase.SUCCEEDED, "Succeeded", "It ended with exit code 0.", finish, ending=ending)
    failure = failures.refine(attempt.failure or failures.cluster_lost(), list(last_lines))
    ending = Ending(attempt.outcome or AttemptOutcome.FAILED, failure, attempt.exit_code, attempt.signal)
    retry = next_attempt(job, failure, now)
    if retry is not None:
        text = f"Attempt {attempt.number} failed ({failure.failure_class}): {failure.message} Trying again."
        return Decision(
            JobPhase.QUEUED, "Retrying", text, finish, again_in=timedelta(0), ending=ending, next_attempt=retry
        )
    return Decision(JobPhase.FAILED, failures.reason_of(failure), failure.message, finish, ending=ending)
