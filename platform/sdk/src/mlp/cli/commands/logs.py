"""`mlp logs`."""

from __future__ import annotations

import sys
from datetime import timedelta
from typing import Annotated

import typer

from mlp import errors
from mlp.cli.app import App, open_app, usage
from mlp.cli.follow import Following, follow_log
from mlp.cli.log_printer import DRIVER, JsonLinePrinter, LogPrinter
from mlp.cli.options import Attempt, JobArgument, Project
from mlp.cli.problems import DONE, INTERRUPTED
from mlp.client.calls import jobs
from mlp.client.calls.jobs import LogQuery
from mlp.client.logs import LineReader

_PAGE_LINES = 10_000


def logs(
    ctx: typer.Context,
    job: JobArgument,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on until the job has ended.")] = False,
    attempt: Attempt = None,
    source: Annotated[
        str | None,
        typer.Option("--source", help="driver, worker, or one node or source, such as train-0."),
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="DURATION", help="Only lines this new, such as 10m.")
    ] = None,
    grep: Annotated[str | None, typer.Option("--grep", help="Only lines that hold this text.")] = None,
    tail: Annotated[int | None, typer.Option("--tail", "-n", min=0, help="Only so many lines from the end.")] = None,
    timestamps: Annotated[bool, typer.Option("--timestamps", "-t", help="Put the time before each line.")] = False,
    raw: Annotated[
        bool,
        typer.Option("--raw", help="The bytes of one source as the program wrote them, control codes included."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    project: Project = None,
) -> int:
    """Show or follow the log of a job.

    Lines of Ray workers have their source before them. Colours are kept on a terminal; codes that would move the
    cursor or set the title are taken out, unless --raw.

    \b
    Examples:
      mlp logs JOB
      mlp logs JOB -f
      mlp logs JOB --tail 100 --source driver
      mlp logs JOB --since 10m --grep loss
      mlp logs JOB --raw > driver.log
      mlp logs JOB --json | jq -r .text
    """
    app = open_app(ctx, project=project)
    query = LogQuery(attempt, source, _span(since), grep, tail)
    if raw:
        if follow or since or grep or as_json or tail is not None:
            usage(
                "--raw gives all bytes of one source as stored.",
                "Leave out --follow, --since, --grep, --json and --tail.",
            )
        _copy_raw(app, job, source or DRIVER, attempt)
        return DONE
    printer = JsonLinePrinter() if as_json else _printer(app, timestamps=timestamps)
    if follow:
        following = Following(app, job)
        try:
            follow_log(following, query, printer)
        except KeyboardInterrupt:
            printer.clear()
            following.detached()
            return INTERRUPTED
        return DONE
    reader = LineReader()
    for page in app.session.raw_pages(jobs.logs(app.project, job, query, limit=_PAGE_LINES)):
        for line in reader.page(page):
            if not line.is_partial:
                printer.print(line)
    for line in reader.rest():
        printer.print(line)
    return DONE


def _printer(app: App, *, timestamps: bool) -> LogPrinter:
    return LogPrinter(is_tty=app.out.is_tty, colour=app.out.colour, columns=app.out.columns, timestamps=timestamps)


def _span(text: str | None) -> timedelta | None:
    if text is None:
        return None
    from mlp.schemas.units import parse_duration

    try:
        return parse_duration(f"{text}s" if text.isdigit() else text)
    except ValueError as error:
        raise errors.LocalError(f"--since: {error}.") from None


def _copy_raw(app: App, job: str, source: str, attempt: int | None) -> None:
    sys.stdout.flush()
    call = jobs.raw_log(app.project, job, source=source, attempt=attempt)
    with app.session.download(call) as pieces:
        for piece in pieces:
            sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()
