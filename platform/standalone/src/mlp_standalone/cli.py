"""What the commands do, in words and exit codes for people."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from rich.console import Console

from mlp_standalone import control, signin, view
from mlp_standalone.config import load_secrets
from mlp_standalone.control import AlreadyRunningError, NotStartedError
from mlp_standalone.errors import StandaloneError
from mlp_standalone.layout import Layout
from mlp_standalone.processes import Identity
from mlp_standalone.state import Health, Phase, State
from mlp_standalone.steps import ADMIN, PROJECT

DONE = 0
FAILED = 1
USAGE = 2
UNREACHABLE = 6
PIPE_COLUMNS = 200

_STARTED = (Health.HEALTHY, Health.DONE)


def run_up(data: Path | None, *, detach: bool, keep_clusters: bool, as_json: bool) -> int:
    layout = Layout.at(data)
    found = control.running(layout)
    if found is not None and found.phase is Phase.STOPPING:
        _say(f"It is just being stopped (process {found.supervisor.pid}); waiting for that.")
        control.stop(layout, found.supervisor)
        found = None
    if found is not None:
        return _already_running(layout, found, as_json=as_json)
    try:
        with _interruptible():
            return _start_and_stay(layout, detach=detach, keep_clusters=keep_clusters, as_json=as_json)
    except AlreadyRunningError:
        return _already_running(layout, control.running(layout), as_json=as_json)
    except (StandaloneError, OSError) as error:
        return _fail(str(error), as_json=as_json)


def run_down(data: Path | None, *, purge: bool, yes: bool, keep_clusters: bool, as_json: bool) -> int:
    layout = Layout.at(data)
    if purge and not yes and not _confirm(layout):
        return USAGE
    found = control.running(layout)
    try:
        drained = _stop(layout, found.supervisor, keep_clusters=keep_clusters and not purge) if found else True
        if found is None and layout.clusters.is_dir() and not keep_clusters:
            control.end_clusters(layout)
        if purge and layout.root.exists():
            url = _url(layout)
            control.purge(layout)
            if url:
                signin.sign_out(url)
    except (StandaloneError, OSError) as error:
        return _fail(str(error), as_json=as_json)
    if as_json:
        _print_json({"was_running": found is not None, "drained": drained, "purged": purge, "data": str(layout.root)})
    else:
        _say(_farewell(layout, found, drained=drained, purged=purge))
    return DONE


def run_status(data: Path | None, *, as_json: bool) -> int:
    layout = Layout.at(data)
    found = control.running(layout)
    if found is None:
        if as_json:
            _print_json({"phase": Phase.STOPPED, "data": str(layout.root), "processes": []})
        else:
            _say(f"mlp is not running on {layout.root}. Start it with `mlp up`.")
        return UNREACHABLE
    if as_json:
        _print_json({**view.document(found), "data": str(layout.root)})
    else:
        console = Console() if sys.stdout.isatty() else Console(width=PIPE_COLUMNS)
        console.print(f"mlp {found.version} is {found.phase} at {found.url}, data in {layout.root}", highlight=False)
        console.print(view.table(found))
    return DONE if found.phase is Phase.READY else FAILED


def _start_and_stay(layout: Layout, *, detach: bool, keep_clusters: bool, as_json: bool) -> int:
    supervisor = control.start(layout, attached=not detach)
    identity = Identity.of(supervisor.pid)
    try:
        try:
            ready = _follow(layout, supervisor)
        except NotStartedError:
            # Either all of it runs or nothing does. The logs stay.
            if identity is not None:
                control.stop(layout, identity)
            raise
        _welcome(layout, ready, detach=detach, as_json=as_json)
        if detach:
            return DONE
        code = supervisor.wait()
        return _fail(f"The supervisor ended with status {code}. See {layout.logs}.", as_json=as_json)
    except _Interrupted:
        _say("Stopping. Interrupt again to end it at once.")
        if identity is not None:
            _stop_attached(layout, supervisor, identity, keep_clusters=keep_clusters)
        return DONE


def _follow(layout: Layout, supervisor: subprocess.Popen[bytes]) -> State:
    last: State | None = None
    with view.Progress(_STARTED) as progress:
        for last in control.follow_start(layout, supervisor):
            progress.show(last)
    if last is None:
        raise StandaloneError("The supervisor told nothing.")
    return last


def _stop_attached(
    layout: Layout, supervisor: subprocess.Popen[bytes], identity: Identity, *, keep_clusters: bool
) -> None:
    try:
        _stop(layout, identity, keep_clusters=keep_clusters)
    except _Interrupted:
        identity.send(signal.SIGKILL)
        control.stop(layout, identity)
    finally:
        supervisor.wait()
    _say("Stopped.")


def _stop(layout: Layout, supervisor: Identity, *, keep_clusters: bool) -> bool:
    drained = control.stop(layout, supervisor)
    if not keep_clusters:
        control.end_clusters(layout)
    return drained


def _welcome(layout: Layout, ready: State, *, detach: bool, as_json: bool) -> None:
    secrets = load_secrets(layout)
    signed_in = signin.sign_in(ready.url, secrets.admin_token, PROJECT)
    link = signin.browser_link(ready.url, secrets.admin_token)
    if as_json:
        _print_json(
            {
                "phase": ready.phase,
                "url": ready.url,
                "pid": ready.supervisor.pid,
                "data": str(layout.root),
                "profile": signed_in.profile,
                "project": PROJECT,
                "username": ADMIN,
                "password_file": str(layout.secrets / "admin-password"),
                "sign_in_url": link,
            }
        )
        return
    lines = [
        f"mlp is ready at {ready.url}",
        f"  This command line is signed in (profile '{signed_in.profile}' in {signed_in.path}).",
        f"  In a browser: {_browser_words(ready.url, link)}",
        f"  Later: user '{ADMIN}', password in {layout.secrets / 'admin-password'}.",
        *([] if signed_in.is_current else [f"  Another profile is in use; add --profile {signed_in.profile}."]),
        "Next: mlp run train.py --gpu 1",
        "Stop it with `mlp down`." if detach else "Stop it with Ctrl-C.",
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


def _already_running(layout: Layout, found: State | None, *, as_json: bool) -> int:
    if found is None:
        return _fail(f"Another `mlp up` is just starting on {layout.root}. Look with `mlp status`.", as_json=as_json)
    link = signin.browser_link(found.url, load_secrets(layout).admin_token)
    if as_json:
        document = {**view.document(found), "data": str(layout.root), "already_running": True, "sign_in_url": link}
        _print_json(document)
    else:
        sys.stdout.write(f"mlp is already running at {found.url} (process {found.supervisor.pid}, {found.phase}).\n")
        sys.stdout.write(f"  In a browser: {_browser_words(found.url, link)}\n")
    return DONE


def _browser_words(url: str, link: str | None) -> str:
    return url if link is None else f"{link} (signs you in once, within ten minutes)"


def _url(layout: Layout) -> str | None:
    """Address of the platform that last ran here."""
    from mlp_standalone.config import load_ports
    from mlp_standalone.services import url

    return url(load_ports(layout)) if layout.config.exists() else None


def _confirm(layout: Layout) -> bool:
    if not sys.stdin.isatty():
        _say("Deleting all data needs a yes: add --yes.")
        return False
    sys.stderr.write(f"All jobs, models, logs and users in {layout.root} will be deleted. Type 'delete' to go on: ")
    sys.stderr.flush()
    return sys.stdin.readline().strip() == "delete"


def _farewell(layout: Layout, found: State | None, *, drained: bool, purged: bool) -> str:
    if found is None:
        stopped = "It was not running."
    else:
        stopped = "Stopped." if drained else "Stopped, though not everything drained in time."
    return f"{stopped} All data in {layout.root} are deleted." if purged else f"{stopped} Data stay in {layout.root}."


class _Interrupted(Exception):
    """Ctrl-C, or the request to end."""


@contextmanager
def _interruptible() -> Generator[None]:
    """Turn signals that ask for the end into `_Interrupted`."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise _Interrupted(signal.Signals(number).name)

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _fail(message: str, *, as_json: bool) -> int:
    if as_json:
        _print_json({"phase": Phase.FAILED, "error": message})
    _say(f"Error: {message}")
    return FAILED


def _say(message: str) -> None:
    sys.stderr.write(message + "\n")


def _print_json(document: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(document, indent=2) + "\n")
    sys.stdout.flush()
