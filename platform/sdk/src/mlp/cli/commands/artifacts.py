"""`mlp job artifacts`, `mlp job download` and `mlp job log-artifact`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mlp import errors
from mlp.cli.app import App, open_app
from mlp.cli.options import PAGE, All, Attempt, JobArgument, Json, Limit, OutputForm, Project
from mlp.cli.output import first_page_limit
from mlp.cli.sending import ProgressLine
from mlp.cli.table import Column
from mlp.cli.text import one_line
from mlp.client.calls import jobs

if TYPE_CHECKING:
    from mlp.client.downloads import Download


def artifacts(
    ctx: typer.Context,
    job: JobArgument,
    attempt: Attempt = None,
    project: Project = None,
    limit: Limit = PAGE,
    all_: All = False,
    json: Json = False,
    output: OutputForm = None,
) -> None:
    """List the files that a job left.

    Those are what an attempt wrote into $MLP_OUTPUT: of the current attempt, unless --attempt names another.

    \b
    Examples:
      mlp job artifacts JOB
      mlp job artifacts JOB --attempt 1
    """
    from mlp.packaging.tree import size_text

    app = open_app(ctx, project=project, json=json, output=output)
    wanted = None if all_ else limit
    page = first_page_limit(wanted, everything=app.out.is_data or all_)
    call = jobs.artifacts(app.project, job, attempt=attempt, limit=page)
    columns = [
        Column("PATH", lambda row: row["path"], elastic=True),
        Column("SIZE", lambda row: size_text(row["size"]), right=True),
        Column("STORED", lambda row: "whole" if row["complete"] else size_text(row["stored"])),
        Column("SHA256", lambda row: row.get("sha256") or "", wide=True),
        Column("CREATED", lambda row: row["created_at"], wide=True),
    ]
    hint = "A job keeps what it writes into $MLP_OUTPUT, once it ends."
    app.out.rows(app.session.raw_pages(call), columns, noun="artifact", limit=wanted, empty_hint=hint)


def download(
    ctx: typer.Context,
    job: JobArgument,
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="[PATH]...", help="Files or folders; all if none.")
    ] = None,
    folder: Annotated[Path, typer.Option("--output-dir", "-o", metavar="DIR", help="Where to put them.")] = Path(),
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there and differ.")] = False,
    attempt: Attempt = None,
    project: Project = None,
) -> None:
    """Download the files that a job left.

    A download that broke off goes on where it stopped; what is here already is not sent again.

    \b
    Examples:
      mlp job download JOB -o results
      mlp job download JOB model/weights.bin plots
    """
    from mlp.client.downloads import Artifact, Download, target_of

    app = open_app(ctx, project=project)
    rows = _wanted(app, job, attempt, paths or [])
    whole = [row for row in rows if row["complete"]]
    progress = ProgressLine()
    try:
        for row in whole:
            artifact = Artifact.of(app.project, job, row)
            target = target_of(folder, artifact.path)
            _get(app, Download(artifact, target, _teller(progress, row)), progress, force=force)
    finally:
        progress.clear()
    if len(whole) < len(rows):
        names = ", ".join(one_line(row["path"]) for row in rows if not row["complete"])
        raise errors.DownloadFailed(f"Not stored whole, and so not downloaded: {names}.")
    if not rows:
        app.out.note("The job has left no files here.")


def log_artifact(
    ctx: typer.Context,
    job: JobArgument,
    path: Annotated[str, typer.Argument(metavar="PATH", help="As `mlp job artifacts` lists it.")],
    to: Annotated[str | None, typer.Option("--to", metavar="PATH", help="Its path in the run.")] = None,
    attempt: Attempt = None,
    project: Project = None,
) -> None:
    """Put a file that a job left into its MLflow run.

    The platform does it, soon, and tries again while MLflow is away: `mlp job events JOB` says when it is done.

    \b
    Examples:
      mlp job log-artifact JOB model/weights.bin
      mlp job log-artifact JOB out.bin --to model/weights.bin
    """
    app = open_app(ctx, project=project)
    app.session.send(jobs.log_artifact(app.project, job, path, to=to, attempt=attempt))
    app.out.note(f"{one_line(path)} will be in the run soon; `mlp job events {job}` says when.")


def _wanted(app: App, job: str, attempt: int | None, paths: list[str]) -> list[dict[str, Any]]:
    """Rows of all files, or of those that `paths` name, each once."""
    found: dict[str, dict[str, Any]] = {}
    for path in paths or [None]:
        pages = app.session.raw_pages(jobs.artifacts(app.project, job, attempt=attempt, below=path, limit=200))
        rows = [row for page in pages for row in page["items"]]
        if path is not None and not rows:
            detail = f"The job has no artifact '{path}' here."
            hint = "See `mlp job artifacts`."
            raise errors.NotFound({"code": "not_found", "status": 404, "detail": detail, "hint": hint})
        found |= {row["path"]: row for row in rows}
    return list(found.values())


def _get(app: App, download: Download, progress: ProgressLine, *, force: bool) -> None:
    if download.is_here:
        return
    if download.target.exists() and not force:
        raise errors.DownloadFailed(f"{download.target} is there and differs.", hint="Replace it with --force.")
    app.session.fetch(download)
    progress.clear()
    app.out.line(str(download.target))


def _teller(progress: ProgressLine, row: dict[str, Any]) -> Callable[[int], None]:
    from mlp.packaging.tree import size_text

    name, size = one_line(row["path"]), size_text(row["size"])

    def tell(received: int) -> None:
        progress.tell(f"{name}: {size_text(received)} of {size}")

    return tell
