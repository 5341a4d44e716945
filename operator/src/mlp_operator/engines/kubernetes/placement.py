"""How the machines of a pool are told from others: by labels, and by a taint where they carry accelerators. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from mlp_operator.engines.kubernetes import names

GPU = "nvidia.com/gpu"
GPU_TAINT: dict[str, str] = {"key": GPU, "value": "present", "effect": "NoSchedule"}
GPU_TOLERATION: dict[str, str] = {"key": GPU, "operator": "Exists", "effect": "NoSchedule"}


@dataclass(frozen=True, slots=True)
class Placement:
    """A pool, as far as placing pods on it goes."""

    pool: str
    labels: tuple[tuple[str, str], ...] = ()
    has_gpus: bool = False

    @property
    def node_labels(self) -> dict[str, str]:
        """Selects exactly the pool's nodes; by the platform's own label where the pool says nothing."""
        return dict(self.labels) or {names.POOL: self.pool}

    @property
    def tolerations(self) -> list[dict[str, str]]:
        return [dict(GPU_TOLERATION)] if self.has_gpus else []

    @property
    def taints(self) -> list[dict[str, str]]:
        return [dict(GPU_TAINT)] if self.has_gpus else []
