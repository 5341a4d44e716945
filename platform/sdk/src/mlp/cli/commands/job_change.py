"""Changing the course of a job."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from mlp.cli.app import open_app
from mlp.cli.options import Json, OutputForm, Project
from mlp.cli.text import one_line
from mlp.client.calls import jobs

JobsArgument = Annotated[list[str], typer.Argument(metavar="JOB...", help="Ids or names.")]


def cancel(
    ctx: typer.Context,
    job: JobsArgument,
    grace: Annotated[
        str | None,
        typer.Option("--grace", metavar="DURATION", help="Time between SIGTERM and SIGKILL, such as 20s."),
    ] = None,
    project: Project = None,
    json: Json = False,
    output: OutputForm = None,
) -> None:
    """Cancel a job.

    The program gets SIGTERM, its grace period, then SIGKILL. Cancelling twice changes nothing.

    \b
    Examples:
      mlp job cancel JOB
      mlp job cancel JOB --grace 2m
    """
    app = open_app(ctx, project=project, json=json, output=output)
    told: list[dict[str, Any]] = [
        app.session.send(jobs.cancel(app.project, one, grace=_duration(grace)).raw()) for one in job
    ]
    if app.out.is_data:
        app.out.data(told[0] if len(told) == 1 else told)
        return
    for document in told:
        app.out.line(f"{document['id']} {document['phase']}: {one_line(document['message'])}")


def _duration(text: str | None) -> str | None:
    """A bare number means seconds, here as in `mlp.yaml`."""
    return f"{text}s" if text is not None and text.isdigit() else text


def retry(
    ctx: typer.Context, job: JobsArgument, project: Project = None, json: Json = False, output: OutputForm = None
) -> None:
    """Try a job that ended once more.

    It gets a new attempt with the same code, environment and checkpoint directory.

    \b
    Examples:
      mlp job retry JOB
    """
    app = open_app(ctx, project=project, json=json, output=output)
    told: list[dict[str, Any]] = [app.session.send(jobs.retry(app.project, one).raw()) for one in job]
    if app.out.is_data:
        app.out.data(told[0] if len(told) == 1 else told)
        return
    for document in told:
        app.out.line(f"{document['id']} {document['phase']}: {one_line(document['message'])}")
