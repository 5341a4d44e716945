"""`mlp password`."""

from __future__ import annotations

import sys
from getpass import getpass
from typing import Annotated

import typer

from mlp.cli.app import open_app, usage
from mlp.client.calls import account


def password(
    ctx: typer.Context,
    stdin: Annotated[
        bool, typer.Option("--stdin", help="Read the old and the new password from standard input, a line each.")
    ] = False,
) -> None:
    """Change your password.

    It has at least 12 characters and is asked for, never given as an argument. Your sign-ins on other machines end;
    tokens that you made with `mlp token create` stay.

    \b
    Examples:
      mlp password
      printf '%s\\n' "$OLD" "$NEW" | mlp password --stdin
    """
    app = open_app(ctx)
    if stdin:
        old, new = (sys.stdin.readline().rstrip("\n") for _ in range(2))
    elif sys.stdin.isatty():
        old, new = getpass("Old password: "), getpass("New password: ")
        if getpass("Again: ") != new:
            usage("The new passwords differ.", "Type the same one twice.")
    else:
        usage("Nobody is there to type a password.", "Pass both with --stdin.")
    app.session.send(account.change_password(old, new))
    app.out.line("Changed the password.")
