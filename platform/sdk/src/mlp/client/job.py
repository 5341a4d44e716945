"""One job, as the synchronous client holds it."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from mlp import errors
from mlp.client.calls import jobs
from mlp.client.calls.jobs import LogQuery
from mlp.client.card import render
from mlp.client.downloads import Artifact, Download, one_target
from mlp.client.following import follow_lines
from mlp.client.job_view import JobView, failure_of
from mlp.client.logs import LineReader, LogLine
from mlp.client.session import Session
from mlp.client.watch import NotebookWatch, Watch, in_notebook, terminal_or_notebook

if TYPE_CHECKING:
    from mlp.schemas.artifacts import ArtifactRead
    from mlp.schemas.events import EventRead
    from mlp.schemas.jobs import AttemptRead, JobRead, Metrics, Samples, Why

_CARD_SECONDS = 2.0
_POLL_SECONDS = (0.1, 0.2, 0.4, 0.8, 1.5)


class Job(JobView):
    """A job as it was when last read; `refresh` reads it again. In a notebook it shows as a card."""

    def __init__(self, session: Session, project: str, read: JobRead) -> None:
        super().__init__(read)
        self._session = session
        self._project = project
        self._card: NotebookWatch | None = None

    def refresh(self) -> Job:
        self._read = self._session.send(jobs.get(self._project, self.id))
        return self

    def wait(
        self,
        timeout: float | timedelta | None = None,
        *,
        check: bool = True,
        show: bool = True,
        sleep: Callable[[float], None] = time.sleep,
    ) -> Job:
        """Wait until the job has ended.

        Args:
            timeout: Seconds, or a timedelta; `None` waits for as long as it takes.
            check: Raise where the job did not succeed.
            show: A status line in a terminal, a live card in a notebook.

        Raises:
            JobFailed, JobCancelled: the job ended so, and `check` is set.
            WaitTimedOut: the job goes on, the caller does not.
        """
        seconds = timeout.total_seconds() if isinstance(timeout, timedelta) else timeout
        until = None if seconds is None else time.monotonic() + seconds
        with terminal_or_notebook(self._card, sys.stderr) if show else Watch() as watch:
            polls = 0
            while not self.refresh().has_ended:
                watch.update(self.read)
                if until is not None and time.monotonic() >= until:
                    raise errors.WaitTimedOut(
                        f"Job {self.id} is still {self.phase} after {seconds:g} s: {self.message}",
                        hint="It goes on; wait again, or cancel it.",
                    )
                sleep(_POLL_SECONDS[min(polls, len(_POLL_SECONDS) - 1)])
                polls += 1
            watch.update(self.read, self._known_metrics() if in_notebook() else None)
        error = failure_of(self.read, self) if check else None
        if error is not None:
            raise error
        return self

    def show(self) -> None:
        """In a notebook: a card that follows the job until it has ended, also behind later cells."""
        if not in_notebook() or self._card is not None:
            return
        self._card = NotebookWatch()
        self._card.update(self.read)
        threading.Thread(target=self._follow_in_card, name=f"mlp-card-{self.id}", daemon=True).start()

    def _follow_in_card(self) -> None:
        """Keeps the card true. The platform being away only makes it late."""
        shown = Job(self._session, self._project, self.read)
        shown._card = self._card
        while shown._card is not None and not shown.has_ended:
            time.sleep(_CARD_SECONDS)
            with contextlib.suppress(errors.PlatformUnreachable, errors.ServerFault):
                shown._card.update(shown.refresh().read, shown._known_metrics())

    def _known_metrics(self) -> Mapping[str, float]:
        """Metrics for showing: none where they cannot be had now."""
        try:
            return self.metrics
        except errors.Error:
            return {}

    def _repr_html_(self) -> str:
        return render(self.read, self._known_metrics())

    def logs(
        self,
        *,
        follow: bool = False,
        attempt: int | None = None,
        source: str | None = None,
        since: timedelta | datetime | None = None,
        grep: str | None = None,
        tail: int | None = None,
    ) -> Iterator[LogLine]:
        """Lines of the log, each once and in the order of its source.

        `follow` goes on until the job has ended and everything was sent; it survives lost connections. A line that
        has no end yet (a progress bar) is left out until it has one.
        """
        query = LogQuery(attempt, source, since, grep, tail)
        if follow:
            for lines in follow_lines(self._session, self._project, self.id, query):
                yield from (line for line in lines if not line.is_partial)
            return
        reader = LineReader()
        for page in self._session.raw_pages(jobs.logs(self._project, self.id, query)):
            yield from (line for line in reader.page(page) if not line.is_partial)
        yield from reader.rest()

    def save_log(self, target: Path | str, *, source: str = "driver", attempt: int | None = None) -> Path:
        """The bytes of one source, exactly as the program wrote them."""
        path = Path(target)
        call = jobs.raw_log(self._project, self.id, source=source, attempt=attempt)
        with self._session.download(call) as pieces, path.open("wb") as file:
            for piece in pieces:
                file.write(piece)
        return path

    def artifacts(self, *, attempt: int | None = None, below: str | None = None) -> list[ArtifactRead]:
        """Files that an attempt left in its output folder, the current one's unless said otherwise."""
        return list(self._session.rows(jobs.artifacts(self._project, self.id, attempt=attempt, below=below)))

    def download(self, path: str, to: Path | str | None = None, *, attempt: int | None = None) -> Path:
        """One artifact, into the file or folder `to`; goes on with a download that broke off, and proves the bytes.

        Raises:
            NotFound: there is none of that path.
            DownloadFailed: it is not stored whole, or did not arrive so.
        """
        found = of_path(self.artifacts(attempt=attempt, below=path), path)
        download = Download(Artifact.of(self._project, self.id, found.model_dump()), one_target(path, to))
        if not download.is_here:
            self._session.fetch(download)
        return download.target

    def log_artifact(self, path: str, *, to: str | None = None, attempt: int | None = None) -> None:
        """Have the platform put a kept artifact into the attempt's MLflow run, at `to` or the same path.

        It happens soon, and again while MLflow is away; the event `ArtifactLogged` says when it is done.

        Raises:
            NotFound: there is none of that path.
            WrongPhase: it is not stored whole, or the attempt had no run.
        """
        self._session.send(jobs.log_artifact(self._project, self.id, path, to=to, attempt=attempt))

    def cancel(self, *, grace: str | None = None) -> Job:
        """SIGTERM, the grace period, SIGKILL. Cancelling twice, or a job that has ended, changes nothing."""
        self._read = self._session.send(jobs.cancel(self._project, self.id, grace=grace))
        return self

    def retry(self) -> Job:
        self._read = self._session.send(jobs.retry(self._project, self.id))
        return self

    @property
    def attempts(self) -> list[AttemptRead]:
        return self._session.send(jobs.attempts(self._project, self.id))

    @property
    def events(self) -> list[EventRead]:
        return list(self._session.rows(jobs.events(self._project, self.id)))

    @property
    def why(self) -> Why:
        """Why the job is where it is, what it waits for, and what would start it."""
        return self._session.send(jobs.why(self._project, self.id))

    @property
    def metrics(self) -> Mapping[str, float]:
        """The last value of each metric, the latest attempt first."""
        return last_values(self.metric_series())

    def metric_series(self, *, attempt: int | None = None) -> Metrics:
        """Every point of every metric."""
        return self._session.send(jobs.metrics(self._project, self.id, attempt=attempt))

    def samples(self, *, attempt: int | None = None) -> Samples:
        """CPU, memory and accelerator use over time, by node."""
        return self._session.send(jobs.samples(self._project, self.id, attempt=attempt))

    def result_bytes(self) -> bytes:
        """The result document that a remote function left."""
        return self._session.send(jobs.result(self._project, self.id))


def of_path(found: list[ArtifactRead], path: str) -> ArtifactRead:
    """The artifact of exactly this path. Raises `NotFound`."""
    for artifact in found:
        if artifact.path == path:
            return artifact
    detail = f"The job has no artifact '{path}' here."
    raise errors.NotFound({"code": "not_found", "status": 404, "detail": detail, "hint": "See `mlp job artifacts`."})


def last_values(metrics: Metrics) -> dict[str, float]:
    """The last value by key; where several attempts logged a key, the latest attempt's."""
    found: dict[str, float] = {}
    for series in sorted(metrics.series, key=lambda one: one.attempt):
        if series.last is not None:
            found[series.key] = series.last
    return found
