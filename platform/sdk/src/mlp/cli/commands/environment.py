"""`mlp environment`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from mlp.cli.app import open_app, usage
from mlp.cli.options import PAGE, All, Json, Limit, OutputForm, Project, Yes
from mlp.cli.output import first_page_limit
from mlp.cli.table import Column
from mlp.client.call import Call, path
from mlp.client.calls import environments

EnvironmentArgument = Annotated[str, typer.Argument(metavar="ENVIRONMENT", help="Id or name.")]


def list_environments(
    ctx: typer.Context,
    project: Project = None,
    limit: Limit = PAGE,
    all_: All = False,
    json: Json = False,
    output: OutputForm = None,
) -> None:
    """List environments.

    \b
    Examples:
      mlp environment list
    """
    app = open_app(ctx, project=project, json=json, output=output)
    wanted = None if all_ else limit
    call = environments.list_environments(
        app.project, limit=first_page_limit(wanted, everything=app.out.is_data or all_)
    )
    columns = [
        Column("ID", lambda row: row["id"]),
        Column("NAME", lambda row: row.get("name") or "", elastic=True),
        Column("PHASE", lambda row: row["phase"]),
        Column("PYTHON", lambda row: row["python"]),
        Column("REQUIREMENTS", lambda row: ", ".join(row["requirements"]), elastic=True),
        Column("JOBS", lambda row: str(row["used_by_jobs"]), right=True, wide=True),
        Column("DIGEST", lambda row: row.get("digest") or "", wide=True),
    ]
    app.out.rows(app.session.raw_pages(call), columns, noun="environment", limit=wanted)


def show(
    ctx: typer.Context,
    environment: EnvironmentArgument,
    project: Project = None,
    json: Json = False,
    output: OutputForm = None,
) -> None:
    """Show an environment and its lock.

    \b
    Examples:
      mlp environment show base
    """
    app = open_app(ctx, project=project, json=json, output=output)
    document: dict[str, Any] = app.session.send(environments.get(app.project, environment).raw())
    app.out.document(document, _facts(document))


def _facts(environment: dict[str, Any]) -> list[tuple[str, str | None]]:
    return [
        ("id", environment["id"]),
        ("name", environment.get("name")),
        ("phase", f"{environment['phase']} ({environment['reason']})"),
        ("message", environment["message"]),
        ("python", environment["python"]),
        ("requirements", "\n".join(environment["requirements"])),
        ("digest", environment.get("digest")),
        ("used by", f"{environment['used_by_jobs']} jobs"),
        ("created", f"{environment['created_at']} by {environment['created_by']}"),
        ("lock", environment.get("lock")),
    ]


def create(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name for later use.")],
    requirement: Annotated[
        list[str] | None, typer.Option("--requirement", "-r", metavar="REQ", help="May be repeated.")
    ] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", metavar="FILE", help="A requirements.txt.")] = None,
    python: Annotated[str, typer.Option("--python", help="Python version.")] = "3.11",
    project: Project = None,
    json: Json = False,
    output: OutputForm = None,
) -> None:
    """Create an environment from requirements.

    \b
    Examples:
      mlp environment create boost -r xgboost-cpu==3.2.0
      mlp environment create base -f requirements.txt
    """
    from mlp.jobfile import read_requirements

    app = open_app(ctx, project=project, json=json, output=output)
    wanted = [*(requirement or []), *(read_requirements(file) if file else [])]
    if not wanted:
        usage("No requirements.", "Give -r REQ or -f FILE.")
    body = {"name": name, "python": python, "requirements": wanted}
    call: Call[Any] = Call("POST", path("projects", app.project, "environments"), json=body)
    document: dict[str, Any] = app.session.send(call)
    app.out.document(document, _facts(document))


def delete(ctx: typer.Context, environment: EnvironmentArgument, project: Project = None, yes: Yes = False) -> None:
    """Delete an environment that no job refers to.

    \b
    Examples:
      mlp environment delete boost
    """
    app = open_app(ctx, project=project)
    app.confirm(f"Delete environment {environment} of project {app.project}?", yes=yes)
    app.session.send(environments.delete(app.project, environment))
    app.out.line(f"Deleted {environment}.")
