"""Each phase has its own rules; here they are put together."""

from __future__ import annotations

from datetime import datetime

from mlp.schemas.phases import JobPhase
from mlp_core.domain.job.model import Decision, Job, Seen
from mlp_core.domain.job.queued import queued
from mlp_core.domain.job.running import running
from mlp_core.domain.job.sealing import sealing
from mlp_core.domain.job.starting import admitted, provisioning


def decide(job: Job, seen: Seen, now: datetime) -> Decision:
    """The next step of `job`."""
    match job.phase:
        case JobPhase.QUEUED:
            return queued(job, seen, now)
        case JobPhase.ADMITTED:
            return admitted(job, seen, now)
        case JobPhase.PROVISIONING:
            return provisioning(job, seen, now)
        case JobPhase.RUNNING:
            return running(job, seen, now)
        case JobPhase.SEALING:
            return sealing(job, seen, now)
        case JobPhase.SUCCEEDED | JobPhase.FAILED | JobPhase.CANCELLED:
            return Decision(job.phase, job.reason, job.message)
