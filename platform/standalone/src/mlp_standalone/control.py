"""From outside: start a supervisor, follow it, stop it, clean up after it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil

from mlp_standalone import child, logs, state
from mlp_standalone.errors import StandaloneError
from mlp_standalone.layout import Layout
from mlp_standalone.processes import CLUSTER_MARKER, Identity, end, wait_until
from mlp_standalone.services import base_environment
from mlp_standalone.state import Health, Phase, State, Unit
from mlp_standalone.supervisor import ALREADY_RUNNING, LOG_MARK, OWN_LOG, clear_leftovers, hold_lock

POLL_SECONDS = 0.1
START_SECONDS = 600.0
"""Longest start that is waited for: recovery of a large database comes first."""
HOPELESS_STARTS = 5
"""With the back-off between them some 16 s: what fails for a passing reason is up by then."""
LAST_WORDS = 5
"""Lines of a log in a message about its process."""
STOP_SECONDS = 150.0
"""Every service may use its whole time to drain, one after the other."""
SWEEP_SECONDS = 120.0
CLUSTER_GRACE_SECONDS = 5.0
SWEEP_MODULE = "mlp_operator.engines.local.sweep"


def running(layout: Layout) -> State | None:
    """State of the platform that runs on this data folder; None when none does."""
    found = state.read(layout)
    return found if found is not None and found.is_running() else None


def start(
    layout: Layout, *, attached: bool, program: Sequence[str] = ("-m", "mlp_standalone.supervisor")
) -> subprocess.Popen[bytes]:
    """Start a supervisor in a session of its own. An attached one is told to stop when this process dies."""
    layout.create()
    command = [sys.executable, *program, "--data", str(layout.root)]
    if attached:
        shim = [sys.executable, "-I", "-S", child.__file__, "--parent", str(os.getpid())]
        command = [*shim, "--signal", str(int(signal.SIGTERM)), "--", *command]
    output = logs.open_for_appending(layout.log(OWN_LOG))
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd="/",
            env=base_environment(),
            start_new_session=True,
        )
    finally:
        os.close(output)


class NotStartedError(StandaloneError):
    """The platform did not come up."""


class AlreadyRunningError(StandaloneError):
    """Another supervisor took the folder first."""


def follow_start(layout: Layout, supervisor: subprocess.Popen[bytes]) -> Iterator[State]:
    """Yield the state after each change until everything is healthy.

    Raises:
        AlreadyRunningError: another `mlp up` was faster.
        NotStartedError: a step failed, the supervisor ended, or it took too long.
    """
    deadline = time.monotonic() + START_SECONDS
    shown: str | None = None
    while time.monotonic() < deadline:
        code = supervisor.poll()
        seen = state.read(layout)
        if seen is not None and seen.supervisor.pid == supervisor.pid:
            if repr(seen) != shown:
                shown = repr(seen)
                yield seen
            if seen.phase in (Phase.READY, Phase.DEGRADED):
                return
        hopeless = _hopeless(seen) if seen is not None and seen.supervisor.pid == supervisor.pid else None
        if hopeless is not None:
            raise NotStartedError(_last_words(layout, hopeless))
        if code == ALREADY_RUNNING:
            raise AlreadyRunningError("It is already running.")
        if code is not None:
            raise NotStartedError(_why(layout, seen, supervisor.pid))
        time.sleep(POLL_SECONDS)
    raise NotStartedError(_unfinished(layout, state.read(layout)))


def stop(layout: Layout, supervisor: Identity, *, seconds: float = STOP_SECONDS) -> bool:
    """Ask the supervisor to drain and wait for it. Returns False when it had to be killed.

    A killed supervisor takes its children along; what is left of them is ended here as well.
    """
    supervisor.send(signal.SIGTERM)
    drained = wait_until(lambda: not supervisor.is_alive(), seconds)
    if not drained:
        supervisor.send(signal.SIGKILL)
        wait_until(lambda: not supervisor.is_alive(), CLUSTER_GRACE_SECONDS)
    lock = hold_lock(layout)
    if lock is not None:
        clear_leftovers(layout)
        os.close(lock)
    return drained


def end_clusters(layout: Layout) -> int:
    """End the local engine's clusters of this folder. Returns how many processes had to be ended from here.

    The engine's own sweep knows its clusters best; what it misses is found by the variable they carry.
    """
    command = [sys.executable, "-m", SWEEP_MODULE, "--data", str(layout.root)]
    log = logs.open_for_appending(layout.log("sweep"))
    try:
        subprocess.run(
            command,
            stdout=log,
            stderr=log,
            env={**base_environment(), "MLP_DATA_DIR": str(layout.root)},
            timeout=SWEEP_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        pass
    finally:
        os.close(log)
    left = _cluster_processes(layout)
    end(left, grace_seconds=CLUSTER_GRACE_SECONDS)
    return len(left)


def purge(layout: Layout) -> None:
    """Delete all data of this folder. The platform must be stopped.

    Raises:
        StandaloneError: the folder is in use, or was not made by this program.
    """
    if not layout.config.exists():
        raise StandaloneError(f"{layout.root} is not a data folder of mlp: it has no {layout.config.name}.")
    lock = hold_lock(layout)
    if lock is None:
        raise StandaloneError(f"{layout.root} is in use. Run `mlp down` first.")
    try:
        clear_leftovers(layout)
        shutil.rmtree(layout.postgres_socket, ignore_errors=True)
        for entry in layout.entries():
            _remove(entry)
        # The mark of a data folder goes last: until then a purge that was cut short can be repeated.
        layout.config.unlink()
        shutil.rmtree(layout.run, ignore_errors=True)
    finally:
        os.close(lock)
    if not any(layout.root.iterdir()):
        layout.root.rmdir()


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _cluster_processes(layout: Layout) -> list[Identity]:
    names = {entry.name for entry in layout.clusters.iterdir()} if layout.clusters.is_dir() else set[str]()
    found: list[Identity] = []
    for process in psutil.process_iter():
        try:
            name = process.environ().get(CLUSTER_MARKER)
        except (psutil.Error, OSError):
            continue
        identity = Identity.of(process.pid) if name in names else None
        if identity is not None:
            found.append(identity)
    return found


def _why(layout: Layout, seen: State | None, pid: int) -> str:
    """Why a supervisor ended before everything was healthy."""
    if seen is not None and seen.supervisor.pid == pid:
        failed = [unit for unit in seen.units if unit.health is Health.FAILED]
        if failed:
            return failed[0].message
    words = "".join(logs.tail(layout.log(OWN_LOG), 1))
    return words.partition(LOG_MARK)[2] or words or f"It ended without a word. See {layout.log(OWN_LOG)}."


def _hopeless(seen: State) -> Unit | None:
    """A service that ended again and again without ever being healthy."""
    return next((unit for unit in seen.units if unit.restarts >= HOPELESS_STARTS and not unit.was_healthy), None)


def _last_words(layout: Layout, unit: Unit) -> str:
    log = layout.log(unit.name)
    words = [line[:300] for line in logs.tail(log, LAST_WORDS)]
    said = "\n  ".join([f"The end of {log}:", *words]) if words else f"It wrote nothing to {log}."
    return f"The {unit.name} does not start: {unit.message}. {said}"


def _unfinished(layout: Layout, seen: State | None) -> str:
    late = [unit for unit in seen.units if unit.health not in (Health.HEALTHY, Health.DONE)] if seen else []
    named = "; ".join(f"{unit.name} {unit.health} {unit.message}".strip() for unit in late)
    return f"Not everything was healthy after {START_SECONDS:.0f} s: {named}. See {layout.logs}."
