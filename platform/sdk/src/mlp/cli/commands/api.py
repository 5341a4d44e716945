"""`mlp api`."""

from __future__ import annotations

import json as json_module
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from mlp.cli.app import open_app, usage
from mlp.cli.output import Format
from mlp.client.call import API, Call

_METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE"})


def api(
    ctx: typer.Context,
    method: Annotated[str, typer.Argument(metavar="METHOD", help="GET, POST, PUT, PATCH or DELETE.")],
    path: Annotated[str, typer.Argument(metavar="PATH", help="Below /api/v1, or whole.")],
    data: Annotated[
        str | None, typer.Option("--data", "-d", metavar="JSON|@FILE|-", help="Body of the request.")
    ] = None,
    query: Annotated[list[str] | None, typer.Option("--query", "-q", metavar="K=V", help="Query parameter.")] = None,
    header: Annotated[list[str] | None, typer.Option("--header", "-H", metavar="K: V", help="Header.")] = None,
) -> None:
    """Call the REST API directly.

    Prints the JSON of the answer.

    \b
    Examples:
      mlp api GET /me
      mlp api GET /projects/vision/jobs -q phase=running -q limit=5
      mlp api POST /projects -d '{"name": "vision"}'
    """
    app = open_app(ctx, output=Format.JSON)
    if method.upper() not in _METHODS:
        usage(f"'{method}' is no method.", f"Use one of {', '.join(sorted(_METHODS))}.")
    target = path if path.startswith("/api/") else f"{API}/{path.lstrip('/')}"
    call: Call[Any] = Call(
        method.upper(),
        target,
        params=[_pair(item, "=", "--query") for item in query or ()],
        json=_body(data),
        headers=dict(_pair(item, ":", "--header") for item in header or ()),
    )
    answer = app.session.send(call)
    if isinstance(answer, bytes):
        sys.stdout.flush()
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()
    elif answer is not None:
        app.out.data(answer)


def _pair(item: str, separator: str, option: str) -> tuple[str, str]:
    name, found, value = item.partition(separator)
    if not found:
        usage(f"{option} {item}: no '{separator}'.", f"Write {option} 'NAME{separator}VALUE'.")
    return name.strip(), value.strip() if separator == ":" else value


def _body(data: str | None) -> Any:
    if data is None:
        return None
    try:
        return json_module.loads(_text(data))
    except OSError as error:
        usage(f"--data {data}: {error.strerror}.", "Name a file that is there.")
    except ValueError as error:
        usage(f"--data is not JSON: {error}.", 'Quote it for the shell: -d \'{"name": "vision"}\'')


def _text(data: str) -> str:
    if data == "-":
        return sys.stdin.read()
    return Path(data[1:]).read_text("utf-8") if data.startswith("@") else data
