"""Staying with a job until it has ended: its phases on standard error, its log on standard output."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

from mlp import errors
from mlp.cli.app import App
from mlp.cli.log_printer import LogPrinter
from mlp.cli.problems import DONE, JOB_FAILED
from mlp.cli.text import failure_facts, one_line
from mlp.client.calls import jobs
from mlp.client.calls.jobs import LogQuery
from mlp.client.card import duration_text
from mlp.client.following import follow_lines
from mlp.client.logs import TERMINAL

_POLL_SECONDS = (0.1, 0.2, 0.4, 0.8, 1.5)


class Following:
    """One job that is being watched."""

    def __init__(self, app: App, job: str) -> None:
        self.app = app
        self.project = app.project
        self.job = job
        self._said = ""
        self._lock = threading.Lock()
        self._over = threading.Event()

    def read(self) -> dict[str, Any]:
        document: dict[str, Any] = self.app.session.send(jobs.get(self.project, self.job).raw())
        self.say(document)
        return document

    def say(self, document: dict[str, Any]) -> None:
        """Tell a new phase or a new reason, once."""
        text = f"-- {document['phase']}: {one_line(document['message'])}"
        with self._lock:
            if text != self._said and not self._over.is_set() and document["phase"] not in TERMINAL:
                self._said = text
                self.app.out.note(text)

    def watch_phases(self) -> None:
        """Say phases as they change, until `over`. Being cut off only makes this quiet."""
        try:
            for event in self.app.session.events(jobs.stream(project=self.project, job=self.job)):
                if self._over.is_set():
                    return
                if event.name == "job":
                    self.say(event.json())
        except errors.Error:
            return  # the log itself, which the main thread follows, tells what is wrong

    def start_watching(self) -> None:
        threading.Thread(target=self.watch_phases, name="mlp-phases", daemon=True).start()

    def over(self) -> None:
        with self._lock:
            self._over.set()

    def detached(self) -> None:
        """What to type now that nobody looks any more."""
        self.over()
        self.app.out.note(
            f"\nDetached; job {self.job} goes on.\n"
            f"  Follow it again: mlp logs {self.job} -f\n"
            f"  Cancel it:       mlp job cancel {self.job}"
        )


def wait_for_end(following: Following, *, timeout_seconds: float | None = None) -> dict[str, Any]:
    """Poll until the job has ended.

    Raises:
        WaitTimedOut: it had not, in time.
    """
    until = None if timeout_seconds is None else time.monotonic() + timeout_seconds
    polls = 0
    while True:
        document = following.read()
        if document["phase"] in TERMINAL:
            following.over()
            return document
        if until is not None and time.monotonic() >= until:
            raise errors.WaitTimedOut(
                f"Job {following.job} is still {document['phase']} after {timeout_seconds:g} s.",
                hint=f"It goes on. Wait again, or: mlp job cancel {following.job}",
            )
        time.sleep(_POLL_SECONDS[min(polls, len(_POLL_SECONDS) - 1)])
        polls += 1


def follow_log(following: Following, query: LogQuery, printer: LogPrinter) -> None:
    """Print lines as they come until the job has ended and all of them are here."""
    app = following.app

    def lost(error: errors.Error | None) -> None:
        printer.clear()
        app.out.note(f"-- connection lost, opening it again{f' ({error.message})' if error else ''}")

    for lines in follow_lines(app.session, following.project, following.job, query, on_lost=lost):
        for line in lines:
            printer.print(line)
        printer.flush()
    printer.clear()


def follow(app: App, job: str, *, timestamps: bool = False) -> int:
    """Phases and log until the end, then how it ended. Ctrl-C leaves the job alone.

    Returns:
        The exit code: 0 when the job succeeded, 1 when it did not, 130 when the viewer left.
    """
    following = Following(app, job)
    printer = LogPrinter(is_tty=app.out.is_tty, colour=app.out.colour, columns=app.out.columns, timestamps=timestamps)
    try:
        following.read()
        following.start_watching()
        follow_log(following, LogQuery(), printer)
        return report(app, wait_for_end(following))
    except KeyboardInterrupt:
        printer.clear()
        following.detached()
        return 130


def report(app: App, job: dict[str, Any]) -> int:
    """How a job ended, for people, on standard error; the exit code that says the same."""
    took = job.get("duration_seconds")
    after = f" after {duration_text(took)}" if took is not None else ""
    app.out.note(f"-- {job['phase']}{after}: {one_line(job['message'])}")
    for name, text in failure_facts(job.get("failure")):
        if text and name != "failure":
            app.out.note(f"   {name}: " + "\n     ".join(one_line(part) for part in text.split("\n")))
    model = job.get("model")
    if model:
        app.out.note(f"   model: {one_line(model['name'])} version {model['version']} {model.get('url') or ''}")
    app.out.note(f"   {job['url']}")
    sys.stdout.flush()
    return DONE if job["phase"] == "succeeded" else JOB_FAILED
