"""The compute engine: where Ray clusters live and work runs. `local` and `kubernetes` are its adapters.

Every call is idempotent under the deterministic names it is given and returns soon: nothing here waits for a
cluster to come up or a process to end. Progress is seen by observing again. The contract suite in
`tests/integration/engine_contract` holds for every adapter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from mlp_core.domain.execution import ClusterObserved, Dashboard, EnvironmentLock, QueueObserved, WorkObserved


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """Equal Ray nodes. The head is the group called `head` with one replica."""

    name: str
    pool: str
    replicas: int
    cpu: float
    memory_bytes: int
    gpu: float = 0.0
    labels: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """What an engine's own queue knows a job by, over all of its attempts."""

    job: str
    """Deterministic: the job's id."""
    priority: str
    grace_seconds: float
    timeout_seconds: float | None


@dataclass(frozen=True, slots=True)
class ClusterSpec:
    """A Ray cluster as the engine should make it. `name` is an attempt's or a named cluster's id."""

    name: str
    project: str
    head: NodeGroup
    groups: tuple[NodeGroup, ...]
    place: Place | None = None
    """Of an attempt's own cluster: where its job stands in the engine's queue. Engines without a queue pass it over."""


@dataclass(frozen=True, slots=True)
class WorkSpec:
    """One attempt's process on a cluster, started through our launcher on the head."""

    name: str
    """Deterministic: the attempt's id."""
    cluster: str
    argv: tuple[str, ...] | None
    shell: str | None
    variables: tuple[tuple[str, str], ...]
    """The user's variables and the platform's, the latter winning."""
    grace_seconds: float
    timeout_seconds: float | None
    checkpoint_key: str
    """Names the checkpoint folder that all attempts of a job share."""
    api_url: str
    token: str = field(repr=False)
    package_digest: str | None
    environment: EnvironmentLock | None


class EngineQueue(Protocol):
    """The queue of an engine that admits by itself. A job enters it once and keeps its place when it is preempted."""

    async def enter(self, spec: ClusterSpec) -> None:
        """Hand the job of `spec.place` over. Once, never twice.

        Raises:
            NotTakenError: the queue cannot take it now, and why.
        """
        ...

    async def observe(self, name: str) -> QueueObserved | None:
        """How a job, by its id, or a named cluster stands, in the queue's words.

        None where nothing of it is left, in the queue or started from it.
        """
        ...

    async def order(self) -> Sequence[str]:
        """Ids of the jobs and named clusters that wait, the first one first; empty where the queue does not tell."""
        ...

    async def leave(self, job: str) -> None:
        """Take it out, with all that was started for it. Done when `observe` says None."""
        ...


class ComputeEngine(Protocol):
    """What reconcilers may ask of the world. Raises `EngineError` for what a later try can mend."""

    queue: EngineQueue | None
    """None: the platform's own admission decides, by `mlp_core.domain.admission`."""

    async def ensure_cluster(self, spec: ClusterSpec) -> None:
        """Make the cluster exist: start what is not there, lost workers too. A head that was ready and is lost stays
        lost, because what Ray knew went with it.

        Raises:
            NotTakenError: an engine with a queue does not take a named cluster now, and why.
        """
        ...

    async def observe_cluster(self, name: str) -> ClusterObserved | None:
        """What is there now; None where nothing of that name is left."""
        ...

    async def dashboard(self, name: str) -> Dashboard | None:
        """Where the head of the cluster answers over HTTP, and the token that it asks for; None while it does not."""
        ...

    async def delete_cluster(self, name: str, *, keep_place: bool = False) -> None:
        """End every process of the cluster and its work. Gone when `observe_cluster` says None.

        With `keep_place` a job that the engine's queue itself has preempted stays in that queue.
        """
        ...

    async def ensure_work(self, spec: WorkSpec) -> None:
        """Fetch code and environment, then start the process on a ready head. Once, never twice.

        An engine with a queue is asked while nodes still start, and starts the process when all are ready.
        """
        ...

    async def observe_work(self, name: str, cluster: str) -> WorkObserved | None:
        """How the process stands; None where it was never started or is forgotten."""
        ...

    async def stop_work(self, name: str, cluster: str, grace_seconds: float, why: str) -> None:
        """Ask the process to end: notice, SIGTERM, grace, SIGKILL. Safe to repeat; the first grace counts."""
        ...

    async def seal_work(self, name: str, cluster: str) -> None:
        """Let the agents ship what is left, the files of the output folder included, and end all else of this work;
        `WorkObserved.sealed` tells when."""
        ...

    async def delete_work(self, name: str, cluster: str) -> None:
        """Forget the work and remove its folders. Gone when `observe_work` says None."""
        ...

    async def names(self) -> frozenset[str]:
        """Names of all clusters that exist, so that what no row wants is removed."""
        ...

    async def close(self) -> None:
        """Let go of connections. Clusters live on."""
        ...


class EngineError(Exception):
    """The engine could not do it now; trying again later may help."""


class EngineAwayError(EngineError):
    """Nothing can be asked of the engine now, for a cause that people should know; `reason` names that state."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class NotTakenError(EngineAwayError):
    """The engine does not take a job or a cluster now."""
