"""Where the `mlp` command begins and every run of it ends."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.main import get_command

from mlp import errors
from mlp.cli import problems
from mlp.cli.app import Globals
from mlp.cli.lazy import SETTINGS, group_class
from mlp.cli.registry import SECTIONS
from mlp.cli.streams import prepare, silence_stdout
from mlp.cli.values import lighten

_COMPLETE = "_MLP_COMPLETE"
_EPILOG = """\b
Examples:
  mlp login https://mlp.example.com
  mlp run train.py --gpu 1
  mlp job list --phase running
  mlp logs JOB -f

\b
Exit codes: 0 done, 1 the job failed, 2 usage, 3 not signed in or not allowed, 4 not found, 5 conflict,
6 platform unreachable, 70 a fault of mlp itself, 130 interrupted.
"""


def root(
    ctx: typer.Context,
    url: Annotated[str | None, typer.Option("--url", metavar="URL", help="The platform (MLP_URL).")] = None,
    ca_file: Annotated[
        str | None,
        typer.Option("--ca-file", metavar="FILE", help="PEM file of the authority to trust (MLP_CA_FILE)."),
    ] = None,
    profile: Annotated[
        str | None, typer.Option("--profile", metavar="NAME", help="Saved profile to use (MLP_PROFILE).")
    ] = None,
    project: Annotated[
        str | None, typer.Option("--project", "-p", metavar="PROJECT", help="Project (MLP_PROJECT).")
    ] = None,
) -> None:
    """Train, tune and serve on shared machines."""
    ctx.obj = Globals(url, ca_file, profile, project)


def build_app(*, completing: bool = False) -> typer.Typer:
    """The whole command, with nothing of it loaded yet."""
    made = typer.Typer(
        cls=group_class(SECTIONS, extensible=True),
        name="mlp",
        rich_markup_mode=None,
        add_completion=completing,
        no_args_is_help=True,
        context_settings=SETTINGS,
        epilog=_EPILOG,
    )
    made.callback()(root)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. No traceback ever reaches the user, unless MLP_DEBUG asks for it."""
    prepare()
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(given)
    except typer.Exit as done:
        return done.exit_code
    except BrokenPipeError:
        silence_stdout()
        return problems.DONE  # the reader has what it wanted
    except (KeyboardInterrupt, typer.Abort):
        sys.stderr.write("\nInterrupted.\n")
        return problems.INTERRUPTED
    except typer.TyperException as error:
        _show_usage(error)
        return problems.USAGE
    except errors.Error as error:
        _flush()
        sys.stderr.write("\n".join(problems.lines(error)) + "\n")
        return problems.exit_code(error)
    except Exception as error:  # noqa: BLE001 - the outermost edge: a sentence instead of a traceback
        return _unexpected(error)


def _run(arguments: list[str]) -> int:
    if _COMPLETE in os.environ:
        get_command(build_app(completing=True)).main(arguments, prog_name="mlp")
    command: Any = lighten(get_command(build_app()))
    with command.make_context("mlp", arguments) as ctx:
        result = command.invoke(ctx)
    sys.stdout.flush()
    return result if isinstance(result, int) else problems.DONE


def _flush() -> None:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        silence_stdout()


def _show_usage(error: Any) -> None:
    _flush()
    error.show(sys.stderr)


def _unexpected(error: Exception) -> int:
    if os.environ.get("MLP_DEBUG"):
        traceback.print_exc()
    else:
        sys.stderr.write(
            f"Error: something is wrong in mlp itself: {type(error).__name__}: {error}\n"
            "  Set MLP_DEBUG=1 and repeat the command to see where, and report it.\n"
        )
    return problems.FAULT
