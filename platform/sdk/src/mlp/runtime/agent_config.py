"""What an agent is told: the file given to `python -I -m mlp.runtime.agent --config FILE`.

An engine builds an `AgentConfig` and writes it; the agent reads it once. The file holds the job token, so it is
written for its owner alone.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path

from mlp.runtime import _json
from mlp.runtime._json import JsonObject

POLL_SECONDS = 0.2
SAMPLE_SECONDS = 5.0
DRAIN_SECONDS = 45.0
ARTIFACT_SECONDS = 1800.0
ARTIFACT_STALL_SECONDS = 300.0
ARTIFACT_MAX_FILES = 10_000
ARTIFACT_MAX_BYTES = 100 * 2**30


@dataclass(frozen=True, slots=True)
class NodeConfig:
    """One Ray node that this agent looks after."""

    name: str
    """`head`, or `<group>-<i>`: the first part of its log sources."""
    log_globs: tuple[str, ...] = ()
    """Where Ray's worker files are, such as `/tmp/r/session_*/logs/worker-*`."""
    worker_env: dict[str, str] | None = None
    """On a shared cluster: only files of workers that carry these variables. None: every worker file is ours."""
    worker_marks: str | None = None
    """Folder in which this attempt's workers left their mark; see `mlp.runtime.workers`."""
    cgroup_memory: str | None = None
    cgroup_cpu: str | None = None
    pids_marker: str | None = None
    """`NAME=value` in the environment of the node's processes: they are counted where there is no cgroup."""
    memory_limit_bytes: int | None = None
    """The declared limit, where no cgroup knows it."""
    gpus: tuple[int, ...] = ()
    """Devices of the machine that are this node's."""

    @classmethod
    def of(cls, source: JsonObject) -> NodeConfig:
        """Raises `MalformedError`."""
        worker_env = source.get("worker_env")
        return cls(
            name=_json.as_text(source.get("name"), "name"),
            log_globs=_json.as_texts(source.get("log_globs", []), "log_globs"),
            worker_env=None if worker_env is None else _json.as_text_map(worker_env, "worker_env"),
            worker_marks=_json.optional_text(source, "worker_marks"),
            cgroup_memory=_json.optional_text(source, "cgroup_memory"),
            cgroup_cpu=_json.optional_text(source, "cgroup_cpu"),
            pids_marker=_json.optional_text(source, "pids_marker"),
            memory_limit_bytes=_json.optional_integer(source, "memory_limit_bytes"),
            gpus=tuple(_json.as_integer(index, "gpus") for index in _json.as_list(source.get("gpus", []), "gpus")),
        )


@dataclass(frozen=True, slots=True)
class AgentConfig:
    """One attempt's agent on one machine."""

    api_url: str
    attempt_id: str
    state_dir: str
    """The agent's own folder; a second agent on it steps back."""
    token: str = field(repr=False)
    """The attempt's job token."""
    nodes: tuple[NodeConfig, ...] = ()
    driver_log: str | None = None
    metrics_file: str | None = None
    poll_seconds: float = POLL_SECONDS
    sample_seconds: float = SAMPLE_SECONDS
    drain_seconds: float = DRAIN_SECONDS
    """How long it may go on shipping logs and metrics after SIGTERM."""
    output_dir: str | None = None
    """The files in it are stored as artifacts after SIGTERM."""
    artifact_seconds: float = ARTIFACT_SECONDS
    """How long that may take from SIGTERM on ..."""
    artifact_stall_seconds: float = ARTIFACT_STALL_SECONDS
    """... and how long it may get nowhere."""
    artifact_max_files: int = ARTIFACT_MAX_FILES
    artifact_max_bytes: int = ARTIFACT_MAX_BYTES

    @classmethod
    def read(cls, path: Path) -> AgentConfig:
        """Raises `FileNotFoundError` and `MalformedError`."""
        source = _json.read_object(path)

        def seconds(key: str, default: float) -> float:
            value = _json.optional_number(source, key)
            return default if value is None else value

        def count(key: str, default: int) -> int:
            value = _json.optional_integer(source, key)
            return default if value is None else value

        nodes = _json.as_list(source.get("nodes", []), "nodes")
        return cls(
            api_url=_json.as_text(source.get("api_url"), "api_url"),
            attempt_id=_json.as_text(source.get("attempt_id"), "attempt_id"),
            state_dir=_json.as_text(source.get("state_dir"), "state_dir"),
            token=_json.as_text(source.get("token"), "token"),
            nodes=tuple(NodeConfig.of(_json.as_object(node, "nodes")) for node in nodes),
            driver_log=_json.optional_text(source, "driver_log"),
            metrics_file=_json.optional_text(source, "metrics_file"),
            poll_seconds=seconds("poll_seconds", POLL_SECONDS),
            sample_seconds=seconds("sample_seconds", SAMPLE_SECONDS),
            drain_seconds=seconds("drain_seconds", DRAIN_SECONDS),
            output_dir=_json.optional_text(source, "output_dir"),
            artifact_seconds=seconds("artifact_seconds", ARTIFACT_SECONDS),
            artifact_stall_seconds=seconds("artifact_stall_seconds", ARTIFACT_STALL_SECONDS),
            artifact_max_files=count("artifact_max_files", ARTIFACT_MAX_FILES),
            artifact_max_bytes=count("artifact_max_bytes", ARTIFACT_MAX_BYTES),
        )

    def write(self, path: Path) -> None:
        _json.write_object(path, asdict(self), mode=0o600)
