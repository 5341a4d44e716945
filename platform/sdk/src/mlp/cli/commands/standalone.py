"""`mlp up`, `mlp down` and `mlp status` where the package that brings them is not installed."""

from __future__ import annotations

import typer

from mlp import errors


def missing(ctx: typer.Context) -> None:
    """Belongs to the standalone platform."""
    raise errors.LocalError(
        f"`mlp {ctx.info_name}` belongs to the package mlplatform-standalone, which is not installed here.",
        hint="Install it beside this client, or sign in to a platform that runs elsewhere: mlp login URL",
    )
