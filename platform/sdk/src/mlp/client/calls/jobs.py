"""Jobs: units of work with an end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from mlp._lazy import read, read_list, read_page
from mlp.client.call import Call, params, path

if TYPE_CHECKING:
    from mlp.schemas.artifacts import ArtifactRead
    from mlp.schemas.base import Page
    from mlp.schemas.events import EventRead
    from mlp.schemas.jobs import AttemptRead, DryRun, JobRead, Metrics, Samples, Why

RESULT_TIMEOUT_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class JobFilter:
    """Which jobs, in which order. `order_by` is a field, with `-` before it for descending."""

    phase: Sequence[str] = ()
    kind: str | None = None
    name: str | None = None
    created_by: str | None = None
    cluster: str | None = None
    since: datetime | None = None
    order_by: str | None = None

    def params(self) -> list[tuple[str, str]]:
        return params(
            phase=self.phase,
            kind=self.kind,
            name=self.name,
            created_by=self.created_by,
            cluster=self.cluster,
            since=self.since,
            order_by=self.order_by,
        )


@dataclass(frozen=True, slots=True)
class LogQuery:
    """Which lines of a job's log. `tail` counts lines from the end, `since` from now or from an instant."""

    attempt: int | None = None
    source: str | None = None
    since: timedelta | datetime | None = None
    grep: str | None = None
    tail: int | None = None

    def params(self) -> list[tuple[str, str]]:
        return params(attempt=self.attempt, source=self.source, since=self.since, grep=self.grep, tail=self.tail)


def _job(project: str, job: str, *rest: str) -> str:
    return path("projects", project, "jobs", job, *rest)


def list_jobs(
    project: str,
    where: JobFilter = JobFilter(),
    *,
    limit: int | None = None,
) -> Call[Page[JobRead]]:
    return Call(
        "GET",
        path("projects", project, "jobs"),
        read_page("jobs.JobRead"),
        [*where.params(), *params(limit=limit)],
    )


def create(project: str, wanted: dict[str, Any], *, idempotency_key: str | None = None) -> Call[JobRead]:
    headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
    return Call("POST", path("projects", project, "jobs"), read("jobs.JobRead"), json=wanted, headers=headers)


def dry_run(project: str, wanted: dict[str, Any]) -> Call[DryRun]:
    return Call("POST", path("projects", project, "jobs"), read("jobs.DryRun"), params(dry_run=True), json=wanted)


def get(project: str, job: str) -> Call[JobRead]:
    return Call("GET", _job(project, job), read("jobs.JobRead"))


def cancel(project: str, job: str, *, grace: str | None = None) -> Call[JobRead]:
    body = {"grace": grace} if grace else {}
    return Call("POST", _job(project, f"{job}:cancel"), read("jobs.JobRead"), json=body)


def retry(project: str, job: str) -> Call[JobRead]:
    return Call("POST", _job(project, f"{job}:retry"), read("jobs.JobRead"), json={})


def attempts(project: str, job: str) -> Call[list[AttemptRead]]:
    return Call("GET", _job(project, job, "attempts"), read_list("jobs.AttemptRead"))


def events(project: str, job: str, *, limit: int | None = None) -> Call[Page[EventRead]]:
    return Call("GET", _job(project, job, "events"), read_page("events.EventRead"), params(limit=limit))


def why(project: str, job: str) -> Call[Why]:
    return Call("GET", _job(project, job, "why"), read("jobs.Why"))


def metrics(project: str, job: str, *, attempt: int | None = None, key: Sequence[str] = ()) -> Call[Metrics]:
    return Call("GET", _job(project, job, "metrics"), read("jobs.Metrics"), params(attempt=attempt, key=key))


def samples(project: str, job: str, *, attempt: int | None = None) -> Call[Samples]:
    return Call("GET", _job(project, job, "samples"), read("jobs.Samples"), params(attempt=attempt))


def logs(project: str, job: str, query: LogQuery, *, limit: int | None = None) -> Call[Any]:
    """One page of chunks, as plain values: a log may be long, and is shown rather than computed with."""
    return Call("GET", _job(project, job, "logs"), params=[*query.params(), *params(limit=limit)])


def follow_logs(project: str, job: str, query: LogQuery) -> Call[None]:
    """A stream of `log` events, closed by `end` once the job has ended and everything was sent."""
    return Call("GET", _job(project, job, "logs"), params=[*query.params(), *params(follow=True)])


def raw_log(project: str, job: str, *, source: str | None, attempt: int | None = None) -> Call[bytes]:
    """The bytes of one source exactly, as the program wrote them; a tar archive of all sources for `None`."""
    return Call("GET", _job(project, job, "logs", "raw"), params=params(source=source, attempt=attempt))


def result(project: str, job: str) -> Call[bytes]:
    return Call("GET", _job(project, job, "result"), timeout_seconds=RESULT_TIMEOUT_SECONDS)


def artifacts(
    project: str, job: str, *, attempt: int | None = None, below: str | None = None, limit: int | None = None
) -> Call[Page[ArtifactRead]]:
    """Of one attempt; with `below` only the file of that path, or those in the folder of that path."""
    given = params(attempt=attempt, path=below, limit=limit)
    return Call("GET", _job(project, job, "artifacts"), read_page("artifacts.ArtifactRead"), given)


def log_artifact(project: str, job: str, path: str, *, to: str | None = None, attempt: int | None = None) -> Call[None]:
    """Into the attempt's MLflow run, by the platform, soon."""
    body = {"path": path} | ({"to": to} if to is not None else {})
    return Call("POST", _job(project, job, "artifacts:log"), params=params(attempt=attempt), json=body)


def artifact_content(project: str, job: str, artifact: str, *, attempt: int | None = None) -> Call[bytes]:
    given = params(path=artifact, attempt=attempt)
    return Call("GET", _job(project, job, "artifacts", "content"), params=given)


def stream(*, project: str | None = None, job: str | None = None) -> Call[None]:
    """Events and phases as they happen: `event` and `job`."""
    return Call("GET", path("stream"), params=params(project=project, job=job))
