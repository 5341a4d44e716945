"""What the engine writes down. Everything it knows is in these files and in /proc, so a new process just reads on."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from mlp.runtime.pids import PidRecord as PidRecord
from mlp.schemas.phases import FailureClass
from mlp_core.domain.execution import EnvironmentLock

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class NodePorts:
    object_manager: int
    node_manager: int
    agent_grpc: int
    agent_http: int
    runtime_env: int
    metrics: int


@dataclass(frozen=True, slots=True)
class NodeRecord:
    name: str
    """`head` or `<group>-<i>`, counted from 0."""
    group: str
    pool: str
    cpu: float
    memory_bytes: int
    gpu: float
    labels: tuple[tuple[str, str], ...]
    ports: NodePorts
    temp_dir: Path
    object_store_bytes: int
    gpu_devices: tuple[int, ...] | None = None
    """Real devices given to this node; None where GPUs are logical."""

    @property
    def is_head(self) -> bool:
        return self.name == "head"


@dataclass(frozen=True, slots=True)
class ClusterRecord:
    name: str
    project: str
    created_at: datetime
    gcs_port: int
    dashboard_port: int
    ports_first: int
    ports_count: int
    ray_dir: Path
    memory: str
    """How memory limits are kept, in words: by cgroups, or declared only and why."""
    cgroup_version: int | None
    nodes: tuple[NodeRecord, ...]

    @property
    def head(self) -> NodeRecord:
        return self.nodes[0]


@dataclass(frozen=True, slots=True)
class NodeReady:
    """Written by the node itself once Ray has registered it."""

    node_id: str
    address: str
    logs: Path
    raylet_pid: int


@dataclass(frozen=True, slots=True)
class Setup:
    """How far a work's preparation is."""

    sentence: str
    failure_class: FailureClass | None = None
    """Set when it cannot go on (`is_final`) or waits to try again."""
    is_final: bool = False
    hint: str | None = None
    last_lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkRecord:
    """What `ensure_work` was asked for, so that a restarted engine can go on."""

    name: str
    cluster: str
    argv: tuple[str, ...] | None
    shell: str | None
    variables: tuple[tuple[str, str], ...]
    grace_seconds: float
    timeout_seconds: float | None
    checkpoint_key: str
    api_url: str
    token: str = field(repr=False)
    package_digest: str | None
    environment: EnvironmentLock | None


@dataclass(frozen=True, slots=True)
class WorkBaseline:
    """Out-of-memory kills by node counted before the work began, so that only its own are told."""

    oom_kills: dict[str, int]
    raylet_log_bytes: dict[str, int]
    """Length of each raylet's log, so that Ray's own kills before that point are not told either."""


@dataclass(frozen=True, slots=True)
class StopRecord:
    at: datetime
    grace_seconds: float
    why: str


@dataclass(frozen=True, slots=True)
class SealRecord:
    at: datetime
    until: datetime | None = None
    """By then its agent is ended, whatever is stored."""


@dataclass(frozen=True, slots=True)
class LostRecord:
    """The launcher was found gone without an `exit.json`."""

    at: datetime


def read_record(kind: type[Record], path: Path) -> Record | None:
    """The record in `path`; None where there is none, or one that no engine wrote whole."""
    try:
        return _adapter(kind).validate_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError, ValidationError):
        return None


def write_record(record: object, path: Path, *, secret: bool = False) -> None:
    """Replace `path` whole: a reader sees the old record or the new one."""
    content = _adapter(type(record)).dump_json(record, indent=1)
    write_bytes(content, path, mode=0o600 if secret else 0o644)


@cache
def _adapter(kind: type[Record]) -> TypeAdapter[Record]:
    """Building one takes a millisecond, using it microseconds, and every look at a cluster reads some files."""
    return TypeAdapter(kind)


def write_bytes(content: bytes, path: Path, *, mode: int = 0o644) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


class Layout:
    """Where things are below the data folder."""

    def __init__(self, data_dir: Path) -> None:
        self.clusters = data_dir / "clusters"
        self.environments = data_dir / "environments"
        self.checkpoints = data_dir / "checkpoints"

    def cluster(self, name: str) -> ClusterPaths:
        return ClusterPaths(self.clusters / _safe(name))

    def checkpoint(self, key: str) -> Path:
        return self.checkpoints / _safe(key)


@dataclass(frozen=True, slots=True)
class ClusterPaths:
    root: Path

    @property
    def record(self) -> Path:
        return self.root / "cluster.json"

    @property
    def deleting(self) -> Path:
        """While it exists, nothing of the cluster may start."""
        return self.root / "deleting"

    @property
    def token(self) -> Path:
        return self.root / "token"

    @property
    def works(self) -> Path:
        return self.root / "works"

    @property
    def nodes(self) -> Path:
        return self.root / "nodes"

    def node(self, name: str) -> ProcessPaths:
        return ProcessPaths(self.nodes / _safe(name))

    def work(self, name: str) -> WorkPaths:
        return WorkPaths(self.works / _safe(name))


@dataclass(frozen=True, slots=True)
class ProcessPaths:
    """The folder of one detached process."""

    root: Path

    @property
    def spec(self) -> Path:
        return self.root / "child.json"

    @property
    def config(self) -> Path:
        return self.root / "config.json"

    @property
    def lock(self) -> Path:
        return self.root / "lock"

    @property
    def pid(self) -> Path:
        return self.root / "pid.json"

    @property
    def log(self) -> Path:
        return self.root / "log"

    @property
    def ready(self) -> Path:
        return self.root / "ready.json"

    @property
    def starts(self) -> Path:
        """How often it was started, a number."""
        return self.root / "starts.json"


@dataclass(frozen=True, slots=True)
class WorkPaths:
    """The attempt's folder, shared by its nodes, and the engine's own corner in it."""

    root: Path

    @property
    def engine(self) -> Path:
        return self.root / ".engine"

    @property
    def record(self) -> Path:
        return self.engine / "work.json"

    @property
    def setup(self) -> Path:
        return self.engine / "setup.json"

    @property
    def baseline(self) -> Path:
        return self.engine / "baseline.json"

    @property
    def stop(self) -> Path:
        return self.engine / "stop.json"

    @property
    def seal(self) -> Path:
        return self.engine / "seal.json"

    @property
    def sealed(self) -> Path:
        return self.engine / "sealed.json"

    @property
    def lost(self) -> Path:
        return self.engine / "lost.json"

    @property
    def launcher(self) -> ProcessPaths:
        return ProcessPaths(self.engine / "launcher")

    @property
    def agent(self) -> ProcessPaths:
        return ProcessPaths(self.engine / "agent")

    @property
    def agent_state(self) -> Path:
        return self.engine / "agent" / "state"

    @property
    def python(self) -> Path:
        """The interpreter that Ray starts tasks with: enters the code folder, then becomes the overlay's."""
        return self.engine / "python"

    @property
    def marks(self) -> Path:
        """Where this work's Ray workers leave their mark; see `mlp.runtime.workers`."""
        return self.engine / "marks"

    @property
    def code(self) -> Path:
        return self.root / "code"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def driver_log(self) -> Path:
        return self.root / "logs" / "driver.log"

    @property
    def output(self) -> Path:
        return self.root / "output"

    @property
    def metrics(self) -> Path:
        return self.root / "metrics.jsonl"


def _safe(name: str) -> str:
    """`name` as one path component. Names are the platform's ids; anything else is a bug worth stopping at."""
    if not name or name.startswith(".") or "/" in name or "\0" in name or len(name) > 200:
        raise ValueError(f"{name!r} cannot name a folder.")
    return name
