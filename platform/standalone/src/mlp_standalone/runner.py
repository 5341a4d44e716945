"""Keeps one service running: start, watch, restart with back-off, end."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from mlp_standalone import child, logs
from mlp_standalone.errors import StandaloneError
from mlp_standalone.layout import Layout
from mlp_standalone.processes import MARKER, Identity, end_group, listens
from mlp_standalone.services import Service
from mlp_standalone.state import Health, Unit

FIRST_DELAY_SECONDS = 0.5
MAX_DELAY_SECONDS = 30.0
STABLE_SECONDS = 60.0
"""After so long without trouble the next failure is answered at once again."""
HUNG_SECONDS = 90.0
"""A service that was healthy and then does not answer for so long is killed and started again."""
TROUBLED_PROBE_SECONDS = 0.2
QUIET_SECONDS = 30.0
"""A service that does not listen yet is no trouble worth a word for so long."""
PROBE_SECONDS = 5.0
SETTLED_SECONDS = 1.0
"""A service that cannot be asked counts as healthy after so long."""


class Backoff:
    """How long to wait before the next start."""

    def __init__(self) -> None:
        self._delay = FIRST_DELAY_SECONDS

    def next(self, ran_seconds: float) -> float:
        """Delay before the next start of something that ran for `ran_seconds`."""
        if ran_seconds >= STABLE_SECONDS:
            self._delay = FIRST_DELAY_SECONDS
        delay, self._delay = self._delay, min(self._delay * 2, MAX_DELAY_SECONDS)
        return delay


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    code: int

    def __str__(self) -> str:
        if self.code < 0:
            return f"was ended by {signal.Signals(-self.code).name}"
        return f"exited with status {self.code}"


class Runner:
    """One service's life. `changed` is called after each change of `unit`."""

    def __init__(self, service: Service, layout: Layout, changed: Callable[[], None]) -> None:
        log = layout.log(service.name)
        self.service = service
        self.unit = Unit(name=service.name, kind="service", port=service.port, log=str(log))
        self._layout = layout
        self._log = log
        self._changed = changed
        self._process: asyncio.subprocess.Process | None = None
        self._stop = asyncio.Event()
        self._ended = asyncio.Event()
        self.has_begun = False

    async def run(self) -> None:
        """Keep the service running until `stop` is called."""
        self.has_begun = True
        try:
            await self._keep_running(Backoff())
        finally:
            self._ended.set()

    async def _keep_running(self, backoff: Backoff) -> None:
        while not self._stop.is_set():
            started = time.monotonic()
            trouble = await self._run_once()
            if self._stop.is_set():
                break
            self.unit.restarts += 1
            delay = backoff.next(time.monotonic() - started)
            self._set(Health.BACKING_OFF, f"{trouble}; starting again in {delay:.1f} s")
            await self._stopped_within(delay)
        self._set(Health.STOPPED, "")

    async def stop(self) -> None:
        """Let the service drain, then make it end. Returns when it is gone."""
        self._stop.set()
        if self._process is None:
            await self._ended.wait()
            return
        self._set(Health.STOPPING, "")
        _signal(self._process, self.service.stop_signal)
        try:
            async with asyncio.timeout(self.service.stop_seconds):
                await self._ended.wait()
        except TimeoutError:
            self._set(Health.STOPPING, f"did not drain in {self.service.stop_seconds:.0f} s; killed")
            _signal(self._process, signal.SIGKILL)
            await self._ended.wait()

    async def _run_once(self) -> str:
        """One start and its whole run. Returns what ended it."""
        self._set(Health.STARTING, "")
        try:
            if self.service.prepare is not None:
                await asyncio.to_thread(self.service.prepare)
            if self._stop.is_set():
                return "was stopped"
            process = await self._spawn()
        except (StandaloneError, OSError) as error:
            return f"could not be started: {error}"
        self._process = process
        identity = Identity.of(process.pid)
        self.unit.pid, self.unit.started = process.pid, identity.started if identity else None
        self._changed()
        watch = asyncio.create_task(self._watch(process))
        try:
            return str(Ended(await process.wait()))
        finally:
            watch.cancel()
            # Whatever the ended process left in its own group would hold its port.
            end_group(process.pid)
            self._process = self.unit.pid = self.unit.started = None

    async def _spawn(self) -> asyncio.subprocess.Process:
        service = self.service
        shim = [sys.executable, "-I", "-S", child.__file__, "--parent", str(os.getpid())]
        options = ["--signal", str(int(service.stop_signal))] + (["--user", service.user] if service.user else [])
        output = logs.open_for_appending(self._log)
        try:
            return await asyncio.create_subprocess_exec(
                *shim,
                *options,
                "--",
                *service.command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=self._layout.root,
                env={**service.environment, MARKER: str(self._layout.root)},
                start_new_session=True,
            )
        finally:
            os.close(output)

    async def _watch(self, process: asyncio.subprocess.Process) -> None:
        """Follow the health of a running process; kill it when it hangs."""
        probe = self.service.probe
        answered = time.monotonic()
        healthy_once = False
        while True:
            if probe is None:
                await asyncio.sleep(SETTLED_SECONDS)
            trouble = await probe() if probe is not None else None
            if trouble is None and not healthy_once:
                trouble = await asyncio.to_thread(self._impostor, process.pid)
            if self._stop.is_set():
                return
            now = time.monotonic()
            if trouble is None:
                answered, healthy_once = now, True
                self.unit.was_healthy = True
                self._set(Health.HEALTHY, "")
            else:
                is_just_starting = not healthy_once and now - answered < QUIET_SECONDS
                self._set(Health.UNHEALTHY if healthy_once else Health.STARTING, "" if is_just_starting else trouble)
                if now - answered > (HUNG_SECONDS if healthy_once else self.service.start_seconds):
                    _signal(process, signal.SIGKILL)
                    return
            await asyncio.sleep(PROBE_SECONDS if trouble is None else TROUBLED_PROBE_SECONDS)

    def _impostor(self, pid: int) -> str | None:
        """A stranger on our port answers as well, while the service that cannot have it ends again and again."""
        port = self.service.port
        if port is None or listens(pid, port):
            return None
        return f"another program answers on port {port}"

    async def _stopped_within(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stop.wait()

    def _set(self, health: Health, message: str) -> None:
        unit = self.unit
        if (unit.health, unit.message) == (health, message):
            return
        if unit.health != health:
            unit.since = timestamp()
        unit.health, unit.message = health, message
        self._changed()


def timestamp() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _signal(process: asyncio.subprocess.Process, number: int) -> None:
    try:
        process.send_signal(number)
    except ProcessLookupError:
        return
