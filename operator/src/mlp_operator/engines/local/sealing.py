"""The end of a work: asked to stop, then everything of it ended and shipped, then forgotten."""

from __future__ import annotations

import asyncio
import shutil
import signal
from datetime import UTC, datetime, timedelta

from mlp.runtime import records
from mlp.runtime.records import MalformedError
from mlp_operator.engines.local import processes
from mlp_operator.engines.local.ending import end_all
from mlp_operator.engines.local.ray_api import RayApi
from mlp_operator.engines.local.settings import LocalSettings
from mlp_operator.engines.local.state import (
    PidRecord,
    SealRecord,
    StopRecord,
    WorkPaths,
    read_record,
    write_record,
)
from mlp_operator.engines.local.works import Works, is_started

LAUNCHER_MARGIN = timedelta(seconds=40)
"""After the grace: what the launcher itself allows for SIGKILL to work. Past that it is ended from outside."""
AGENT_MARGIN_SECONDS = 10.0
AGENT_STARTS = 3
"""An agent that ends without having finished is started again, so often in all."""
END_MARGIN = timedelta(seconds=60)
"""For ending what is left of the work before its agent is asked to."""
LOOK_SECONDS = 0.1


def stop(where: WorkPaths, grace_seconds: float, why: str, now: datetime) -> None:
    """Notice, then SIGTERM to the launcher, which does the waiting. Only the first grace counts."""
    if not where.record.exists():
        return
    if read_record(StopRecord, where.stop) is None:
        at = now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        records.Notice(why=why, at=at, grace_seconds=grace_seconds).write(where.root)
        records.StopRequest(grace_seconds=grace_seconds, why=why).write(where.root)
        write_record(StopRecord(now, grace_seconds, why), where.stop)
    # A launcher passes over every SIGTERM but the first, so repeating it is safe.
    processes.signal_record(read_record(PidRecord, where.launcher.pid), signal.SIGTERM)


def end_overdue(where: WorkPaths, now: datetime) -> None:
    """A launcher that is stopped or stuck itself does not end its job; then it is ended from here."""
    asked = read_record(StopRecord, where.stop)
    if asked is None or now - asked.at < timedelta(seconds=asked.grace_seconds) + LAUNCHER_MARGIN:
        return
    launcher = read_record(PidRecord, where.launcher.pid)
    if launcher is not None and processes.is_alive(launcher):
        processes.send(processes.descendants([launcher.pid]), signal.SIGKILL)


class Sealing:
    """Ends what is left of a work and lets its agent ship the rest."""

    def __init__(self, settings: LocalSettings, works: Works, ray: RayApi) -> None:
        self._settings = settings
        self._works = works
        self._ray = ray

    async def seal(self, name: str, cluster: str, where: WorkPaths) -> None:
        """All of it, in order; repeating it goes on where it stopped. `sealed.json` is the last thing written.

        Raises:
            EngineError: something does not die, or the agent could not be started.
        """
        if not where.record.exists() or where.sealed.exists():
            return
        if not where.seal.exists():
            now = datetime.now(UTC)
            write_record(SealRecord(now, now + END_MARGIN + timedelta(seconds=self._patience)), where.seal)
        await end_all(lambda: self._launcher(where), f"the launcher of {name}")
        is_shared = cluster != name
        if is_shared and is_started(where):
            await self._ray.end_detached_actors(cluster, where)
        await end_all(lambda: processes.marked(processes.WORK_MARK, name), name)
        await self._drain(cluster, where)
        write_record(SealRecord(datetime.now(UTC)), where.sealed)

    @property
    def _patience(self) -> float:
        """Seconds that an agent may take from SIGTERM on: logs, artifacts, and logs again after an outage."""
        return self._settings.artifact_seconds + 2 * self._settings.drain_seconds + AGENT_MARGIN_SECONDS

    def _launcher(self, where: WorkPaths) -> frozenset[int]:
        launcher = read_record(PidRecord, where.launcher.pid)
        return processes.descendants([launcher.pid]) if launcher and processes.is_alive(launcher) else frozenset()

    async def _drain(self, cluster: str, where: WorkPaths) -> None:
        """SIGTERM to the agent and wait for its end. One that is not there is started once more, for the rest."""
        if not where.agent.config.exists() or not is_started(where):
            return
        try:
            async with asyncio.timeout(self._patience):
                for _ in range(AGENT_STARTS):
                    if is_drained(where):
                        return
                    await self._drain_once(cluster, where)
        except TimeoutError:
            processes.signal_record(read_record(PidRecord, where.agent.pid), signal.SIGKILL)

    async def _drain_once(self, cluster: str, where: WorkPaths) -> None:
        if not processes.is_alive(read_record(PidRecord, where.agent.pid)):
            await self._works.start_agent(cluster, where)
        agent = read_record(PidRecord, where.agent.pid)
        processes.signal_record(agent, signal.SIGTERM)
        while processes.is_alive(agent):  # noqa: ASYNC110 - a process that is not our child cannot be awaited
            await asyncio.sleep(LOOK_SECONDS)


def is_drained(where: WorkPaths) -> bool:
    """Whether the agent has come to its own end, everything stored or given up."""
    try:
        record = records.ArtifactsRecord.read(where.agent_state)
    except MalformedError:
        return False
    return record is not None and record.done


async def forget(name: str, where: WorkPaths) -> None:
    """End all that is left, shipped or not, and remove the folders.

    Raises:
        EngineError: something does not die.
    """
    if not where.root.is_dir():
        return
    await end_all(lambda: _living(name, where), name)
    await asyncio.to_thread(_remove_tree, where)


def _living(name: str, where: WorkPaths) -> frozenset[int]:
    found = (read_record(PidRecord, paths.pid) for paths in (where.launcher, where.agent))
    alive = [record.pid for record in found if record is not None and processes.is_alive(record)]
    return processes.marked(processes.WORK_MARK, name) | processes.descendants(alive)


def _remove_tree(where: WorkPaths) -> None:
    """The record goes last: as long as it stands the work is not forgotten."""
    for entry in list(where.root.iterdir()):
        if entry == where.engine:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink(missing_ok=True)
    shutil.rmtree(where.root)
