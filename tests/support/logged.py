"""A job with a log to read, and everyone who may or may not read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlp_core.scope import ProjectScope
from support.attempts import TestAttempt, TestJob, running_job
from support.platform import Api, Person
from support.segments import Agent


@dataclass
class LoggedJob:
    """A running job of a project, its people, and the agent of its first attempt."""

    api: Api
    owner: Person
    stranger: Person
    scope: ProjectScope
    job: TestJob
    attempt: TestAttempt
    agent: Agent

    @property
    def path(self) -> str:
        return f"/api/v1/projects/{self.scope.slug}/jobs/{self.job.id}/logs"

    async def read(self, **params: Any) -> dict[str, Any]:
        answer = await self.owner.http.get(self.path, params=params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def lines(self, **params: Any) -> list[str]:
        page = await self.read(**params)
        return [line for chunk in page["items"] for line in chunk["lines"]]


async def logged_job(api: Api) -> LoggedJob:
    owner, stranger = await api.person(), await api.person()
    scope = await api.project(owner)
    job = await running_job(api.platform, scope)
    attempt = await job.attempt()
    return LoggedJob(api, owner, stranger, scope, job, attempt, Agent(api.client(attempt.token)))
