"""Jobs and attempts as rows, for tests that need one to exist without anything running."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import func, update

from mlp.schemas.jobs import JobCreate
from mlp_api.platform import Platform
from mlp_core.domain.ids import AttemptId, JobId, ProjectId
from mlp_core.gateways.jobtokens import JobToken
from mlp_core.kit.ids import new_id
from mlp_core.scope import ProjectScope
from mlp_core.tables import AttemptRow, JobRow
from mlp_core.tracking.runs import AttemptTracking, StartedRun, start_attempt_run


@dataclass
class TestJob:
    """A running job and the attempts it has had."""

    __test__ = False

    platform: Platform
    scope: ProjectScope
    id: str
    name: str
    parent_run_id: str | None = None
    number: int = 0

    async def attempt(self) -> TestAttempt:
        """Start the next attempt."""
        self.number += 1
        attempt_id = new_id("attempt")
        now = self.platform.clock.now().replace(microsecond=0)
        async with self.platform.database.transaction() as session:
            session.add(
                AttemptRow(
                    id=attempt_id,
                    job_id=self.id,
                    project_id=self.scope.project_id,
                    number=self.number,
                    phase="running",
                    created_at=now,
                )
            )
            await session.execute(update(JobRow).where(JobRow.id == self.id).values(attempt_number=self.number))
        return TestAttempt(self, attempt_id, self.number, now)

    async def end(self, phase: str = "succeeded") -> None:
        values: dict[str, Any] = {"phase": phase, "ended_at": func.now()}
        if phase == "failed":
            values["failure"] = {"class": "user_error", "message": "exit code 1"}
        async with self.platform.database.transaction() as session:
            await session.execute(update(JobRow).where(JobRow.id == self.id).values(values))


@dataclass
class TestAttempt:
    __test__ = False

    job: TestJob
    id: str
    number: int
    created_at: datetime
    run: StartedRun | None = None

    @property
    def token(self) -> str:
        """The job token, as the operator signs it."""
        scope = self.job.scope
        claims = JobToken(
            AttemptId(self.id), JobId(self.job.id), ProjectId(scope.project_id), scope.slug, self.created_at
        )
        return self.job.platform.job_tokens.sign(claims)

    @property
    def run_id(self) -> str:
        assert self.run is not None, "the attempt is not tracked yet"
        return self.run.run_id

    async def track(self, **more: Any) -> StartedRun:
        """Give the attempt its run, as the operator does before it starts the process."""
        scope = self.job.scope
        wanted = AttemptTracking(
            project_id=scope.project_id,
            job_id=self.job.id,
            job_name=self.job.name,
            job_url=f"http://mlp.test/jobs/{self.job.id}",
            attempt_id=self.id,
            attempt_number=self.number,
            started_at=self.created_at,
            created_by="ada",
            entrypoint="python train.py",
            parent_run_id=self.job.parent_run_id,
        )
        wanted = replace(wanted, **more)
        self.run = await start_attempt_run(self.job.platform.mlflow, wanted)
        self.job.parent_run_id = self.run.parent_run_id
        async with self.job.platform.database.transaction() as session:
            await session.execute(update(AttemptRow).where(AttemptRow.id == self.id).values(run_id=self.run.run_id))
            await session.execute(
                update(JobRow).where(JobRow.id == self.job.id).values(parent_run_id=self.run.parent_run_id)
            )
        return self.run

    async def end(self, outcome: str = "succeeded") -> None:
        phase = outcome if outcome != "preempted" else "failed"
        async with self.job.platform.database.transaction() as session:
            await session.execute(
                update(AttemptRow)
                .where(AttemptRow.id == self.id)
                .values(phase=phase, outcome=outcome, ended_at=func.now())
            )

    async def row(self) -> AttemptRow:
        async with self.job.platform.database.transaction() as session:
            return await session.get_one(AttemptRow, self.id)


async def running_job(platform: Platform, scope: ProjectScope, name: str = "train", **more: Any) -> TestJob:
    """A job that runs, without an attempt yet."""
    job_id = new_id("job")
    async with platform.database.transaction() as session:
        session.add(
            JobRow(
                **{
                    "id": job_id,
                    "project_id": scope.project_id,
                    "name": name,
                    "kind": "script",
                    "spec": JobCreate(entrypoint="python train.py").model_dump(mode="json"),
                    "phase": "running",
                    "created_by": "ada",
                    "created_by_id": scope.subject.id,
                    "due_at": None,
                    **more,
                }
            )
        )
    return TestJob(platform, scope, job_id, name)
