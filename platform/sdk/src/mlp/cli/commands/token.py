"""`mlp token`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from mlp.cli.app import open_app
from mlp.cli.options import PAGE, All, Json, Limit, OutputForm
from mlp.cli.output import first_page_limit
from mlp.cli.table import Column
from mlp.client.call import Call, path
from mlp.client.calls import account


def list_tokens(
    ctx: typer.Context, limit: Limit = PAGE, all_: All = False, json: Json = False, output: OutputForm = None
) -> None:
    """List your tokens.

    \b
    Examples:
      mlp token list
    """
    app = open_app(ctx, json=json, output=output)
    wanted = None if all_ else limit
    call = account.list_tokens(limit=first_page_limit(wanted, everything=app.out.is_data or all_))
    columns = [
        Column("ID", lambda row: row["id"]),
        Column("NAME", lambda row: row["name"], elastic=True),
        Column("PREFIX", lambda row: row["prefix"]),
        Column("PROJECT", lambda row: row.get("project") or ""),
        Column("EXPIRES", lambda row: row["expires_at"]),
        Column("LAST USED", lambda row: row.get("last_used_at") or "never", wide=True),
        Column("CREATED", lambda row: row["created_at"], wide=True),
    ]
    app.out.rows(app.session.raw_pages(call), columns, noun="token", limit=wanted)


def create(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is for.")],
    expires_in: Annotated[
        str | None, typer.Option("--expires-in", metavar="DURATION", help="Such as 12h; 90 days if absent.")
    ] = None,
    only_project: Annotated[str | None, typer.Option("--only-project", help="Limit it to one project.")] = None,
    json: Json = False,
    output: OutputForm = None,
) -> None:
    """Create a token; it is shown once.

    The token alone goes to standard output, so that it can be stored by a pipe.

    \b
    Examples:
      mlp token create ci --expires-in 720h
      mlp token create ci --only-project vision > token-file
    """
    app = open_app(ctx, json=json, output=output)
    body: dict[str, Any] = {"name": name}
    if expires_in is not None:
        body["expires_in"] = expires_in
    if only_project is not None:
        body["project"] = only_project
    call: Call[Any] = Call("POST", path("tokens"), json=body)
    document: dict[str, Any] = app.session.send(call)
    if app.out.is_data:
        app.out.data(document)
        return
    app.out.line(document["token"])
    app.out.note(f"{document['id']}, until {document['expires_at']}. It is not shown again.")


def revoke(
    ctx: typer.Context,
    token: Annotated[list[str], typer.Argument(metavar="TOKEN...", help="Ids; see mlp token list.")],
) -> None:
    """Revoke a token.

    \b
    Examples:
      mlp token revoke tok_01J...
    """
    app = open_app(ctx)
    for one in token:
        app.session.send(account.revoke_token(one))
        app.out.line(f"Revoked {one}.")
