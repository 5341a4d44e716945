"""`mlp user`."""

from __future__ import annotations

import sys
from getpass import getpass
from typing import Annotated, Any

import typer

from mlp.cli.app import open_app, usage
from mlp.cli.options import PAGE, All, Json, Limit, OutputForm
from mlp.cli.output import first_page_limit
from mlp.cli.table import Column
from mlp.client.calls import account


def list_users(
    ctx: typer.Context, limit: Limit = PAGE, all_: All = False, json: Json = False, output: OutputForm = None
) -> None:
    """List users.

    \b
    Examples:
      mlp user list
    """
    app = open_app(ctx, json=json, output=output)
    wanted = None if all_ else limit
    call = account.list_users(limit=first_page_limit(wanted, everything=app.out.is_data or all_))
    columns = [
        Column("USER", lambda row: row["username"]),
        Column("NAME", lambda row: row["display_name"], elastic=True),
        Column("ADMIN", lambda row: "yes" if row["is_admin"] else ""),
        Column("ACTIVE", lambda row: "yes" if row["active"] else "no"),
        Column("ID", lambda row: row["id"], wide=True),
        Column("CREATED", lambda row: row["created_at"], wide=True),
    ]
    app.out.rows(app.session.raw_pages(call), columns, noun="user", limit=wanted)


def create(
    ctx: typer.Context,
    username: Annotated[str, typer.Argument(metavar="USER", help="Name to sign in with.")],
    display_name: Annotated[str, typer.Option("--display-name", help="Name for people.")] = "",
    admin: Annotated[bool, typer.Option("--admin", help="Make them a platform admin.")] = False,
    password_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="Read the password from standard input.")
    ] = False,
    json: Json = False,
    output: OutputForm = None,
) -> None:
    """Create a user.

    The password has at least 12 characters and is asked for, never given as an argument.

    \b
    Examples:
      mlp user create ada --display-name 'Ada L.'
      echo "$PASSWORD" | mlp user create ada --password-stdin
    """
    app = open_app(ctx, json=json, output=output)
    if password_stdin:
        password = sys.stdin.readline().rstrip("\n")
    elif sys.stdin.isatty():
        password = getpass("Password: ")
        if getpass("Again: ") != password:
            usage("The passwords differ.", "Type the same one twice.")
    else:
        usage("Nobody is there to type a password.", "Pass it with --password-stdin.")
    document: dict[str, Any] = app.session.send(
        account.create_user(username=username, password=password, display_name=display_name, is_admin=admin).raw()
    )
    app.out.document(
        document,
        [
            ("user", document["username"]),
            ("id", document["id"]),
            ("name", document["display_name"]),
            ("admin", "yes" if document["is_admin"] else "no"),
        ],
    )
