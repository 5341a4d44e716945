"""`mlp version`."""

from __future__ import annotations

import platform
from typing import Annotated, Any

import typer

from mlp.cli.app import open_app
from mlp.cli.options import Json, OutputForm
from mlp.client.calls import account
from mlp.version import __version__


def version(
    ctx: typer.Context,
    server: Annotated[bool, typer.Option("--server", help="Ask the platform for its version too.")] = False,
    json: Json = False,
    output: OutputForm = None,
) -> None:
    """Print the version of the client, and of the platform.

    \b
    Examples:
      mlp version
      mlp version --server
    """
    app = open_app(ctx, json=json, output=output)
    document: dict[str, Any] = {"client": __version__, "python": platform.python_version()}
    if server:
        me: dict[str, Any] = app.session.send(account.me().raw())
        document["platform"] = me["server_version"]
    app.out.document(document, [(name, str(value)) for name, value in document.items()])
