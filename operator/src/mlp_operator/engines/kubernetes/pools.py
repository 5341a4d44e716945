"""What the engine asks of the platform: where machines of a pool are found in the cluster."""

from __future__ import annotations

from typing import Protocol

from mlp_operator.engines.kubernetes.placement import Placement


class Pools(Protocol):
    async def placements(self) -> dict[str, Placement]:
        """By the pool's name."""
        ...
