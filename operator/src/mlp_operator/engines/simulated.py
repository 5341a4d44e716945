"""An engine without machines: the port's life cycle in memory, for tests of what stands above it.

A shell line says what its process does: `exit N` ends at once, anything else runs until `finish` or `stop_work`.
It is held to the life-cycle part of the same contract suite as the real engines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from mlp_core.domain.admission import Verdict
from mlp_core.domain.execution import ClusterObserved, Dashboard, QueueObserved, Trouble, WorkObserved
from mlp_operator.engines.port import (
    ClusterSpec,
    ComputeEngine,
    EngineAwayError,
    EngineError,
    EngineQueue,
    NotTakenError,
    WorkSpec,
)

_EXIT = re.compile(r"^exit (\d+)$")


@dataclass(slots=True)
class _Cluster:
    spec: ClusterSpec
    lost: set[str] = field(default_factory=set[str])
    trouble: Trouble | None = None


@dataclass(slots=True)
class _Work:
    spec: WorkSpec
    observed: WorkObserved


class SimulatedQueue(EngineQueue):
    """A queue in memory: whoever enters waits until a test says `admit`, and keeps its place when preempted."""

    def __init__(self) -> None:
        self.jobs: dict[str, Verdict] = {}
        self.entered: list[str] = []
        """In the order of entering; a job that keeps its place is not entered again."""
        self.refusal: NotTakenError | None = None
        self.trouble: EngineAwayError | None = None
        """Nothing can be asked of it."""

    async def enter(self, spec: ClusterSpec) -> None:
        if self.refusal is not None:
            raise self.refusal
        key = spec.place.job if spec.place is not None else spec.name
        if key not in self.jobs:
            self.entered.append(key)
            self.jobs[key] = Verdict(False, "WaitingForQuota", "Waits for quota.", len(self.jobs) + 1)

    async def observe(self, name: str) -> QueueObserved | None:
        if self.trouble is not None:
            raise self.trouble
        return QueueObserved(self.jobs[name]) if name in self.jobs else None

    async def order(self) -> list[str]:
        return [job for job, verdict in self.jobs.items() if not verdict.admitted]

    async def leave(self, job: str) -> None:
        self.jobs.pop(job, None)

    def admit(self, job: str) -> None:
        self.jobs[job] = replace(self.jobs[job], admitted=True, reason="Admitted", message="Admitted.")

    def preempt(self, job: str) -> None:
        self.jobs[job] = replace(self.jobs[job], admitted=False, reason="Preempted", message="Waits again.")


class SimulatedEngine(ComputeEngine):
    """Everything is ready at once, unless a test says otherwise through the public attributes."""

    def __init__(self) -> None:
        self.clusters: dict[str, _Cluster] = {}
        self.works: dict[str, _Work] = {}
        self.started: list[str] = []
        """Names of works in the order in which their process started; a name twice is a defect."""
        self.ready_nodes: int | None = None
        """At most so many nodes of each cluster come; None = all."""
        self.away = False
        """Every call fails as if the engine could not be reached."""
        self.trouble: EngineAwayError | None = None
        """Every call fails with it: a cause that people should know."""
        self.heads_at: str | None = None
        """Where all heads answer; None = nowhere yet."""
        self.dashboards_refused = False
        """Asking for the address of a head fails."""
        self.queue: EngineQueue | None = None
        """Set by a test that wants an engine which admits by itself."""

    async def ensure_cluster(self, spec: ClusterSpec) -> None:
        self._reach()
        self.clusters.setdefault(spec.name, _Cluster(spec))

    async def observe_cluster(self, name: str) -> ClusterObserved | None:
        self._reach()
        cluster = self.clusters.get(name)
        if cluster is None:
            return None
        wanted = 1 + sum(group.replicas for group in cluster.spec.groups)
        ready = min(wanted, self.ready_nodes if self.ready_nodes is not None else wanted) - len(cluster.lost)
        return ClusterObserved(
            nodes_wanted=wanted,
            nodes_ready=max(0, ready),
            head_ready=ready > 0 and "head" not in cluster.lost,
            trouble=cluster.trouble,
            lost_nodes=tuple(sorted(cluster.lost)),
        )

    async def dashboard(self, name: str) -> Dashboard | None:
        self._reach()
        if self.dashboards_refused:
            raise EngineError("The head's address cannot be asked for.")
        return None if self.heads_at is None or name not in self.clusters else Dashboard(self.heads_at, f"of {name}")

    async def delete_cluster(self, name: str, *, keep_place: bool = False) -> None:
        self._reach()
        cluster = self.clusters.get(name)
        if self.queue is not None and cluster is not None and cluster.spec.place is not None and not keep_place:
            await self.queue.leave(cluster.spec.place.job)
        self.clusters.pop(name, None)
        for work in [work for work, held in self.works.items() if held.spec.cluster == name]:
            del self.works[work]

    async def ensure_work(self, spec: WorkSpec) -> None:
        self._reach()
        if spec.cluster not in self.clusters:
            raise EngineError(f"there is no cluster '{spec.cluster}'")
        if spec.name in self.works:
            return
        self.started.append(spec.name)
        now = datetime.now(UTC)
        observed = WorkObserved(started_at=now)
        exits = _EXIT.match(spec.shell or "")
        if exits:
            observed = replace(observed, ended_at=now, exit_code=int(exits[1]))
        self.works[spec.name] = _Work(spec, observed)

    async def observe_work(self, name: str, cluster: str) -> WorkObserved | None:
        self._reach()
        work = self.works.get(name)
        return None if work is None or work.spec.cluster != cluster else work.observed

    async def stop_work(self, name: str, cluster: str, grace_seconds: float, why: str) -> None:
        self._reach()
        work = self.works.get(name)
        if work is not None and not work.observed.has_ended:
            work.observed = replace(work.observed, ended_at=datetime.now(UTC), signal=15, stopped=True)

    async def seal_work(self, name: str, cluster: str) -> None:
        self._reach()
        work = self.works.get(name)
        if work is not None:
            work.observed = replace(work.observed, sealed=True)

    async def delete_work(self, name: str, cluster: str) -> None:
        self._reach()
        self.works.pop(name, None)

    async def names(self) -> frozenset[str]:
        self._reach()
        return frozenset(self.clusters)

    async def close(self) -> None:
        return

    def finish(self, name: str, exit_code: int = 0, **facts: object) -> None:
        """Let a running process end."""
        work = self.works[name]
        ended = replace(work.observed, ended_at=datetime.now(UTC), exit_code=exit_code)
        work.observed = replace(ended, **facts)  # pyright: ignore[reportArgumentType]

    def lose(self, cluster: str, node: str) -> None:
        """A machine is gone."""
        self.clusters[cluster].lost.add(node)

    def _reach(self) -> None:
        if self.trouble is not None:
            raise self.trouble
        if self.away:
            raise EngineError("the engine does not answer")
