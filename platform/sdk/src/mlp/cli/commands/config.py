"""`mlp config`."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import Annotated, Any

import typer

from mlp import config, errors
from mlp.cli.app import open_app
from mlp.cli.options import Json, OutputForm
from mlp.cli.table import Column

_VARIABLES = ("MLP_URL", "MLP_TOKEN", "MLP_PROJECT", "MLP_CA_FILE", "MLP_PROFILE", "MLP_CONFIG", "SSL_CERT_FILE")


def list_(ctx: typer.Context, json: Json = False, output: OutputForm = None) -> None:
    """List the saved profiles.

    \b
    Examples:
      mlp config list
    """
    app = open_app(ctx, json=json, output=output)
    current = config.load_config().current
    rows = [
        asdict(profile) | {"token": profile.token is not None, "current": profile.name == current}
        for profile in config.list_profiles()
    ]
    columns = [
        Column("", lambda row: "*" if row["current"] else ""),
        Column("PROFILE", lambda row: row["name"]),
        Column("URL", lambda row: row["url"]),
        Column("PROJECT", lambda row: row["project"] or ""),
        Column("SIGNED IN", lambda row: "yes" if row["token"] else "no"),
        Column("CA FILE", lambda row: row["ca_file"] or "", wide=True),
    ]
    app.out.rows(iter([{"items": rows}]), columns, noun="profile", limit=None, empty_hint="Sign in: mlp login URL")


def show(ctx: typer.Context, json: Json = False, output: OutputForm = None) -> None:
    """Show which settings are in force, and from where.

    \b
    Examples:
      mlp config show
    """
    app = open_app(ctx, json=json, output=output)
    connection = app.connection
    variables = [name for name in _VARIABLES if os.environ.get(name)]
    document: dict[str, Any] = {
        "url": connection.url,
        "project": connection.project,
        "ca_file": connection.ca_file,
        "profile": connection.profile,
        "signed_in": connection.token is not None,
        "job_id": connection.job_id,
        "file": str(config.config_path()),
        "environment": variables,
    }
    app.out.document(
        document,
        [
            ("url", connection.url),
            ("project", connection.project),
            ("ca file", connection.ca_file),
            ("profile", connection.profile),
            ("signed in", "yes" if connection.token else "no"),
            ("job", connection.job_id),
            ("file", str(config.config_path())),
            ("environment", ", ".join(variables)),
        ],
    )


def use(ctx: typer.Context, profile: Annotated[str, typer.Argument(metavar="PROFILE", help="Its name.")]) -> None:
    """Choose the profile that commands use.

    \b
    Examples:
      mlp config use staging
    """
    app = open_app(ctx)
    found = config.load_profile(profile)
    if found is None:
        known = ", ".join(one.name for one in config.list_profiles()) or "none"
        raise errors.ConfigError(f"There is no profile '{profile}'.", hint=f"Known profiles: {known}.")
    config.save_profile(found)
    app.out.line(f"Profile: {profile} ({found.url})")


def path(ctx: typer.Context) -> None:
    """Print where the configuration file is.

    \b
    Examples:
      mlp config path
    """
    open_app(ctx).out.line(str(config.config_path()))
