"""Signing in and out, and choosing a project."""

from __future__ import annotations

import os
import socket
import sys
from dataclasses import replace
from getpass import getpass
from typing import Annotated, Any

import typer

from mlp import config, errors
from mlp.cli.app import App, Globals, open_app, session_for, usage
from mlp.cli.options import Json, OutputForm
from mlp.client.calls import account


def login(
    ctx: typer.Context,
    url: Annotated[str | None, typer.Argument(metavar="[URL]", help="The platform's address.")] = None,
    username: Annotated[str | None, typer.Option("--username", "-u", help="Asked for if absent.")] = None,
    token_stdin: Annotated[
        bool, typer.Option("--token-stdin", help="Read a token from standard input instead of a password.")
    ] = False,
    profile: Annotated[str | None, typer.Option("--profile", help="Name to save it under.")] = None,
    ca_file: Annotated[
        str | None, typer.Option("--ca-file", help="PEM file of the authority to trust; remembered.")
    ] = None,
) -> None:
    """Sign in to a platform and remember it.

    The token is saved in ~/.config/mlp/config.toml (MLP_CONFIG), readable by you alone.

    \b
    Examples:
      mlp login https://mlp.example.com
      mlp login https://mlp.example.com --ca-file corp.pem
      echo "$TOKEN" | mlp login https://mlp.example.com --token-stdin
    """
    app = open_app(ctx)
    connection = _where(ctx, url, ca_file, profile)
    session = session_for(connection)
    token = sys.stdin.readline().strip() if token_stdin else _token_by_password(session, username)
    signed_in = replace(connection, token=token)
    me: dict[str, Any] = session_for(signed_in).send(account.me().raw())
    name = profile or ctx.find_root().params.get("profile") or connection.profile or config.DEFAULT_PROFILE
    known = config.load_profile(name)
    project = _first_choice(me, known.project if known and known.url == connection.url else None)
    path = config.save_profile(
        config.Profile(name, connection.url, token, project, connection.ca_file and _absolute(connection.ca_file))
    )
    app.out.line(f"Signed in to {connection.url} as {me['username']}.")
    app.out.note(f"Saved as profile '{name}' in {path}.")
    if project:
        app.out.line(f"Project: {project}")
    else:
        app.out.note("Choose a project with `mlp use PROJECT`.")


def _where(ctx: typer.Context, url: str | None, ca_file: str | None, profile: str | None) -> config.Connection:
    given: Any = ctx.find_root().obj
    known = given if isinstance(given, Globals) else Globals()
    address = url or known.url or os.environ.get("MLP_URL")
    saved = config.load_profile(profile or known.profile)
    if address is None and saved is None:
        usage("Which platform?", "Name its address: mlp login https://mlp.example.com")
    address = (address or (saved.url if saved else "")).rstrip("/")
    if "://" not in address:
        address = f"https://{address}"
    same = saved if saved is not None and saved.url.rstrip("/") == address else None
    trusted = ca_file or known.ca_file or os.environ.get("MLP_CA_FILE") or (same.ca_file if same else None)
    return config.Connection(address, None, None, trusted, same.name if same else None)


def _absolute(path: str) -> str:
    return os.path.abspath(os.path.expanduser(path))


def _token_by_password(session: Any, username: str | None) -> str:
    if username is None and not sys.stdin.isatty():
        usage("Nobody is there to type a password.", "Pass a token: mlp login URL --token-stdin < token-file")
    name = username or typer.prompt("Username", err=True)
    password = getpass("Password: ") if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
    created: dict[str, Any] = session.send(account.login(name, password, socket.gethostname()).raw())
    return created["token"]


def _first_choice(me: dict[str, Any], before: str | None) -> str | None:
    """The project that was chosen before if it is still there, else the only one there is."""
    names = [project["name"] for project in me["projects"]]
    if before in names:
        return before
    return names[0] if len(names) == 1 else None


def logout(
    ctx: typer.Context,
    profile: Annotated[str | None, typer.Option("--profile", help="Profile to sign out of.")] = None,
) -> None:
    """Revoke the saved token and forget it.

    \b
    Examples:
      mlp logout
      mlp logout --profile staging
    """
    app = open_app(ctx)
    saved = config.load_profile(profile or ctx.find_root().params.get("profile"))
    if saved is None or saved.token is None:
        app.out.note("Not signed in.")
        return
    session = session_for(config.Connection(saved.url, saved.token, ca_file=saved.ca_file))
    try:
        me: dict[str, Any] = session.send(account.me().raw())
        if me.get("token"):
            session.send(account.revoke_token(me["token"]["id"]))
    except errors.NotSignedIn:
        pass  # it was revoked or had expired: nothing is left to revoke
    except errors.PlatformUnreachable as error:
        app.out.note(f"The token could not be revoked ({error.message}) and stays valid until it expires.")
    config.save_profile(replace(saved, token=None), make_current=False)
    app.out.line(f"Signed out of {saved.url}.")


def whoami(ctx: typer.Context, json: Json = False, output: OutputForm = None) -> None:
    """Show who is signed in, where, and in which project.

    \b
    Examples:
      mlp whoami
      mlp whoami --json
    """
    app = open_app(ctx, json=json, output=output)
    me: dict[str, Any] = app.session.send(account.me().raw())
    app.out.document(me, _who(app, me))


def _who(app: App, me: dict[str, Any]) -> list[tuple[str, str | None]]:
    connection = app.connection
    projects = ", ".join(f"{project['name']} ({project['role'] or 'admin'})" for project in me["projects"])
    return [
        ("user", f"{me['username']} ({me['display_name']})" if me["display_name"] else me["username"]),
        ("kind", "a job" if me["kind"] == "job" else ("platform admin" if me["is_admin"] else "user")),
        ("platform", f"{connection.url} (version {me['server_version']})"),
        ("profile", connection.profile),
        ("project", connection.project or "none chosen; `mlp use PROJECT`"),
        ("projects", projects or "none"),
        ("token", f"{me['token']['name']}, until {me['token']['expires_at']}" if me.get("token") else None),
    ]


def use(
    ctx: typer.Context,
    project: Annotated[str, typer.Argument(metavar="PROJECT", help="Name of the project.")],
) -> None:
    """Choose the project that commands work in.

    \b
    Examples:
      mlp use vision
    """
    from mlp.client.calls import projects

    app = open_app(ctx)
    found: dict[str, Any] = app.session.send(projects.get(project).raw())
    connection = app.connection
    saved = config.load_profile(connection.profile) if connection.profile else None
    if saved is None:
        raise errors.ConfigError(
            f"No profile is saved for {connection.url}.",
            hint=f"Set MLP_PROJECT={found['name']} instead, or `mlp login`.",
        )
    config.save_profile(replace(saved, project=found["name"]), make_current=False)
    app.out.line(f"Project: {found['name']}")
