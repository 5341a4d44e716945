"""Whether what failed is tried again, and with what."""

from __future__ import annotations

from datetime import datetime, timedelta

from mlp.schemas.jobs import Failure
from mlp.schemas.phases import FailureClass
from mlp_core.domain.job.model import Job, NextAttempt, deadline_passed


def next_attempt(job: Job, failure: Failure, now: datetime) -> NextAttempt | None:
    """Whether what failed is tried again, by class; a preemption always is and uses up nothing."""
    attempt = job.attempt
    factor = attempt.memory_factor if attempt is not None else 1.0
    if failure.failure_class is FailureClass.PREEMPTED:
        return NextAttempt(factor, now, counts=False)
    if failure.failure_class not in job.spec.retries.on or job.failures_used >= job.spec.retries.max:
        return None
    if deadline_passed(job, now):
        return None
    if failure.failure_class is FailureClass.OOM:
        factor *= job.spec.retries.memory_factor
    return NextAttempt(factor, now + _retry_back_off(job.failures_used), counts=True)


def _retry_back_off(failures_used: int) -> timedelta:
    """1, 2, 4 ... at most 60 seconds."""
    return timedelta(seconds=min(60, 2**failures_used))
