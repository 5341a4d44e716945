"""`mlp top`."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from mlp.cli.app import App, open_app
from mlp.cli.options import Json, OutputForm, Project
from mlp.cli.table import Column
from mlp.cli.text import memory, number
from mlp.client.calls import jobs
from mlp.client.calls.jobs import JobFilter

_EVERY_SECONDS = 3.0
_COLUMNS = [
    Column("JOB", lambda row: row["job"]),
    Column("NAME", lambda row: row["name"], elastic=True),
    Column("NODE", lambda row: row["node"]),
    Column("CPU", lambda row: number(row["cpu_cores"]), right=True),
    Column("MEMORY", lambda row: memory(row["memory_bytes"]), right=True),
    Column("LIMIT", lambda row: memory(row["memory_limit_bytes"]), right=True),
    Column("GPU %", lambda row: number(row["gpu_utilisation"]), right=True),
    Column("GPU MEM", lambda row: memory(row["gpu_memory_bytes"]), right=True, wide=True),
    Column("AT", lambda row: row["at"], wide=True),
]


def top(
    ctx: typer.Context,
    job: Annotated[str | None, typer.Argument(metavar="[JOB]", help="Only this job.")] = None,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Refresh until interrupted.")] = False,
    project: Project = None,
    json: Json = False,
    output: OutputForm = None,
) -> None:
    """Show what running jobs use.

    \b
    Examples:
      mlp top
      mlp top JOB --watch
    """
    app = open_app(ctx, project=project, json=json, output=output)
    while True:
        rows = list(_rows(app, job))
        if watch and app.out.is_tty:
            sys.stdout.write("\x1b[H\x1b[2J")
        app.out.rows(iter([{"items": rows}]), _COLUMNS, noun="running node", limit=None)
        if not watch:
            return
        sys.stdout.flush()
        time.sleep(_EVERY_SECONDS)


def _rows(app: App, job: str | None) -> Iterator[dict[str, Any]]:
    for one in _jobs(app, job):
        samples: dict[str, Any] = app.session.send(jobs.samples(app.project, one["id"]).raw())
        for node in samples["nodes"]:
            if node["attempt"] == one["attempt"] and node["points"]:
                yield {"job": one["id"], "name": one["name"], "node": node["node"], **node["points"][-1]}


def _jobs(app: App, job: str | None) -> Iterator[dict[str, Any]]:
    if job is not None:
        yield app.session.send(jobs.get(app.project, job).raw())
        return
    for page in app.session.raw_pages(jobs.list_jobs(app.project, JobFilter(phase=("running",)))):
        yield from page["items"]
