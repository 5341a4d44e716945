"""`mlp job submit`."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mlp.cli.app import App, open_app, usage
from mlp.cli.flags import JobFlags, takes_job_flags
from mlp.cli.follow import follow as follow_job
from mlp.cli.job_fields import fields_of
from mlp.cli.options import Json, OutputForm, Project
from mlp.cli.output import Format
from mlp.cli.problems import DONE
from mlp.cli.sending import Folder, ProgressLine, packed, tell_sent
from mlp.cli.text import one_line
from mlp.client import flows
from mlp.client.call import wire
from mlp.client.calls import jobs

if TYPE_CHECKING:
    from mlp.schemas.jobs import JobCreate


@takes_job_flags
def submit(
    ctx: typer.Context,
    flags: JobFlags,
    command: Annotated[
        list[str] | None, typer.Argument(metavar="ARGV", help="The program and its arguments, exactly.")
    ] = None,
    shell: Annotated[
        str | None,
        typer.Option("--shell", metavar="LINE", help="A bash line instead; the first failing command ends it."),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--file", "-f", metavar="FILE", help="Job file; mlp.yaml if no command is given.")
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", help="Stay until the job has ended.")] = False,
    detach: Annotated[bool, typer.Option("--detach", "--no-wait", help="Submit only; this is the default.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would run, its price, and where it fits.")
    ] = False,
    project: Project = None,
    json: Json = False,
    output: OutputForm = None,
) -> int:
    """Submit a job.

    Prints the job's id. Flags are laid over the job file. After -- the arguments reach the program byte for byte; a
    --shell line runs in bash with errexit and pipefail: the first command that fails ends it, also before a pipe.
    Begin with `set +e` to have the last command decide.

    \b
    Examples:
      mlp job submit -- python train.py --epochs 5
      mlp job submit --shell 'python train.py 2>&1 | tee run.log' --gpu 1
      mlp job submit -f mlp.yaml --env SEED=1 --follow
      mlp job submit --dry-run -- python train.py
    """
    app = open_app(ctx, project=project, json=json, output=output)
    if detach and follow:
        usage("--follow and --detach are opposites.", "Leave one out.")
    request = read_request(flags, command or [], shell, file)
    if dry_run:
        return show_dry_run(app, request)
    job = send(app, request)
    if app.out.is_data:
        app.out.data(job)
    else:
        app.out.line(job["id"])
    if follow:
        return follow_job(app, job["id"])
    if not app.out.is_data:
        app.out.note(f"{one_line(job['name'])} is {job['phase']}: {one_line(job['message'])}")
        app.out.note(f"  {job['url']}\n  Follow it: mlp logs {job['id']} -f")
    return DONE


@dataclass(frozen=True, slots=True)
class Request:
    """A job that is about to be submitted."""

    create: JobCreate
    folder: Folder | None
    idempotency_key: str | None


def read_request(flags: JobFlags, command: list[str], shell: str | None, file: Path | None) -> Request:
    """Put the file, the command and the flags together.

    Raises:
        UsageProblem: no command, or two.
        Invalid, JobFileError: a field is not right.
    """
    from mlp.client.submission import job_create
    from mlp.jobfile import FILE_NAME, read

    entrypoint = _entrypoint(command, shell)
    if file is None and entrypoint is None:
        if not Path(FILE_NAME).is_file():
            usage(
                "There is nothing to run: no command after --, no --shell line, and no mlp.yaml here.",
                "Type: mlp job submit -- python train.py",
            )
        file = Path(FILE_NAME)
    if file is None:
        fields = fields_of(flags, {}) | {"entrypoint": entrypoint}
        return Request(job_create(fields), _folder(flags, Path(), chosen=False), flags.idempotency_key)
    job_file = read(file)
    changes = fields_of(flags, job_file.fields)
    if entrypoint is not None:
        changes["entrypoint"] = entrypoint
    create = job_file.job_create(changes)
    chosen = job_file.package is not None and (("package",) in job_file.lines)
    return Request(create, _folder(flags, job_file.package, chosen=chosen), flags.idempotency_key)


def _entrypoint(command: list[str], shell: str | None) -> str | list[str] | None:
    if shell is not None and command:
        usage("Both a --shell line and a command after -- were given.", "Leave one out.")
    if len(command) == 1 and " " in command[0].strip():
        word = command[0]
        usage(
            f"'{one_line(word)}' is one word with spaces, so no program of that name exists.",
            f"Run it as a shell line: mlp job submit --shell {shlex.quote(word)}",
        )
    return shell if shell is not None else (command or None)


def _folder(flags: JobFlags, default: Path | None, *, chosen: bool) -> Folder | None:
    if flags.no_package:
        if flags.package is not None:
            usage("--package and --no-package are opposites.", "Leave one out.")
        return None
    if flags.package is not None:
        return Folder(flags.package, chosen=True, follow_outside_links=flags.follow_outside_links)
    if default is None:
        return None
    return Folder(default, chosen=chosen, follow_outside_links=flags.follow_outside_links)


def send(app: App, request: Request) -> dict[str, Any]:
    """Pack, upload, create; the job as the platform answered."""
    project = app.project
    app.session  # noqa: B018 - a missing sign-in is told before minutes of packing
    progress = ProgressLine()
    spec: dict[str, Any] = wire(request.create)
    with packed(app, request.folder, progress) as archive:
        try:
            return app.session.run(
                flows.submit(
                    project,
                    spec,
                    archive,
                    idempotency_key=request.idempotency_key,
                    tell=lambda sent: tell_sent(progress, sent),
                )
            )
        finally:
            progress.clear()


def show_dry_run(app: App, request: Request) -> int:
    """What submitting would do. Nothing is packed or sent but the question."""
    answer: dict[str, Any] = app.session.send(jobs.dry_run(app.project, wire(request.create)).raw())
    if app.out.is_data:
        app.out.data(answer)
        return DONE
    out = app.out
    entrypoint: str | list[str] = answer["spec"]["entrypoint"]
    kind = "shell line (bash, errexit, pipefail)" if isinstance(entrypoint, str) else "argv"
    out.line(f"Would run, as {kind}:")
    for line in str(answer["command"]).split("\n"):
        out.line(f"  {one_line(line)}")
    if isinstance(entrypoint, list):
        out.line("  " + " ".join(f"[{index}]={one_line(repr(word))}" for index, word in enumerate(entrypoint)))
    out.line(f"Fits: {one_line(answer['message'])}")
    for place in answer["placements"]:
        out.line(f"  {place['group']}: {place['nodes']} x pool {place['pool']}, {place['price_per_hour']:g} per hour")
    out.line(f"Price: {answer['price_per_hour']:g} per hour")
    if request.folder is not None:
        out.line(f"Package: {os.path.abspath(request.folder.path)}")
    out.line("Spec:")
    spec_out = type(out)(Format.YAML)
    spec_out.data(answer["spec"])
    return DONE
