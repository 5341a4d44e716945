"""What the local engine needs to know about its machine and platform. Built once, at the edge."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol


class PackageSource(Protocol):
    """Where packages come from: the platform's object store."""

    async def fetch(self, digest: str, into: Path) -> None:
        """Stream the zip of `digest` into a new file at `into`.

        Raises:
            PackageMissingError: the store has no such package; trying again does not help.
            EngineError: the store could not be read now.
        """
        ...


class PackageMissingError(Exception):
    """The object store has no package of this digest."""


@dataclass(frozen=True, slots=True)
class LocalSettings:
    data_dir: Path
    """Clusters, overlays and checkpoints live below it. It must be on one file system (renames)."""
    api_url: str
    """Where agents reach the api; used when a work names none."""
    python: Path = field(default_factory=lambda: Path(sys.executable))
    """The platform's Python, with Ray, MLflow and `mlp` installed."""
    uv: Path | None = None
    """The uv program; beside the platform's Python when None."""
    uv_environment: tuple[tuple[str, str], ...] = ()
    """Index options for uv, such as UV_INDEX_URL, on top of the operator's own environment."""
    ray_root: Path = field(default_factory=lambda: Path(tempfile.gettempdir()))
    """Short path for Ray's folders: a socket's path below it may have 107 bytes at most."""
    port_base: int = 20_000
    """First port given to clusters. Keep the range below the kernel's ephemeral ports (32768)."""
    port_limit: int = 32_000
    enforce_memory: bool = True
    """Give each node a memory cgroup where this process may; otherwise memory is declared to Ray only."""
    simulate_gpus: bool = False
    """Treat GPUs as logical even where the machine has real ones."""
    poll_seconds: float = 0.2
    sample_seconds: float = 5.0
    drain_seconds: float = 45.0
    """For logs and metrics of an ended work."""
    artifact_seconds: float = 1800.0
    """For the files that it leaves."""
    artifact_max_files: int = 10_000
    artifact_max_bytes: int = 100 * 2**30

    @property
    def uv_program(self) -> Path:
        return self.uv if self.uv is not None else self.python.parent / "uv"
