"""`mlp run`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from mlp.cli.app import open_app, usage
from mlp.cli.commands.submit import read_request, send, show_dry_run
from mlp.cli.flags import JobFlags, takes_job_flags
from mlp.cli.follow import follow
from mlp.cli.options import Project
from mlp.cli.problems import DONE
from mlp.cli.text import one_line

_RUNNERS = {".py": "python", ".sh": "bash", ".bash": "bash"}
_JOB_FILES = frozenset({".yaml", ".yml"})


@takes_job_flags
def run(
    ctx: typer.Context,
    flags: JobFlags,
    script: Annotated[str, typer.Argument(metavar="SCRIPT", help="A .py or .sh file, or a job file.")],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="ARGS", help="Arguments of the script; options after --.")
    ] = None,
    detach: Annotated[bool, typer.Option("--detach", "--no-wait", help="Submit only, do not follow.")] = False,
    timestamps: Annotated[bool, typer.Option("--timestamps", help="Put the time before each line.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would run, its price, and where it fits.")
    ] = False,
    project: Project = None,
) -> int:
    """Run a script as a job and follow it.

    The present folder travels with it. Ctrl-C stops following, not the job.

    \b
    Examples:
      mlp run train.py
      mlp run train.py --gpu 1 --memory 16Gi
      mlp run train.py -- --epochs 5
      mlp run mlp.yaml
    """
    app = open_app(ctx, project=project)
    path = Path(script)
    if not path.is_file():
        usage(f"There is no file '{one_line(script)}' here.", "For a command: mlp job submit --follow -- COMMAND")
    if path.suffix in _JOB_FILES:
        request = read_request(flags, arguments or [], None, path)
    else:
        request = read_request(flags, [*_program(path), *(arguments or [])], None, None)
    if dry_run:
        return show_dry_run(app, request)
    job = send(app, request)
    app.out.note(f"Job {job['id']} ({one_line(job['name'])})\n  {job['url']}")
    if detach:
        app.out.line(job["id"])
        return DONE
    return follow(app, job["id"], timestamps=timestamps)


def _program(path: Path) -> list[str]:
    """How a file is run: by its suffix, else by itself."""
    runner = _RUNNERS.get(path.suffix)
    if runner is not None:
        return [runner, path.as_posix()]
    if not os.access(path, os.X_OK):
        usage(
            f"'{path}' is neither a .py nor a .sh file, nor can it be executed.",
            f"Say how to run it: mlp job submit --follow -- PROGRAM {path}",
        )
    return [f"./{path.as_posix()}" if not path.is_absolute() else path.as_posix()]
