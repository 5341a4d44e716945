"""Jobs, as people hold them: submit one, look at it, wait for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlp.client import flows
from mlp.client.calls import jobs
from mlp.client.calls.jobs import JobFilter
from mlp.client.job import Job
from mlp.client.resources import InProject
from mlp.client.submission import job_create, split_package

if TYPE_CHECKING:
    from mlp.schemas.jobs import DryRun, EnvironmentSpec, JobCreate, JobRead
    from mlp.schemas.resources import Resources

_BUSY = ("queued", "admitted", "provisioning", "running", "sealing")


class Jobs:
    """The jobs of a project."""

    def __init__(self, client: InProject) -> None:
        self._client = client
        self._session = client.session

    def submit(  # noqa: PLR0913 - the fields of mlp.yaml that people set most
        self,
        entrypoint: str | Sequence[str],
        *,
        package: Path | str | None = ".",
        name: str | None = None,
        kind: str = "script",
        environment: EnvironmentSpec | None = None,
        resources: Resources | None = None,
        project: str | None = None,
        idempotency_key: str | None = None,
        follow_outside_links: bool = False,
        **fields: Any,
    ) -> Job:
        """Send a folder and a command, and return the job at once.

        Args:
            entrypoint: A string is a bash line with errexit and pipefail; a sequence is the exact
                argument vector, no shell.
            package: Folder that travels and in whose root the job runs, or the digest of an uploaded package;
                `None` sends nothing.
            idempotency_key: The same key makes the same job, however often it is sent.
            fields: Every other field of `mlp.yaml`: cluster, priority, timeout, deadline, grace, retries, checkpoint,
                run, model.

        Raises:
            Invalid: a field is not right; `errors` names it.
            CanNeverFit: no pool could ever hold it; the message says what would fit.
        """
        command = entrypoint if isinstance(entrypoint, str) else list(entrypoint)
        given: dict[str, Any] = {"entrypoint": command, "kind": kind, "name": name, **fields}
        given |= {"environment": environment, "resources": resources}
        wanted = job_create({key: value for key, value in given.items() if value is not None})
        return self.create(
            wanted,
            package=package,
            project=project,
            idempotency_key=idempotency_key,
            follow_outside_links=follow_outside_links,
        )

    def create(
        self,
        wanted: JobCreate,
        *,
        package: Path | str | None = None,
        project: str | None = None,
        idempotency_key: str | None = None,
        follow_outside_links: bool = False,
    ) -> Job:
        """Submit a whole `JobCreate`, such as `mlp.jobfile.load` returns."""
        from mlp.client.call import wire
        from mlp.packaging import pack

        project = project or self._client.project
        spec = wire(wanted)
        folder, digest = split_package(package)
        if digest is not None:
            spec["package"] = digest
        if folder is None:
            created = self._session.run(flows.submit(project, spec, None, idempotency_key=idempotency_key))
        else:
            with pack(folder, follow_outside_links=follow_outside_links) as packed:
                created = self._session.run(flows.submit(project, spec, packed, idempotency_key=idempotency_key))
        return self._job(project, _read(created))

    def dry_run(self, wanted: JobCreate, *, project: str | None = None) -> DryRun:
        """What submitting would do: the normalised spec, its price, and whether and where it fits."""
        from mlp.client.call import wire

        return self._session.send(jobs.dry_run(project or self._client.project, wire(wanted)))

    def list(
        self,
        *,
        project: str | None = None,
        phase: str | Sequence[str] = (),
        kind: str | None = None,
        name: str | None = None,
        created_by: str | None = None,
        since: datetime | None = None,
        order_by: str | None = None,
    ) -> Iterator[Job]:
        """Every job that matches, newest first unless `order_by` says otherwise. Pages are fetched as needed."""
        project = project or self._client.project
        phases = (phase,) if isinstance(phase, str) else tuple(phase)
        where = JobFilter(phases, kind, name, created_by, None, since, order_by)
        for read in self._session.rows(jobs.list_jobs(project, where)):
            yield self._job(project, read)

    def live(self, *, project: str | None = None) -> Iterator[Job]:
        """Jobs that have not ended."""
        return self.list(project=project, phase=_BUSY)

    def get(self, job: str, *, project: str | None = None) -> Job:
        """A job by id, or by name where only one has it."""
        project = project or self._client.project
        return self._job(project, self._session.send(jobs.get(project, job)))

    def cancel(self, job: str, *, grace: str | None = None, project: str | None = None) -> Job:
        project = project or self._client.project
        return self._job(project, self._session.send(jobs.cancel(project, job, grace=grace)))

    def retry(self, job: str, *, project: str | None = None) -> Job:
        """Try a job that ended once more, as a new attempt."""
        project = project or self._client.project
        return self._job(project, self._session.send(jobs.retry(project, job)))

    def _job(self, project: str, read: JobRead) -> Job:
        return Job(self._session, project, read)


def _read(created: Mapping[str, Any]) -> JobRead:
    from mlp.schemas.jobs import JobRead

    return JobRead.model_validate(created)
