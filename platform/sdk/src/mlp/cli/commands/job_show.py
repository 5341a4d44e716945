"""Looking at one job."""

from __future__ import annotations

import shlex
from typing import Annotated, Any

import typer

from mlp.cli.app import App, open_app
from mlp.cli.options import PAGE, All, Attempt, JobArgument, Json, Limit, OutputForm, Project
from mlp.cli.output import first_page_limit
from mlp.cli.table import Column
from mlp.cli.text import failure_facts, number, one_line, queue_text
from mlp.client.calls import jobs
from mlp.client.card import duration_text

_AHEAD_SHOWN = 5


def show(
    ctx: typer.Context, job: JobArgument, project: Project = None, json: Json = False, output: OutputForm = None
) -> None:
    """Show a job.

    \b
    Examples:
      mlp job show JOB
      mlp job show JOB --json
    """
    app = open_app(ctx, project=project, json=json, output=output)
    document: dict[str, Any] = app.session.send(jobs.get(app.project, job).raw())
    app.out.document(document, facts(document))


def facts(job: dict[str, Any]) -> list[tuple[str, str | None]]:
    """What people want to know of a job first."""
    model, run = job.get("model"), job.get("run")
    return [
        ("id", job["id"]),
        ("name", job["name"]),
        ("project", job["project"]),
        ("phase", f"{job['phase']} ({job['reason']})"),
        ("message", job["message"]),
        ("queue", queue_text(job.get("queue"))),
        *failure_facts(job.get("failure")),
        ("command", command_text(job["spec"]["entrypoint"])),
        ("attempt", str(job["attempt"]) if job["attempt"] > 1 else None),
        ("exit code", None if job.get("exit_code") is None else str(job["exit_code"])),
        ("signal", None if job.get("signal") is None else str(job["signal"])),
        ("submitted", f"{job['created_at']} by {job['created_by']}"),
        ("started", job.get("started_at")),
        ("ended", job.get("ended_at")),
        ("took", duration_text(job["duration_seconds"]) if job.get("duration_seconds") is not None else None),
        ("package", job.get("package")),
        ("environment", job.get("environment_digest")),
        ("run", f"{run['name']} {run.get('url') or ''}" if run else None),
        ("model", f"{model['name']} version {model['version']} {model.get('url') or ''}" if model else None),
        ("url", job["url"]),
    ]


def command_text(entrypoint: str | list[str]) -> str:
    """What to type in a shell to run the same."""
    return entrypoint if isinstance(entrypoint, str) else shlex.join(entrypoint)


def attempts(
    ctx: typer.Context, job: JobArgument, project: Project = None, json: Json = False, output: OutputForm = None
) -> None:
    """List the attempts of a job.

    \b
    Examples:
      mlp job attempts JOB
    """
    app = open_app(ctx, project=project, json=json, output=output)
    answer: Any = app.session.send(jobs.attempts(app.project, job).raw())
    page: dict[str, Any] = {"items": answer["items"] if isinstance(answer, dict) else answer}
    columns = [
        Column("ATTEMPT", lambda row: str(row["number"]), right=True),
        Column("PHASE", lambda row: row["phase"]),
        Column("CLASS", lambda row: inner(row, "failure", "class")),
        Column("EXIT", lambda row: _exit(row)),
        Column("MESSAGE", lambda row: row["message"], elastic=True),
        Column("STARTED", lambda row: row.get("started_at") or "", wide=True),
        Column("ENDED", lambda row: row.get("ended_at") or "", wide=True),
        Column("RUN", lambda row: inner(row, "run", "name"), wide=True),
    ]
    app.out.rows(iter([page]), columns, noun="attempt", limit=None)


def inner(row: dict[str, Any], name: str, field: str) -> str:
    """A field of a part that may be missing."""
    part: dict[str, Any] | None = row.get(name)
    return str(part[field]) if part else ""


def _exit(row: dict[str, Any]) -> str:
    if row.get("signal") is not None:
        return f"signal {row['signal']}"
    return "" if row.get("exit_code") is None else str(row["exit_code"])


def events(
    ctx: typer.Context,
    job: JobArgument,
    project: Project = None,
    limit: Limit = PAGE,
    all_: All = False,
    json: Json = False,
    output: OutputForm = None,
) -> None:
    """List what happened to a job.

    \b
    Examples:
      mlp job events JOB
      mlp job events JOB --all
    """
    app = open_app(ctx, project=project, json=json, output=output)
    wanted = None if all_ else limit
    call = jobs.events(app.project, job, limit=first_page_limit(wanted, everything=app.out.is_data or all_))
    columns = [
        Column("TIME", lambda row: row["at"]),
        Column("ATTEMPT", lambda row: str(row.get("attempt") or ""), right=True),
        Column("REASON", lambda row: row["reason"]),
        Column("MESSAGE", lambda row: row["message"], elastic=True),
        Column("ACTOR", lambda row: row["actor"], wide=True),
    ]
    app.out.rows(app.session.raw_pages(call), columns, noun="event", limit=wanted)


def metrics(
    ctx: typer.Context,
    job: JobArgument,
    key: Annotated[list[str] | None, typer.Option("--key", help="Only this metric; may be repeated.")] = None,
    attempt: Attempt = None,
    points: Annotated[bool, typer.Option("--points", help="Show every point, not only the last.")] = False,
    project: Project = None,
    json: Json = False,
    output: OutputForm = None,
) -> None:
    """Show the metrics of a job.

    \b
    Examples:
      mlp job metrics JOB
      mlp job metrics JOB --key loss --points
    """
    app = open_app(ctx, project=project, json=json, output=output)
    answer: dict[str, Any] = app.session.send(
        jobs.metrics(app.project, job, attempt=attempt, key=tuple(key or ())).raw()
    )
    if app.out.is_data:
        app.out.data(answer)
        return
    series: list[dict[str, Any]] = answer["series"]
    if points:
        rows = [{**one, **point} for one in series for point in one["points"]]
        columns = [
            Column("METRIC", lambda row: row["key"]),
            Column("ATTEMPT", lambda row: str(row["attempt"]), right=True),
            Column("STEP", lambda row: str(row["step"]), right=True),
            Column("VALUE", lambda row: number(row["value"]), right=True),
        ]
    else:
        rows = series
        columns = [
            Column("METRIC", lambda row: row["key"]),
            Column("ATTEMPT", lambda row: str(row["attempt"]), right=True),
            Column("LAST", lambda row: number(row.get("last")), right=True),
            Column("MIN", lambda row: number(row.get("min")), right=True),
            Column("MAX", lambda row: number(row.get("max")), right=True),
            Column("POINTS", lambda row: str(row["total"]), right=True),
        ]
    app.out.rows(iter([{"items": rows}]), columns, noun="metric", limit=None)


def why(
    ctx: typer.Context, job: JobArgument, project: Project = None, json: Json = False, output: OutputForm = None
) -> None:
    """Explain why a job is where it is.

    \b
    Examples:
      mlp why JOB
    """
    app = open_app(ctx, project=project, json=json, output=output)
    answer: dict[str, Any] = app.session.send(jobs.why(app.project, job).raw())
    if app.out.is_data:
        app.out.data(answer)
        return
    _explain(app, answer)


def _explain(app: App, why_: dict[str, Any]) -> None:
    out = app.out
    out.line(f"{why_['phase']} ({why_['reason']}) since {why_['since']}")
    out.line(one_line(why_["message"]))
    place = queue_text(why_.get("queue"))
    if place is not None:
        out.line(f"It is {place}{_behind(why_.get('ahead') or [], why_['queue']['position'])}.")
    elif why_.get("position") is not None:
        out.line(f"Position in its queue: {why_['position']}")
    blockers: list[dict[str, Any]] = why_.get("blockers") or []
    for blocker in blockers:
        who: str = blocker.get("name") or blocker.get("job_id") or "a job of another project"
        out.line(f"Waits for {one_line(who)}, which holds {one_line(blocker['holds'])}.")
    changes: list[str] = why_.get("would_start_now") or []
    for change in changes:
        out.line(f"Would start now: {one_line(change)}")
    if why_.get("usual_seconds") is not None:
        out.line(f"This usually takes {duration_text(why_['usual_seconds'])} here.")


def _behind(ahead: list[dict[str, Any]], position: int) -> str:
    """Who is before it: those that may be named by name, the others by how many they are."""
    named = [f"{one_line(one['name'])} ({one['id']})" for one in ahead if one.get("id")]
    hidden = position - 1 - len(named)
    shown = named[:_AHEAD_SHOWN]
    if len(named) > len(shown):
        shown.append(f"{len(named) - len(shown)} more that you can see")
    if hidden > 0:
        shown.append(f"{hidden} of other projects" if len(ahead) >= position - 1 else f"{hidden} more")
    return f", behind {', '.join(shown)}" if shown else ""


def open_(ctx: typer.Context, job: JobArgument, project: Project = None) -> None:
    """Open a job in the browser.

    \b
    Examples:
      mlp job open JOB
    """
    import webbrowser

    app = open_app(ctx, project=project)
    document: dict[str, Any] = app.session.send(jobs.get(app.project, job).raw())
    app.out.line(document["url"])
    webbrowser.open(document["url"])
