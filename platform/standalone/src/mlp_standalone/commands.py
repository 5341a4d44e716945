"""`mlp up`, `mlp down`, `mlp status`, added to the command line through the entry point group `mlp.commands`.

Importing this module must stay cheap: `mlp --help` does it. What the commands need is imported when they run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DataOption = Annotated[
    Path | None,
    typer.Option("--data", help="Data folder. Default: MLP_DATA, else your user data folder.", show_default=False),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")]
KeepOption = Annotated[
    bool, typer.Option("--keep-clusters", help="Leave running Ray clusters alone; the next `mlp up` adopts them.")
]


def register(app: typer.Typer) -> None:
    """Add the commands to `mlp`."""
    app.command("up", help="Start the whole platform on this machine.")(up)
    app.command("down", help="Stop the platform on this machine.")(down)
    app.command("status", help="Show the platform's processes on this machine.")(status)


def up(
    *,
    detach: Annotated[bool, typer.Option("--detach", "-d", help="Return when it is ready; it keeps running.")] = False,
    keep_clusters: KeepOption = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Start PostgreSQL, Valkey, MLflow, api, operator and worker, and sign this command line in.

    Stays until Ctrl-C, which drains and stops it, unless `--detach` is given.
    """
    from mlp_standalone.cli import run_up

    raise typer.Exit(run_up(data, detach=detach, keep_clusters=keep_clusters, as_json=json))


def down(
    *,
    purge: Annotated[bool, typer.Option("--purge", help="Also delete all data of this platform.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before deleting.")] = False,
    keep_clusters: KeepOption = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Let the services drain, stop them, and end the Ray clusters on this machine."""
    from mlp_standalone.cli import run_down

    raise typer.Exit(run_down(data, purge=purge, yes=yes, keep_clusters=keep_clusters, as_json=json))


def status(*, data: DataOption = None, json: JsonOption = False) -> None:
    """List each process with its state, restarts, memory and port.

    Exit status: 0 all healthy, 1 something is not, 6 not running.
    """
    from mlp_standalone.cli import run_status

    raise typer.Exit(run_status(data, as_json=json))
