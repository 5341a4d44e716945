"""The asynchronous client: the same shape as `Client`, to be awaited."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from mlp import config, errors
from mlp.client import flows
from mlp.client.aio_resources import (
    AsyncClusters,
    AsyncEnvironments,
    AsyncPackages,
    AsyncPools,
    AsyncProjects,
    AsyncTokens,
    AsyncUsers,
)
from mlp.client.async_following import follow_lines_async
from mlp.client.async_session import AsyncSession
from mlp.client.call import wire
from mlp.client.calls import account, jobs
from mlp.client.calls.jobs import JobFilter, LogQuery
from mlp.client.downloads import Artifact, Download, one_target
from mlp.client.exchange import Origin
from mlp.client.http_async import HttpxTransport
from mlp.client.job import last_values, of_path
from mlp.client.job_view import JobView, failure_of
from mlp.client.logs import LineReader, LogLine
from mlp.client.submission import job_create, split_package
from mlp.client.transport import AsyncTransport

if TYPE_CHECKING:
    from mlp.schemas.artifacts import ArtifactRead
    from mlp.schemas.events import EventRead
    from mlp.schemas.jobs import (
        AttemptRead,
        DryRun,
        EnvironmentSpec,
        JobCreate,
        JobRead,
        Metrics,
        Samples,
        Why,
    )
    from mlp.schemas.projects import Me
    from mlp.schemas.resources import Resources

_POLL_SECONDS = (0.1, 0.2, 0.4, 0.8, 1.5)


class AsyncClient:
    """One platform, one caller, one default project; see `Client` for where they come from."""

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        project: str | None = None,
        profile: str | None = None,
        ca_file: str | None = None,
        transport: AsyncTransport | None = None,
    ) -> None:
        found = config.resolve(url=url, token=token, project=project, ca_file=ca_file, profile=profile)
        self.url = found.url
        self._connection = found
        self.session = AsyncSession(
            Origin(found.url, found.token), transport or HttpxTransport(found.url, found.ca_file)
        )

    @property
    def project(self) -> str:
        return self._connection.chosen_project()

    async def me(self) -> Me:
        """Who is asking, and what they can reach."""
        return await self.session.send(account.me())

    async def change_password(self, old: str, new: str) -> None:
        """Change the caller's own password and end their other sign-ins; tokens made for programs stay.

        Raises:
            NotAllowed: the old password is wrong.
        """
        await self.session.send(account.change_password(old, new))

    @cached_property
    def jobs(self) -> AsyncJobs:
        return AsyncJobs(self)

    @cached_property
    def projects(self) -> AsyncProjects:
        return AsyncProjects(self.session)

    @cached_property
    def pools(self) -> AsyncPools:
        return AsyncPools(self.session)

    @cached_property
    def packages(self) -> AsyncPackages:
        return AsyncPackages(self)

    @cached_property
    def environments(self) -> AsyncEnvironments:
        return AsyncEnvironments(self)

    @cached_property
    def clusters(self) -> AsyncClusters:
        return AsyncClusters(self)

    @cached_property
    def tokens(self) -> AsyncTokens:
        return AsyncTokens(self.session)

    @cached_property
    def users(self) -> AsyncUsers:
        return AsyncUsers(self.session)

    async def close(self) -> None:
        await self.session.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class AsyncJobs:
    """The jobs of a project."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client
        self._session = client.session

    async def submit(  # noqa: PLR0913 - the fields of mlp.yaml that people set most
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
    ) -> AsyncJob:
        """Send a folder and a command, and return the job at once; see `Jobs.submit`."""
        command = entrypoint if isinstance(entrypoint, str) else list(entrypoint)
        given: dict[str, Any] = {"entrypoint": command, "kind": kind, "name": name, **fields}
        given |= {"environment": environment, "resources": resources}
        wanted = job_create({key: value for key, value in given.items() if value is not None})
        return await self.create(
            wanted,
            package=package,
            project=project,
            idempotency_key=idempotency_key,
            follow_outside_links=follow_outside_links,
        )

    async def create(
        self,
        wanted: JobCreate,
        *,
        package: Path | str | None = None,
        project: str | None = None,
        idempotency_key: str | None = None,
        follow_outside_links: bool = False,
    ) -> AsyncJob:
        """Submit a whole `JobCreate`. Packing runs in a thread, so that the loop goes on."""
        from mlp.packaging import pack

        project = project or self._client.project
        spec = wire(wanted)
        folder, digest = split_package(package)
        if digest is not None:
            spec["package"] = digest
        if folder is None:
            flow = flows.submit(project, spec, None, idempotency_key=idempotency_key)
            return self._job(project, await self._session.run(flow))
        with await asyncio.to_thread(pack, folder, follow_outside_links=follow_outside_links) as packed:
            flow = flows.submit(project, spec, packed, idempotency_key=idempotency_key)
            return self._job(project, await self._session.run(flow))

    async def dry_run(self, wanted: JobCreate, *, project: str | None = None) -> DryRun:
        """What submitting would do."""
        return await self._session.send(jobs.dry_run(project or self._client.project, wire(wanted)))

    async def list(
        self,
        *,
        project: str | None = None,
        phase: str | Sequence[str] = (),
        kind: str | None = None,
        name: str | None = None,
        created_by: str | None = None,
        since: datetime | None = None,
        order_by: str | None = None,
    ) -> AsyncIterator[AsyncJob]:
        """Every job that matches, newest first unless `order_by` says otherwise."""
        project = project or self._client.project
        phases = (phase,) if isinstance(phase, str) else tuple(phase)
        where = JobFilter(phases, kind, name, created_by, None, since, order_by)
        async for read in self._session.rows(jobs.list_jobs(project, where)):
            yield AsyncJob(self._session, project, read)

    async def get(self, job: str, *, project: str | None = None) -> AsyncJob:
        """A job by id, or by name where only one has it."""
        project = project or self._client.project
        return AsyncJob(self._session, project, await self._session.send(jobs.get(project, job)))

    async def cancel(self, job: str, *, grace: str | None = None, project: str | None = None) -> AsyncJob:
        project = project or self._client.project
        read = await self._session.send(jobs.cancel(project, job, grace=grace))
        return AsyncJob(self._session, project, read)

    async def retry(self, job: str, *, project: str | None = None) -> AsyncJob:
        project = project or self._client.project
        return AsyncJob(self._session, project, await self._session.send(jobs.retry(project, job)))

    def _job(self, project: str, created: Mapping[str, Any]) -> AsyncJob:
        from mlp.schemas.jobs import JobRead

        return AsyncJob(self._session, project, JobRead.model_validate(created))


class AsyncJob(JobView):
    """A job as it was when last read. What needs the platform is awaited."""

    def __init__(self, session: AsyncSession, project: str, read: JobRead) -> None:
        super().__init__(read)
        self._session = session
        self._project = project

    async def refresh(self) -> AsyncJob:
        self._read = await self._session.send(jobs.get(self._project, self.id))
        return self

    async def wait(
        self,
        timeout: float | timedelta | None = None,
        *,
        check: bool = True,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> AsyncJob:
        """Wait until the job has ended; see `Job.wait`."""
        seconds = timeout.total_seconds() if isinstance(timeout, timedelta) else timeout
        loop = asyncio.get_running_loop()
        until = None if seconds is None else loop.time() + seconds
        polls = 0
        while not (await self.refresh()).has_ended:
            if until is not None and loop.time() >= until:
                raise errors.WaitTimedOut(
                    f"Job {self.id} is still {self.phase} after {seconds:g} s: {self.message}",
                    hint="It goes on; wait again, or cancel it.",
                )
            await sleep(_POLL_SECONDS[min(polls, len(_POLL_SECONDS) - 1)])
            polls += 1
        error = failure_of(self.read, self) if check else None
        if error is not None:
            raise error
        return self

    async def logs(
        self,
        *,
        follow: bool = False,
        attempt: int | None = None,
        source: str | None = None,
        since: timedelta | datetime | None = None,
        grep: str | None = None,
        tail: int | None = None,
    ) -> AsyncIterator[LogLine]:
        """Lines of the log, each once and in the order of its source; see `Job.logs`."""
        query = LogQuery(attempt, source, since, grep, tail)
        if follow:
            async for lines in follow_lines_async(self._session, self._project, self.id, query):
                for line in lines:
                    if not line.is_partial:
                        yield line
            return
        reader = LineReader()
        call = jobs.logs(self._project, self.id, query)
        while True:
            page: dict[str, Any] = await self._session.send(call)
            for line in reader.page(page):
                if not line.is_partial:
                    yield line
            if page.get("next") is None:
                break
            call = call.after(page["next"])
        for line in reader.rest():
            yield line

    async def artifacts(self, *, attempt: int | None = None, below: str | None = None) -> list[ArtifactRead]:
        """Files that an attempt left in its output folder; see `Job.artifacts`."""
        call = jobs.artifacts(self._project, self.id, attempt=attempt, below=below)
        return [artifact async for artifact in self._session.rows(call)]

    async def download(self, path: str, to: Path | str | None = None, *, attempt: int | None = None) -> Path:
        """One artifact, into the file or folder `to`; see `Job.download`."""
        found = of_path(await self.artifacts(attempt=attempt, below=path), path)
        download = Download(Artifact.of(self._project, self.id, found.model_dump()), one_target(path, to))
        if not await asyncio.to_thread(lambda: download.is_here):
            await self._session.fetch(download)
        return download.target

    async def log_artifact(self, path: str, *, to: str | None = None, attempt: int | None = None) -> None:
        """Have the platform put a kept artifact into the MLflow run; see `Job.log_artifact`."""
        await self._session.send(jobs.log_artifact(self._project, self.id, path, to=to, attempt=attempt))

    async def cancel(self, *, grace: str | None = None) -> AsyncJob:
        """SIGTERM, the grace period, SIGKILL."""
        self._read = await self._session.send(jobs.cancel(self._project, self.id, grace=grace))
        return self

    async def retry(self) -> AsyncJob:
        self._read = await self._session.send(jobs.retry(self._project, self.id))
        return self

    @property
    async def attempts(self) -> list[AttemptRead]:
        return await self._session.send(jobs.attempts(self._project, self.id))

    @property
    async def events(self) -> list[EventRead]:
        return [event async for event in self._session.rows(jobs.events(self._project, self.id))]

    @property
    async def why(self) -> Why:
        return await self._session.send(jobs.why(self._project, self.id))

    @property
    async def metrics(self) -> Mapping[str, float]:
        """The last value of each metric."""
        return last_values(await self.metric_series())

    async def metric_series(self, *, attempt: int | None = None) -> Metrics:
        return await self._session.send(jobs.metrics(self._project, self.id, attempt=attempt))

    async def samples(self, *, attempt: int | None = None) -> Samples:
        return await self._session.send(jobs.samples(self._project, self.id, attempt=attempt))
