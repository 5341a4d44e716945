"""Where things are in a pod. The layout below an attempt's folder is the local engine's."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from mlp.runtime.pods.timing import AWAIT_SECONDS, FLUSH_SECONDS, TRY_SECONDS
from mlp.runtime.records import METRICS_FILE

HEAD = "head"
RAY_MARK = "MLP_CONTAINER"
"""Set to `ray` in the Ray container: what carries it are the processes that the pod is there for."""
_TERMINATION_LOG = "/dev/termination-log"


@dataclass(frozen=True, slots=True)
class Pod:
    """What a container knows of its pod, from its environment."""

    name: str
    ray_cluster: str
    group: str
    grace_seconds: float
    folder: Path
    """Shared by the pod's containers, gone with the pod."""
    secret: Path | None
    """Folder with `work.json`, where the pod is for one attempt alone; None on a cluster that many works share."""
    checkpoints: Path | None
    """Shared by all pods of a project, and outlives them; None where the cluster has no such volume."""
    ray_logs: str
    memory_bytes: int | None
    """The Ray container's limit."""
    termination_log: Path
    await_seconds: float = AWAIT_SECONDS
    try_seconds: float = TRY_SECONDS
    flush_seconds: float = FLUSH_SECONDS

    @classmethod
    def of(cls, variables: Mapping[str, str]) -> Pod:
        """Raises `KeyError` for what the manifest must set."""
        secret, checkpoints = variables.get("MLP_WORK_DIR"), variables.get("MLP_CHECKPOINTS_DIR")
        memory = variables.get("MLP_MEMORY_BYTES")
        return cls(
            name=variables["MLP_POD"],
            ray_cluster=variables["MLP_RAY_CLUSTER"],
            group=variables["MLP_GROUP"],
            grace_seconds=float(variables["MLP_GRACE_SECONDS"]),
            folder=Path(variables["MLP_POD_DIR"]),
            secret=Path(secret) if secret else None,
            checkpoints=Path(checkpoints) if checkpoints else None,
            ray_logs=variables.get("MLP_RAY_LOGS", "/tmp/ray/session_2*/logs/worker-*"),  # noqa: S108 - a volume's place
            memory_bytes=int(memory) if memory else None,
            termination_log=Path(variables.get("MLP_TERMINATION_LOG", _TERMINATION_LOG)),
            await_seconds=float(variables.get("MLP_AWAIT_SECONDS", AWAIT_SECONDS)),
            try_seconds=float(variables.get("MLP_TRY_SECONDS", TRY_SECONDS)),
            flush_seconds=float(variables.get("MLP_FLUSH_SECONDS", FLUSH_SECONDS)),
        )

    @property
    def is_head(self) -> bool:
        return self.group == HEAD

    @property
    def node(self) -> str:
        """The first part of the names of its log sources: pods have no numbers, but a random end each."""
        return HEAD if self.is_head else f"{self.group}-{self.name.rpartition('-')[2]}"

    @property
    def is_shared(self) -> bool:
        """Whether it is of a cluster that many works share."""
        return self.secret is None

    def attempt(self, name: str) -> AttemptPlace:
        """The folder of one attempt: the pod's own, or on a shared cluster one of many."""
        return AttemptPlace(self._works / safe(name) if self.is_shared else self.folder)

    def attempts(self) -> Iterator[AttemptPlace]:
        """Those that have been brought in here."""
        roots = sorted(self._works.glob("*")) if self.is_shared else [self.folder]
        for root in roots:
            place = AttemptPlace(root)
            if place.work.exists():
                yield place

    def checkpoints_of(self, key: str, place: AttemptPlace) -> Path:
        return (self.checkpoints or place.root / "checkpoints") / safe(key)

    @property
    def _works(self) -> Path:
        return self.folder / "works"


@dataclass(frozen=True, slots=True)
class AttemptPlace:
    """The folder of one attempt in one pod, and the platform's own corner in it."""

    root: Path

    @property
    def engine(self) -> Path:
        return self.root / ".engine"

    @property
    def work(self) -> Path:
        """What the attempt is. It stands once the folder is laid out; its own copy, so it stays what it was."""
        return self.engine / "work.json"

    @property
    def setup_lock(self) -> Path:
        return self.engine / "setup.lock"

    @property
    def python(self) -> Path:
        """The interpreter that Ray starts tasks with. It stands once code and environment do."""
        return self.engine / "python"

    @property
    def secrets(self) -> Path:
        """What must stand on no command line, as shell lines for `python`."""
        return self.engine / "secrets.sh"

    @property
    def environment(self) -> Path:
        return self.engine / "environment"

    @property
    def marks(self) -> Path:
        return self.engine / "marks"

    @property
    def launcher(self) -> Path:
        """The launcher's process."""
        return self.engine / "launcher.json"

    @property
    def driver(self) -> Path:
        """The process of `drive`."""
        return self.engine / "driver.json"

    @property
    def seal(self) -> Path:
        """Nothing of the attempt runs on the head any more; its agent may finish."""
        return self.engine / "seal.json"

    @property
    def flushed(self) -> Path:
        """The agent has finished."""
        return self.engine / "flushed.json"

    @property
    def lost(self) -> Path:
        """The entrypoint and its launcher were found gone without a record of the end."""
        return self.engine / "lost.json"

    @property
    def agent_config(self) -> Path:
        return self.engine / "agent" / "config.json"

    @property
    def agent_state(self) -> Path:
        return self.engine / "agent" / "state"

    @property
    def agent_pid(self) -> Path:
        return self.engine / "agent" / "pid.json"

    @property
    def cgroup_memory(self) -> Path:
        """A link to the Ray container's control group, once that container runs."""
        return self.engine / "cgroup-memory"

    @property
    def cgroup_cpu(self) -> Path:
        return self.engine / "cgroup-cpu"

    @property
    def code(self) -> Path:
        return self.root / "code"

    @property
    def driver_log(self) -> Path:
        return self.root / "logs" / "driver.log"

    @property
    def output(self) -> Path:
        return self.root / "output"

    @property
    def metrics(self) -> Path:
        return self.root / METRICS_FILE

    def make(self) -> None:
        for folder in (self.engine, self.marks, self.agent_state, self.driver_log.parent, self.output):
            folder.mkdir(parents=True, exist_ok=True)


def this_pod() -> Pod:
    return Pod.of(os.environ)


def safe(name: str) -> str:
    """`name` as one path component. Names are the platform's ids; anything else is a defect worth stopping at."""
    if not name or name.startswith(".") or "/" in name or "\0" in name or len(name) > 200:
        raise ValueError(f"{name!r} cannot name a folder.")
    return name
