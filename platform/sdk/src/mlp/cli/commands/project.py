"""`mlp project`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from mlp.cli.app import open_app, usage
from mlp.cli.options import PAGE, All, Json, Limit, OutputForm, Yes
from mlp.cli.output import first_page_limit
from mlp.cli.table import Column
from mlp.cli.text import number
from mlp.client.call import Call, path
from mlp.client.calls import projects

ProjectArgument = Annotated[str, typer.Argument(metavar="PROJECT", help="Name of the project.")]
Cpu = Annotated[float | None, typer.Option("--cpu", help="Cores that live jobs may use together.")]
MemoryGib = Annotated[float | None, typer.Option("--memory-gib", help="Memory in GiB, likewise.")]
Gpu = Annotated[float | None, typer.Option("--gpu", help="GPUs, likewise.")]
Jobs = Annotated[int | None, typer.Option("--jobs", help="Unfinished jobs at once.")]
Guarantee = Annotated[
    list[str] | None,
    typer.Option("--guarantee", metavar="POOL=MACHINES", help="Machines of a pool of its own; 0 takes them away."),
]


def list_projects(
    ctx: typer.Context,
    limit: Limit = PAGE,
    all_: All = False,
    json: Json = False,
    output: OutputForm = None,
) -> None:
    """List the projects you can see.

    \b
    Examples:
      mlp project list
    """
    app = open_app(ctx, json=json, output=output)
    wanted = None if all_ else limit
    call = projects.list_projects(limit=first_page_limit(wanted, everything=app.out.is_data or all_))
    columns = [
        Column("NAME", lambda row: row["name"]),
        Column("ROLE", lambda row: row.get("role") or "admin"),
        Column("TEAM", lambda row: row["team"]),
        Column("LIVE JOBS", lambda row: str(row["live_jobs"]), right=True),
        Column("DESCRIPTION", lambda row: row["description"], elastic=True),
        Column("ID", lambda row: row["id"], wide=True),
        Column("CREATED", lambda row: row["created_at"], wide=True),
    ]
    app.out.rows(
        app.session.raw_pages(call),
        columns,
        noun="project",
        limit=wanted,
        empty_hint="Create one: mlp project create NAME",
    )


def show(ctx: typer.Context, project: ProjectArgument, json: Json = False, output: OutputForm = None) -> None:
    """Show a project.

    \b
    Examples:
      mlp project show vision
    """
    app = open_app(ctx, json=json, output=output)
    document: dict[str, Any] = app.session.send(projects.get(project).raw())
    app.out.document(document, _facts(document))


def _facts(project: dict[str, Any]) -> list[tuple[str, str | None]]:
    limits = project["limits"]
    return [
        ("name", project["name"]),
        ("id", project["id"]),
        ("team", project["team"]),
        ("your role", project.get("role") or "admin"),
        ("description", project["description"]),
        ("live jobs", str(project["live_jobs"])),
        ("limits", ", ".join(f"{name} {number(value)}" for name, value in limits.items() if value is not None)),
        ("guaranteed", _guaranteed(project.get("guarantees") or {})),
        ("mlflow", project["mlflow_url"]),
        ("created", project["created_at"]),
    ]


def _guaranteed(guarantees: dict[str, float]) -> str:
    return ", ".join(f"{number(machines)} of pool {pool}" for pool, machines in sorted(guarantees.items()))


def create(
    ctx: typer.Context,
    name: ProjectArgument,
    description: Annotated[str, typer.Option("--description", help="What it is for.")] = "",
    team: Annotated[str | None, typer.Option("--team", help="Team that owns it.")] = None,
    cpu: Cpu = None,
    memory_gib: MemoryGib = None,
    gpu: Gpu = None,
    jobs: Jobs = None,
    guarantee: Guarantee = None,
    json: Json = False,
    output: OutputForm = None,
) -> None:
    """Create a project.

    \b
    Examples:
      mlp project create vision --description 'Image models'
      mlp project create small --cpu 8 --gpu 1
    """
    app = open_app(ctx, json=json, output=output)
    body: dict[str, Any] = {"name": name, "description": description}
    if team is not None:
        body["team"] = team
    body["limits"] = _limits(cpu, memory_gib, gpu, jobs)
    if guarantee:
        body["guarantees"] = _guarantees(guarantee)
    call: Call[Any] = Call("POST", path("projects"), json=body)
    document: dict[str, Any] = app.session.send(call)
    app.out.document(document, _facts(document))
    if not app.out.is_data:
        app.out.note(f"Work in it: mlp use {document['name']}")


def _limits(cpu: float | None, memory_gib: float | None, gpu: float | None, jobs: int | None) -> dict[str, Any]:
    given = {"cpu": cpu, "memory_gib": memory_gib, "gpu": gpu, "jobs": jobs}
    return {name: value for name, value in given.items() if value is not None}


def _guarantees(given: list[str]) -> dict[str, float]:
    """`["a100=2"]` → `{"a100": 2.0}`."""
    found: dict[str, float] = {}
    for one in given:
        pool, _, machines = one.partition("=")
        try:
            found[pool] = float(machines)
        except ValueError:
            usage(f"'{one}' is not POOL=MACHINES.", "Such as: --guarantee a100=2")
    return found


def update(
    ctx: typer.Context,
    project: ProjectArgument,
    description: Annotated[str | None, typer.Option("--description", help="What it is for.")] = None,
    cpu: Cpu = None,
    memory_gib: MemoryGib = None,
    gpu: Gpu = None,
    jobs: Jobs = None,
    guarantee: Guarantee = None,
    json: Json = False,
    output: OutputForm = None,
) -> None:
    """Change a project's description, limits or guaranteed machines.

    \b
    Examples:
      mlp project update vision --gpu 4
      mlp project update vision --guarantee a100=2
    """
    app = open_app(ctx, json=json, output=output)
    limits = _limits(cpu, memory_gib, gpu, jobs)
    guarantees = _guarantees(guarantee or [])
    if description is None and not limits and not guarantees:
        usage("Nothing to change.", "Give --description, a limit or --guarantee.")
    before: dict[str, Any] = app.session.send(projects.get(project).raw())
    body: dict[str, Any] = {}
    if description is not None:
        body["description"] = description
    if limits:
        body["limits"] = before["limits"] | limits
    if guarantees:
        body["guarantees"] = (before.get("guarantees") or {}) | guarantees
    call: Call[Any] = Call("PATCH", path("projects", project), json=body, headers={"If-Match": before["etag"]})
    document: dict[str, Any] = app.session.send(call)
    app.out.document(document, _facts(document))


def delete(ctx: typer.Context, project: ProjectArgument, yes: Yes = False) -> None:
    """Delete a project.

    \b
    Examples:
      mlp project delete old-experiments
    """
    app = open_app(ctx)
    before: dict[str, Any] = app.session.send(projects.get(project).raw())
    app.confirm(f"Delete project {project} with all its jobs and logs?", yes=yes)
    app.session.send(projects.delete(project, before["etag"]))
    app.out.line(f"Deleted {project}.")
