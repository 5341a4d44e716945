"""`mlp member`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from mlp.cli.app import open_app
from mlp.cli.options import PAGE, All, Json, Limit, OutputForm, Project
from mlp.cli.output import first_page_limit
from mlp.cli.table import Column
from mlp.cli.text import one_line
from mlp.client.calls import projects

UserArgument = Annotated[str, typer.Argument(metavar="USER", help="Username or id.")]


def list_members(
    ctx: typer.Context,
    project: Project = None,
    limit: Limit = PAGE,
    all_: All = False,
    json: Json = False,
    output: OutputForm = None,
) -> None:
    """List the members of a project.

    \b
    Examples:
      mlp member list -p vision
    """
    app = open_app(ctx, project=project, json=json, output=output)
    wanted = None if all_ else limit
    call = projects.list_members(app.project, limit=first_page_limit(wanted, everything=app.out.is_data or all_))
    columns = [
        Column("USER", lambda row: row["username"]),
        Column("NAME", lambda row: row["display_name"], elastic=True),
        Column("ROLE", lambda row: row["role"]),
        Column("SINCE", lambda row: row["since"], wide=True),
        Column("ID", lambda row: row["user_id"], wide=True),
    ]
    app.out.rows(app.session.raw_pages(call), columns, noun="member", limit=wanted)


def add(
    ctx: typer.Context,
    user: UserArgument,
    role: Annotated[str, typer.Option("--role", help="viewer, editor or owner.")] = "editor",
    project: Project = None,
    json: Json = False,
    output: OutputForm = None,
) -> None:
    """Add a member, or change their role.

    \b
    Examples:
      mlp member add ada --role owner -p vision
    """
    app = open_app(ctx, project=project, json=json, output=output)
    document: dict[str, Any] = app.session.send(projects.put_member(app.project, user, role).raw())
    if app.out.is_data:
        app.out.data(document)
        return
    app.out.line(f"{one_line(document['username'])} is {document['role']} of {app.project}.")


def remove(ctx: typer.Context, user: UserArgument, project: Project = None) -> None:
    """Remove a member.

    \b
    Examples:
      mlp member remove ada -p vision
    """
    app = open_app(ctx, project=project)
    app.session.send(projects.remove_member(app.project, user))
    app.out.line(f"{one_line(user)} is no member of {app.project} any more.")
