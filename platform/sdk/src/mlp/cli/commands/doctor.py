"""`mlp doctor`."""

from __future__ import annotations

import stat
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

import typer

from mlp import config, errors
from mlp.cli.app import App, open_app
from mlp.cli.options import Json, OutputForm
from mlp.cli.problems import DONE, UNREACHABLE
from mlp.cli.streams import encoding_of, is_utf8
from mlp.cli.table import Column
from mlp.client.call import Request
from mlp.client.calls import account, projects
from mlp.client.exchange import Origin
from mlp.client.http_sync import HttpTransport
from mlp.client.proxies import proxy_for
from mlp.version import __version__

_SKEW_SECONDS = 60
_PROBE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One check. `result` is ok, warning or wrong."""

    check: str
    result: str
    message: str


def doctor(ctx: typer.Context, json: Json = False, output: OutputForm = None) -> int:
    """Check that this machine and the platform fit together.

    Exits 0 when nothing is wrong, 6 otherwise.

    \b
    Examples:
      mlp doctor
      mlp doctor --json
    """
    app = open_app(ctx, json=json, output=output)
    findings = [*_local(), *_remote(app)]
    rows = [{"check": one.check, "result": one.result, "message": one.message} for one in findings]
    columns = [
        Column("CHECK", lambda row: row["check"]),
        Column("RESULT", lambda row: row["result"]),
        Column("MESSAGE", lambda row: row["message"]),
    ]
    app.out.rows(iter([{"items": rows}]), columns, noun="finding", limit=None)
    return UNREACHABLE if any(one.result == "wrong" for one in findings) else DONE


def _local() -> Iterator[Finding]:
    yield Finding("client", "ok", f"mlp {__version__}, Python {sys.version.split()[0]}")
    if is_utf8(sys.stdout):
        yield Finding("terminal", "ok", "UTF-8")
    else:
        yield Finding("terminal", "warning", f"{encoding_of(sys.stdout)}: some characters show as ?")
    path = config.config_path()
    if not path.exists():
        yield Finding("configuration", "ok", f"none at {path}")
    elif stat.S_IMODE(path.stat().st_mode) & 0o077:
        yield Finding("configuration", "warning", f"others can read {path}; chmod 600 it")
    else:
        yield Finding("configuration", "ok", str(path))


def _remote(app: App) -> Iterator[Finding]:
    try:
        connection = app.connection
        proxy = proxy_for(connection.url)
    except errors.Error as error:
        yield Finding("platform", "wrong", str(error))
        return
    if proxy is not None:
        yield Finding("proxy", "ok", proxy.url)
    try:
        yield from _reach(connection)
    except errors.Error as error:
        yield Finding("platform", "wrong", str(error))
        return
    yield from _signed_in(app)


def _reach(connection: config.Connection) -> Iterator[Finding]:
    transport = HttpTransport(connection.url, connection.ca_file)
    headers = Origin(connection.url).headers()
    started = time.monotonic()
    answer = transport.send(Request("GET", f"{connection.url}/readyz", headers), _PROBE_SECONDS)
    took = (time.monotonic() - started) * 1000
    result = "ok" if answer.status == 200 else "wrong"
    yield Finding("platform", result, f"{connection.url} answered {answer.status} in {took:.0f} ms")
    if answer.status != 200:
        yield Finding("readiness", "wrong", answer.body.decode("utf-8", "replace")[:500])
    date = answer.headers.get("date")
    if date is not None:
        skew = time.time() - parsedate_to_datetime(date).timestamp()
        fine = abs(skew) <= _SKEW_SECONDS
        yield Finding(
            "clock", "ok" if fine else "wrong", f"this machine is {abs(skew):.0f} s {'ahead' if skew > 0 else 'behind'}"
        )


def _signed_in(app: App) -> Iterator[Finding]:
    try:
        me: dict[str, Any] = app.session.send(account.me().raw())
    except errors.Error as error:
        yield Finding("sign-in", "wrong", str(error))
        return
    yield Finding("sign-in", "ok", f"{me['username']}, platform version {me['server_version']}")
    project = app.connection.project
    if project is None:
        yield Finding("project", "warning", "none chosen; mlp use PROJECT")
        return
    try:
        app.session.send(projects.get(project).raw())
    except errors.Error as error:
        yield Finding("project", "wrong", str(error))
        return
    yield Finding("project", "ok", project)
