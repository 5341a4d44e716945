"""What an engine reports about clusters and work, in the domain's words. Frozen snapshots; no behaviour."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from mlp.schemas.phases import FailureClass
from mlp_core.domain.admission import Verdict


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong, classified by the engine, with evidence."""

    failure_class: FailureClass
    message: str
    is_final: bool
    """Final trouble does not mend itself; the rest is shown and waited for."""
    hint: str | None = None
    node: str | None = None
    memory_used_bytes: int | None = None
    memory_limit_bytes: int | None = None
    last_lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QueueObserved:
    """How a job or named cluster stands in the queue of an engine that admits by itself."""

    verdict: Verdict
    trouble: Trouble | None = None


@dataclass(frozen=True, slots=True)
class ClusterObserved:
    """A cluster as the engine sees it now."""

    nodes_wanted: int
    nodes_ready: int
    head_ready: bool
    trouble: Trouble | None = None
    lost_nodes: tuple[str, ...] = ()
    """Nodes that were ready once and are gone."""
    pending_demand: tuple[str, ...] = ()
    """What Ray is asked for and cannot place, in words, such as `2 x {GPU: 0.6}`."""


@dataclass(frozen=True, slots=True)
class Dashboard:
    """Where a cluster's head answers, for the platform's own proxy alone."""

    url: str
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ArtifactsObserved:
    """How far the files that a work leaves are stored, from the beginning of its sealing on."""

    files: int
    files_stored: int
    bytes: int
    bytes_stored: int
    until: datetime
    """By then the engine has given up at the latest."""
    missing: tuple[str, ...] = ()
    """Names of files that are not stored (yet), the first few."""
    left_out: tuple[str, ...] = ()
    """What cannot be stored, with reasons, the first few."""
    left_out_count: int = 0

    @property
    def files_lost(self) -> int:
        """Once the work is sealed."""
        return self.files - self.files_stored


@dataclass(frozen=True, slots=True)
class WorkObserved:
    """One attempt's process as the engine sees it now."""

    setting_up: str | None = None
    """What it still waits for before the process starts, as a sentence; None once started."""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    exit_code: int | None = None
    signal: int | None = None
    timed_out: bool = False
    stopped: bool = False
    """It was asked to end by `stop_work`."""
    oom_kills: tuple[str, ...] = ()
    """Nodes on which the kernel or Ray killed something of this work for memory."""
    sealed: bool = False
    """Agents have shipped everything and ended, and nothing else of the work is left."""
    trouble: Trouble | None = None
    artifacts: ArtifactsObserved | None = None

    @property
    def has_ended(self) -> bool:
        return self.ended_at is not None


@dataclass(frozen=True, slots=True)
class EnvironmentLock:
    """A resolved environment: pinned requirements, one a line, and their digest."""

    digest: str
    python: str
    lock: str
