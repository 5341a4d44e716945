"""`mlp package`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from mlp.cli.app import open_app
from mlp.cli.options import PAGE, All, Json, Limit, OutputForm, Project, Yes
from mlp.cli.output import first_page_limit
from mlp.cli.sending import Folder, ProgressLine, packed, tell_sent
from mlp.cli.table import Column
from mlp.cli.text import memory
from mlp.client import flows
from mlp.client.calls import packages

DigestArgument = Annotated[str, typer.Argument(metavar="DIGEST", help="sha256:... of the package.")]


def list_packages(
    ctx: typer.Context,
    project: Project = None,
    limit: Limit = PAGE,
    all_: All = False,
    json: Json = False,
    output: OutputForm = None,
) -> None:
    """List packages.

    \b
    Examples:
      mlp package list
    """
    app = open_app(ctx, project=project, json=json, output=output)
    wanted = None if all_ else limit
    call = packages.list_packages(app.project, limit=first_page_limit(wanted, everything=app.out.is_data or all_))
    columns = [
        Column("DIGEST", lambda row: row["digest"]),
        Column("NAME", lambda row: row.get("name") or "", elastic=True),
        Column("SIZE", lambda row: memory(row["size"]), right=True),
        Column("FILES", lambda row: str(row.get("files") or ""), right=True),
        Column("JOBS", lambda row: str(row["used_by_jobs"]), right=True),
        Column("USER", lambda row: row["created_by"], wide=True),
        Column("CREATED", lambda row: row["created_at"], wide=True),
    ]
    app.out.rows(app.session.raw_pages(call), columns, noun="package", limit=wanted)


def show(
    ctx: typer.Context,
    digest: DigestArgument,
    project: Project = None,
    json: Json = False,
    output: OutputForm = None,
) -> None:
    """Show a package and the files in it.

    \b
    Examples:
      mlp package show sha256:4bf5...
    """
    app = open_app(ctx, project=project, json=json, output=output)
    document: dict[str, Any] = app.session.send(packages.get(app.project, digest).raw())
    app.out.document(
        document,
        [
            ("digest", document["digest"]),
            ("name", document.get("name")),
            ("size", memory(document["size"])),
            ("files", str(document.get("files"))),
            ("used by", f"{document['used_by_jobs']} jobs"),
            ("created", f"{document['created_at']} by {document['created_by']}"),
        ],
    )
    if app.out.is_data:
        return
    columns = [
        Column("MODE", lambda row: f"{row['mode'] & 0o777:o}"),
        Column("SIZE", lambda row: str(row["size"]), right=True),
        Column("PATH", lambda row: row["path"]),
    ]
    app.out.line()
    app.out.table(columns, document["contents"])
    if document["truncated"]:
        app.out.note("Only the first files are listed; --json names the package's own list.")


def push(
    ctx: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="Folder to send.")] = Path(),
    follow_outside_links: Annotated[
        bool, typer.Option("--follow-outside-links", help="Send what links outside the folder point to.")
    ] = False,
    project: Project = None,
) -> None:
    """Pack a folder and send it.

    Prints the digest. What the platform has already is not sent again; an upload that broke off goes on.

    \b
    Examples:
      mlp package push
      mlp package push src
    """
    app = open_app(ctx, project=project)
    progress = ProgressLine()
    name = app.project
    with packed(app, Folder(folder, chosen=True, follow_outside_links=follow_outside_links), progress) as archive:
        if archive is None:
            return
        try:
            digest = app.session.run(flows.upload(name, archive, lambda sent: tell_sent(progress, sent)))
        finally:
            progress.clear()
    app.out.line(digest)


def delete(ctx: typer.Context, digest: DigestArgument, project: Project = None, yes: Yes = False) -> None:
    """Delete a package that no job names.

    \b
    Examples:
      mlp package delete sha256:4bf5...
    """
    app = open_app(ctx, project=project)
    app.confirm(f"Delete package {digest} of project {app.project}?", yes=yes)
    app.session.send(packages.delete(app.project, digest))
    app.out.line(f"Deleted {digest}.")
