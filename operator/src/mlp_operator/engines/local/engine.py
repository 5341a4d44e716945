"""The compute engine of one machine: real Ray nodes as local processes, behind the port that Kubernetes has too."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime

import structlog

from mlp_core.domain.execution import ClusterObserved, Dashboard, WorkObserved
from mlp_operator.engines.local import sealing, watch, workwatch
from mlp_operator.engines.local.clusters import Clusters
from mlp_operator.engines.local.overlay import Overlays
from mlp_operator.engines.local.ray_api import RayApi
from mlp_operator.engines.local.removal import remove_cluster
from mlp_operator.engines.local.settings import LocalSettings, PackageSource
from mlp_operator.engines.local.state import Layout, WorkPaths
from mlp_operator.engines.local.works import Works, is_started, say_waiting
from mlp_operator.engines.port import ClusterSpec, ComputeEngine, EngineError, WorkSpec

log = structlog.get_logger(__name__)

Steps = Callable[[], Awaitable[None]]


def _now() -> datetime:
    return datetime.now(UTC)


class LocalEngine(ComputeEngine):
    """Adopts whatever it finds: the only things in memory are connections and tasks that a later call starts again."""

    def __init__(self, settings: LocalSettings, packages: PackageSource, *, now: Callable[[], datetime] = _now) -> None:
        self._now = now
        self._layout = Layout(settings.data_dir)
        # Launch files hold users' secrets.
        self._layout.clusters.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._clusters = Clusters(settings, self._layout)
        self._ray = RayApi(settings, self._clusters)
        overlays = Overlays(self._layout.environments, settings)
        self._works = Works(settings, self._layout, self._clusters, packages, overlays)
        self._sealing = sealing.Sealing(settings, self._works, self._ray)
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.queue = None

    # -- clusters -----------------------------------------------------------------------------------------------

    async def ensure_cluster(self, spec: ClusterSpec) -> None:
        await self._clusters.ensure(spec)

    async def observe_cluster(self, name: str) -> ClusterObserved | None:
        observed = watch.observe(self._clusters, name)
        if observed is None or not observed.head_ready or not self._has_running_work(name):
            return observed
        return replace(observed, pending_demand=await self._ray.pending_demand(name))

    async def dashboard(self, name: str) -> Dashboard | None:
        return self._clusters.dashboard(name)

    async def delete_cluster(self, name: str, *, keep_place: bool = False) -> None:
        paths = self._layout.cluster(name)
        works = [entry.name for entry in paths.works.iterdir()] if paths.works.is_dir() else []
        for work in works:
            await self._cancel(_setup(work), _seal(work))
        await remove_cluster(self._clusters, name)
        self._ray.forget(name)

    async def names(self) -> frozenset[str]:
        return self._clusters.names()

    def _has_running_work(self, cluster: str) -> bool:
        works = self._layout.cluster(cluster).works
        if not works.is_dir():
            return False
        running = (WorkPaths(folder) for folder in works.iterdir())
        return any(is_started(where) and not (where.root / "exit.json").exists() for where in running)

    # -- work ---------------------------------------------------------------------------------------------------

    async def ensure_work(self, spec: WorkSpec) -> None:
        where = self._works.record(spec)
        self._begin(_setup(spec.name), where, lambda: self._works.prepare_and_start(where))

    async def observe_work(self, name: str, cluster: str) -> WorkObserved | None:
        where = self._works.paths(name, cluster)
        now = self._now()
        observed = workwatch.observe(self._clusters, cluster, where, now)
        if observed is None or observed.sealed:
            return observed
        if where.seal.exists():
            # A seal that an earlier engine began goes on here.
            self._begin(_seal(name), where, lambda: self._sealing.seal(name, cluster, where))
        elif observed.started_at is not None and _setup(name) not in self._tasks:
            sealing.end_overdue(where, now)
            await self._works.keep_agent(cluster, where, now)
        return observed

    async def stop_work(self, name: str, cluster: str, grace_seconds: float, why: str) -> None:
        where = self._works.paths(name, cluster)
        sealing.stop(where, grace_seconds, why, self._now())
        if not is_started(where):
            await self._cancel(_setup(name))
            # The process may have been recorded between the two looks.
            sealing.stop(where, grace_seconds, why, self._now())

    async def seal_work(self, name: str, cluster: str) -> None:
        where = self._works.paths(name, cluster)
        await self._cancel(_setup(name))
        self._begin(_seal(name), where, lambda: self._sealing.seal(name, cluster, where))

    async def delete_work(self, name: str, cluster: str) -> None:
        await self._cancel(_setup(name), _seal(name))
        await sealing.forget(name, self._works.paths(name, cluster))

    async def close(self) -> None:
        await self._cancel(*self._tasks)
        await self._ray.close()

    # -- background ---------------------------------------------------------------------------------------------

    def _begin(self, key: str, where: WorkPaths, steps: Steps) -> None:
        """Run `steps` unless they run already. They may be cut off anywhere: all of them can be repeated."""
        if key not in self._tasks:
            task = asyncio.create_task(self._run(where, steps), name=key)
            self._tasks[key] = task
            task.add_done_callback(lambda _: self._tasks.pop(key, None))

    async def _run(self, where: WorkPaths, steps: Steps) -> None:
        try:
            await steps()
        except (EngineError, OSError) as error:
            # Shown meanwhile; the next call tries again.
            log.warning("engine_step_failed", work=where.root.name, reason=str(error))
            if not is_started(where):
                say_waiting(where, error)

    async def _cancel(self, *keys: str) -> None:
        tasks = [self._tasks[key] for key in keys if key in self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _setup(work: str) -> str:
    return f"setup:{work}"


def _seal(work: str) -> str:
    return f"seal:{work}"
