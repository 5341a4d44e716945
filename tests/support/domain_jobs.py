"""Jobs and attempts as the domain's rules see them, for tests of those rules."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from mlp.schemas.jobs import JobCreate
from mlp.schemas.phases import JobPhase
from mlp_core.domain.ids import AttemptId, JobId, ProjectId
from mlp_core.domain.job import Attempt, Job

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def an_attempt(**changes: object) -> Attempt:
    base = Attempt(AttemptId("att_1"), 1, NOW, NOW, NOW, None, None, None, None, "run_1")
    return replace(base, **changes)


def a_job(phase: JobPhase, **changes: object) -> Job:
    attempt = None if phase is JobPhase.QUEUED or phase.is_terminal else an_attempt()
    base = Job(
        id=JobId("job_1"),
        project_id=ProjectId("prj_1"),
        project="demo",
        name="digits",
        generation=1,
        spec=JobCreate(entrypoint="python train.py"),
        phase=phase,
        reason="",
        message="",
        created_at=NOW,
        attempt=attempt,
        attempt_number=0 if attempt is None else 1,
        failures_used=0,
        not_before=None,
        stop=None,
        shared_cluster_id=None,
        model_registered=False,
    )
    return replace(base, **changes)
