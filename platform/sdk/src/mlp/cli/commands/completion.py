"""`mlp completion`."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Annotated

import typer
from typer.main import get_command

_VARIABLE = "_MLP_COMPLETE"


class Shell(StrEnum):
    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion(ctx: typer.Context, shell: Annotated[Shell, typer.Argument(help="Your shell.")]) -> None:
    """Print the completion script for a shell.

    \b
    Examples:
      source <(mlp completion bash)
      mlp completion zsh > ~/.zfunc/_mlp
      mlp completion fish > ~/.config/fish/completions/mlp.fish
    """
    from mlp.cli.main import build_app

    os.environ[_VARIABLE] = f"source_{shell.value}"
    get_command(build_app(completing=True)).main([], prog_name="mlp")
