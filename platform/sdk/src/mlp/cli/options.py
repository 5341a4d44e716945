"""Options that many commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from mlp.cli.output import Format

PAGE = 100

Project = Annotated[
    str | None,
    typer.Option("--project", "-p", metavar="PROJECT", help="Project to work in, instead of the chosen one."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the wire documents as JSON.")]
OutputForm = Annotated[Format | None, typer.Option("--output", "-o", help="How to print.", show_choices=True)]
All = Annotated[bool, typer.Option("--all", help="Show every row, however many.")]
Limit = Annotated[int, typer.Option("--limit", min=1, max=100_000, help="Show at most so many rows.")]
JobArgument = Annotated[str, typer.Argument(metavar="JOB", help="Id of the job, or its name.")]
Attempt = Annotated[int | None, typer.Option("--attempt", min=1, help="Number of the attempt.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")]
