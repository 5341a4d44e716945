"""`mlp job wait`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from mlp import errors
from mlp.cli.app import open_app
from mlp.cli.follow import Following, report, wait_for_end
from mlp.cli.options import JobArgument, Json, OutputForm, Project
from mlp.cli.problems import INTERRUPTED


def wait(
    ctx: typer.Context,
    job: JobArgument,
    timeout: Annotated[
        str | None,
        typer.Option("--timeout", metavar="DURATION", help="Stop waiting after this long; the job goes on."),
    ] = None,
    project: Project = None,
    json: Json = False,
    output: OutputForm = None,
) -> int:
    """Wait until a job has ended.

    Exits 0 when it succeeded and 1 when it failed or was cancelled.

    \b
    Examples:
      mlp job wait JOB
      mlp job wait JOB --timeout 2h
    """
    app = open_app(ctx, project=project, json=json, output=output)
    following = Following(app, job)
    try:
        ended: dict[str, Any] = wait_for_end(following, timeout_seconds=_seconds(timeout))
    except KeyboardInterrupt:
        following.detached()
        return INTERRUPTED
    if app.out.is_data:
        app.out.data(ended)
        return 0 if ended["phase"] == "succeeded" else 1
    return report(app, ended)


def _seconds(text: str | None) -> float | None:
    if text is None:
        return None
    from mlp.schemas.units import parse_duration

    try:
        return parse_duration(f"{text}s" if text.isdigit() else text).total_seconds()
    except ValueError as error:
        raise errors.LocalError(f"--timeout: {error}.") from None
