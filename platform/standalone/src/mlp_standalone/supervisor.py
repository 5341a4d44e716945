"""The one process that runs the others: `python -m mlp_standalone.supervisor --data DIR`.

It holds the lock of its data folder as long as it lives, starts steps and services in the order of their needs, keeps
the services running, and ends them in reverse order on SIGTERM or SIGINT. Killed with -9 it takes them along: each
child asks the kernel for its stop signal at the death of this process. Whatever still lives is ended by the next
supervisor of the same folder before it starts anything.

Children are started from the main thread only: the kernel sends that signal when the *thread* that forked ends.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import os
import signal
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from mlp_standalone import logs, plan, state
from mlp_standalone.errors import StandaloneError, StepError
from mlp_standalone.layout import Layout
from mlp_standalone.postgres import STOP_SIGNAL as POSTGRES_STOP_SIGNAL
from mlp_standalone.processes import MARKER, Identity, end, marked, wait_until, working_in
from mlp_standalone.runner import Runner, timestamp
from mlp_standalone.services import Service, Step
from mlp_standalone.state import Health, Phase, State, Unit

ALREADY_RUNNING = 75
"""Exit status when another supervisor holds the folder (EX_TEMPFAIL)."""
FAILED = 1
LOCK_SECONDS = 3.0
LEFTOVER_SECONDS = 10.0
ROTATE_SECONDS = 2.0
OWN_LOG = "supervisor"
LOG_MARK = "Z supervisor: "
"""Stands between the time and the sentence in the supervisor's own log."""


class Supervisor:
    """Runs one set of steps and services for one data folder."""

    def __init__(self, layout: Layout, url: str, services: Sequence[Service], steps: Sequence[Step]) -> None:
        own = Identity.of(os.getpid())
        if own is None:
            raise StandaloneError("The supervisor cannot see itself in the process table.")
        self._layout = layout
        self._runners = [Runner(service, layout, self._changed) for service in services]
        self._steps = list(steps)
        self._step_units = {step.name: Unit(name=step.name, kind="step") for step in steps}
        self._progress = asyncio.Event()
        self._stop = asyncio.Event()
        self._state = State(
            phase=Phase.STARTING,
            supervisor=own,
            url=url,
            since=timestamp(),
            version=version("mlplatform-standalone"),
            units=_in_order(self._runners, self._step_units, services, steps),
        )

    async def run(self) -> int:
        """Run until told to stop. Returns the process's exit status."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, self._stop.set)
        self._write()
        tasks = {runner.service.name: asyncio.create_task(self._run_service(runner)) for runner in self._runners}
        tasks |= {step.name: asyncio.create_task(self._run_step(step)) for step in self._steps}
        for task in tasks.values():
            task.add_done_callback(self._on_task_end)
        rotation = asyncio.create_task(self._rotate_logs())
        await self._stop.wait()
        failed = self._state.phase is Phase.FAILED
        if not failed:
            self._state.phase = Phase.STOPPING
        await self._stop_all(tasks)
        rotation.cancel()
        if not failed:
            self._state.phase = Phase.STOPPED
        self._write()
        return FAILED if failed else 0

    async def _run_service(self, runner: Runner) -> None:
        await self._wait_for(runner.service.after)
        await runner.run()

    async def _run_step(self, step: Step) -> None:
        await self._wait_for(step.after)
        unit = self._step_units[step.name]
        unit.health, unit.since = Health.STARTING, timestamp()
        self._changed()
        try:
            await step.run()
        except StepError as error:
            unit.health, unit.message = Health.FAILED, str(error)
            self._state.phase = Phase.FAILED
            self._stop.set()
        else:
            unit.health = Health.DONE
        self._changed()

    def _on_task_end(self, task: asyncio.Task[None]) -> None:
        """A bug of ours in one unit must be seen, not leave it silently unattended."""
        error = None if task.cancelled() else task.exception()
        if error is not None:
            traceback.print_exception(error)
            self._state.phase = Phase.FAILED
            self._stop.set()

    async def _wait_for(self, names: Sequence[str]) -> None:
        """Return when the named services are healthy and the named steps are done."""
        units = [self._state.unit(name) for name in names]
        while not all(_is_fine(unit) for unit in units):
            await self._progress.wait()

    async def _stop_all(self, tasks: Mapping[str, asyncio.Task[None]]) -> None:
        """End what waits, then the services: each after all that needed it have ended."""
        running = {runner.service.name: runner for runner in self._runners if runner.has_begun}
        idle = [task for name, task in tasks.items() if name not in running]
        for task in idle:
            task.cancel()
        await asyncio.gather(*idle, return_exceptions=True)
        self._write()
        while running:
            needed = {name for runner in running.values() for name in self._needs(runner.service.after)}
            last = [name for name in running if name not in needed]
            await asyncio.gather(*(running.pop(name).stop() for name in last))

    def _needs(self, after: Sequence[str]) -> set[str]:
        """Services below `after`, through steps as well."""
        found: set[str] = set()
        below = {step.name: step.after for step in self._steps}
        below |= {runner.service.name: runner.service.after for runner in self._runners}
        waiting = list(after)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting.extend(below[name])
        return found

    async def _rotate_logs(self) -> None:
        paths = [self._layout.log(runner.service.name) for runner in self._runners]
        while True:
            for path in (*paths, self._layout.log(OWN_LOG)):
                with suppress(OSError):
                    await asyncio.to_thread(logs.rotate_if_large, path)
            await asyncio.sleep(ROTATE_SECONDS)

    def _changed(self) -> None:
        if self._state.phase in (Phase.STARTING, Phase.READY, Phase.DEGRADED):
            self._state.phase = self._overall()
        self._write()
        # Each change has its own event: whoever waits for the next one takes the fresh.
        seen, self._progress = self._progress, asyncio.Event()
        seen.set()

    def _overall(self) -> Phase:
        if all(_is_fine(unit) for unit in self._state.units):
            return Phase.READY
        return Phase.STARTING if self._state.phase is Phase.STARTING else Phase.DEGRADED

    def _write(self) -> None:
        try:
            state.write(self._layout, self._state)
        except OSError as error:
            # A full disk must not end the services; they and `status` say the rest.
            _log(f"cannot write {self._layout.state}: {error}")


def _is_fine(unit: Unit) -> bool:
    return unit.health in (Health.HEALTHY, Health.DONE)


def _in_order(
    runners: Sequence[Runner], step_units: dict[str, Unit], services: Sequence[Service], steps: Sequence[Step]
) -> list[Unit]:
    """Units in the order in which they can start, for people who watch the start."""
    units = {runner.service.name: runner.unit for runner in runners} | step_units
    needs = {part.name: part.after for part in (*services, *steps)}
    ordered: list[Unit] = []
    while units:
        ready = [name for name in units if not any(need in units for need in needs[name])]
        if not ready:
            raise StandaloneError(f"These wait for each other: {', '.join(units)}.")
        ordered.extend(units.pop(name) for name in ready)
    return ordered


def _log(message: str) -> None:
    sys.stderr.write(f"{timestamp().removesuffix('Z')}{LOG_MARK}{message}\n")


def hold_lock(layout: Layout) -> int | None:
    """Take the folder for this process's life. None when another supervisor has it."""
    layout.run.mkdir(mode=0o711, parents=True, exist_ok=True)
    handle = os.open(layout.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def taken() -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    # A supervisor that was just killed holds it for a moment more.
    if wait_until(taken, LOCK_SECONDS):
        return handle
    os.close(handle)
    return None


def clear_leftovers(layout: Layout) -> None:
    """End every process of an earlier supervisor of this folder. Call with the lock held."""
    end(marked(layout.root), grace_seconds=LEFTOVER_SECONDS)
    end(working_in(layout.postgres), number=POSTGRES_STOP_SIGNAL, grace_seconds=LEFTOVER_SECONDS)


def main(arguments: Sequence[str] | None = None, *, make_plan: Callable[[Layout], plan.Plan] = plan.make) -> int:
    parser = argparse.ArgumentParser(prog="mlp_standalone.supervisor", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="data folder")
    layout = Layout.at(parser.parse_args(arguments).data)
    layout.create()
    lock = hold_lock(layout)
    if lock is None:
        return ALREADY_RUNNING
    # Inherited by short helpers (initdb, migrations) too, so that a later supervisor finds them.
    os.environ[MARKER] = str(layout.root)
    try:
        clear_leftovers(layout)
        chosen = make_plan(layout)
        return asyncio.run(_run(layout, chosen))
    except (StandaloneError, OSError) as error:
        _log(str(error))
        return FAILED
    finally:
        os.close(lock)


async def _run(layout: Layout, chosen: plan.Plan) -> int:
    return await Supervisor(layout, chosen.url, chosen.services, chosen.steps).run()


if __name__ == "__main__":
    sys.exit(main())
