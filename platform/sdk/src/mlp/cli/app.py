"""What a command works with: the connection, the project, the output."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from mlp import errors
from mlp.cli.output import Format, Output

if TYPE_CHECKING:
    from mlp import config
    from mlp.client.session import Session


@dataclass(frozen=True, slots=True)
class Globals:
    """The options before the noun."""

    url: str | None = None
    ca_file: str | None = None
    profile: str | None = None
    project: str | None = None


class App:
    """One command's run."""

    def __init__(self, given: Globals, *, project: str | None = None, form: Format = Format.TABLE) -> None:
        self._given = given
        self._project = project or given.project
        self.out = Output(form)

    @cached_property
    def connection(self) -> config.Connection:
        """Where to, and as whom.

        Raises:
            ConfigError: no platform is known.
        """
        from mlp import config

        given = self._given
        return config.resolve(url=given.url, project=self._project, ca_file=given.ca_file, profile=given.profile)

    @cached_property
    def session(self) -> Session:
        return session_for(self.connection)

    @property
    def project(self) -> str:
        """The project to work in.

        Raises:
            ConfigError: none is chosen.
        """
        return self.connection.chosen_project()

    def confirm(self, question: str, *, yes: bool) -> None:
        """Ask before something that cannot be taken back; without a terminal, `--yes` is the only yes."""
        if yes:
            return
        if not sys.stdin.isatty():
            raise errors.LocalError(f"{question} Nobody is there to answer.", hint="Add --yes to do it.")
        if not typer.confirm(question, err=True):
            raise typer.Exit(1)


def session_for(connection: config.Connection) -> Session:
    """A session for a person who is waiting: half a second of trying again, then the truth."""
    # HTTP and TLS cost as much to import as all the rest: `--help` and usage errors do without.
    from mlp.client.exchange import Origin
    from mlp.client.http_sync import HttpTransport
    from mlp.client.retry import RetryPolicy
    from mlp.client.session import Session

    return Session(
        Origin(connection.url, connection.token),
        HttpTransport(connection.url, connection.ca_file),
        policy=RetryPolicy(tries=3, first_seconds=0.2, cap_seconds=2.0),
    )


def open_app(
    ctx: typer.Context,
    *,
    project: str | None = None,
    json: bool = False,
    output: Format | None = None,
) -> App:
    """The run of the command that `ctx` is of."""
    given: Any = ctx.find_root().obj
    form = Format.JSON if json else output or Format.TABLE
    return App(given if isinstance(given, Globals) else Globals(), project=project, form=form)


def usage(message: str, hint: str | None = None) -> NoReturn:
    """Refuse what was typed: exit code 2."""
    raise UsageProblem(message, hint=hint)


class UsageProblem(errors.LocalError):
    """What was typed makes no sense."""

    code = "usage"
