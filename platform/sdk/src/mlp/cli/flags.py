"""The flags that describe a job, shared by `mlp run` and `mlp job submit`."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer


@dataclass(frozen=True, slots=True)
class JobFlags:
    """One field of a job each; what is not given stays as the file or the platform has it."""

    name: Annotated[str | None, typer.Option("--name", help="A name for people.")] = None
    kind: Annotated[str | None, typer.Option("--kind", help="script or train.")] = None
    gpus: Annotated[
        float | None,
        typer.Option("--gpu", "--gpus", "--worker-gpus", help="GPUs of each worker; makes a worker group."),
    ] = None
    cpus: Annotated[
        str | None,
        typer.Option("--cpus", "--cpu", help="Cores of each worker, or of the head where there is no worker."),
    ] = None
    memory: Annotated[str | None, typer.Option("--memory", help="Memory of the same, such as 16Gi.")] = None
    workers: Annotated[
        str | None, typer.Option("--workers", metavar="N|MIN..MAX", help="Number of workers, or a range.")
    ] = None
    pool: Annotated[str | None, typer.Option("--pool", help="Pool of the workers, or of the head.")] = None
    head_cpus: Annotated[str | None, typer.Option("--head-cpus", help="Cores of the head.")] = None
    head_memory: Annotated[str | None, typer.Option("--head-memory", help="Memory of the head.")] = None
    env: Annotated[
        list[str] | None,
        typer.Option("--env", "-e", metavar="K=V", help="Environment variable; K alone takes yours."),
    ] = None
    env_file: Annotated[list[Path] | None, typer.Option("--env-file", metavar="FILE", help="File of K=V lines.")] = None
    requirement: Annotated[
        list[str] | None,
        typer.Option("--requirement", "-r", metavar="REQ|FILE", help="What pip would install, or a file of it."),
    ] = None
    environment: Annotated[str | None, typer.Option("--environment", help="Named environment of the project.")] = None
    python: Annotated[str | None, typer.Option("--python", help="Python version, such as 3.11.")] = None
    timeout: Annotated[
        str | None, typer.Option("--timeout", metavar="DURATION", help="Running time of one attempt, at most.")
    ] = None
    deadline: Annotated[
        str | None, typer.Option("--deadline", metavar="INSTANT", help="End of the whole job (RFC 3339).")
    ] = None
    grace: Annotated[str | None, typer.Option("--grace", metavar="DURATION", help="From SIGTERM to SIGKILL.")] = None
    retries: Annotated[int | None, typer.Option("--retries", min=0, help="More attempts after a failure.")] = None
    retry_on: Annotated[
        list[str] | None,
        typer.Option("--retry-on", metavar="CLASS", help="Failure class to retry: oom, node_lost, infra ..."),
    ] = None
    memory_factor: Annotated[
        float | None, typer.Option("--memory-factor", help="Memory of the attempt after oom, times this.")
    ] = None
    priority: Annotated[str | None, typer.Option("--priority", help="low, normal or high.")] = None
    cluster: Annotated[str | None, typer.Option("--cluster", help="Run on this cluster.")] = None
    experiment: Annotated[str | None, typer.Option("--experiment", help="MLflow experiment of the runs.")] = None
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="K=V", help="Tag of the MLflow runs.")] = None
    register: Annotated[
        str | None, typer.Option("--register", metavar="MODEL", help="Register the model under this name.")
    ] = None
    package: Annotated[
        Path | None, typer.Option("--package", metavar="DIR", help="Folder that travels; the present one if absent.")
    ] = None
    no_package: Annotated[bool, typer.Option("--no-package", help="Send no folder.")] = False
    follow_outside_links: Annotated[
        bool, typer.Option("--follow-outside-links", help="Send what links outside the folder point to.")
    ] = False
    idempotency_key: Annotated[
        str | None, typer.Option("--idempotency-key", metavar="KEY", help="The same key makes one job only.")
    ] = None


def takes_job_flags(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of `JobFlags` in place of its parameter `flags`."""
    hints = get_type_hints(JobFlags, include_extras=True)
    fields = dataclasses.fields(JobFlags)
    names = {field.name for field in fields}

    @wraps(function)
    def command(**given: Any) -> Any:
        flags = JobFlags(**{name: given.pop(name) for name in names})
        return function(flags=flags, **given)

    own = get_type_hints(function, include_extras=True)
    kept = [
        parameter.replace(annotation=own[name], kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in inspect.signature(function).parameters.items()
        if name != "flags"
    ]
    added = [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
        )
        for field in fields
    ]
    command.__signature__ = inspect.Signature([*kept, *added])  # pyright: ignore[reportAttributeAccessIssue]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in [*kept, *added]}
    del command.__wrapped__  # or the signature would be looked up behind this one
    return command
