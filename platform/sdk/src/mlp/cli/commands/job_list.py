"""`mlp job list`."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from mlp.cli.app import open_app
from mlp.cli.options import PAGE, All, Json, Limit, OutputForm, Project
from mlp.cli.output import first_page_limit
from mlp.cli.table import Column
from mlp.cli.text import age, instant
from mlp.client.calls import jobs
from mlp.client.calls.jobs import JobFilter


def list_jobs(
    ctx: typer.Context,
    project: Project = None,
    phase: Annotated[
        list[str] | None, typer.Option("--phase", help="Only jobs in this phase; may be repeated.")
    ] = None,
    kind: Annotated[str | None, typer.Option("--kind", help="Only jobs of this kind: script, train.")] = None,
    name: Annotated[str | None, typer.Option("--name", help="Only jobs of this name.")] = None,
    user: Annotated[str | None, typer.Option("--user", help="Only jobs this user submitted.")] = None,
    cluster: Annotated[str | None, typer.Option("--cluster", help="Only jobs on this cluster.")] = None,
    order_by: Annotated[
        str | None, typer.Option("--order-by", help="Field to sort by; with - before it, descending.")
    ] = None,
    limit: Limit = PAGE,
    all_: All = False,
    json: Json = False,
    output: OutputForm = None,
) -> None:
    """List jobs, newest first.

    \b
    Examples:
      mlp job list
      mlp job list --phase running --phase queued
      mlp job list --all --json
    """
    app = open_app(ctx, project=project, json=json, output=output)
    where = JobFilter(tuple(phase or ()), kind, name, user, cluster, None, order_by)
    wanted = None if all_ else limit
    call = jobs.list_jobs(app.project, where, limit=first_page_limit(wanted, everything=app.out.is_data or all_))
    app.out.rows(
        app.session.raw_pages(call),
        _columns(datetime.now(UTC)),
        noun="job",
        limit=wanted,
        empty_hint="Submit one: mlp run train.py",
    )


def _columns(now: datetime) -> list[Column]:
    """Ages for people on a terminal; instants elsewhere, so that the same job always reads the same."""
    by_age = sys.stdout.isatty()

    def when(row: dict[str, Any]) -> str:
        return age(instant(row["created_at"]), now) if by_age else row["created_at"]

    return [
        Column("ID", lambda row: row["id"]),
        Column("NAME", lambda row: row["name"], elastic=True),
        Column("PHASE", lambda row: row["phase"]),
        Column("REASON", lambda row: row["reason"], elastic=True),
        Column("AGE" if by_age else "CREATED", when, right=by_age),
        Column("KIND", lambda row: row["kind"], wide=True),
        Column("ATTEMPT", lambda row: str(row["attempt"]), wide=True, right=True),
        Column("USER", lambda row: row["created_by"], wide=True),
        Column("MESSAGE", lambda row: row["message"], wide=True),
    ]
