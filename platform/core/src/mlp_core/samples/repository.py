"""Queries of samples. An attempt's id has passed the scope's door before it comes here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from mlp.schemas.agent import GpuSample, Sample
from mlp.schemas.jobs import NodeSamples, SamplePoint
from mlp_core.tables import SampleRow

_RAW = 0


class SampleRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(self, attempt_id: str, node: str, samples: Sequence[Sample]) -> None:
        """Store samples; one that is there already stays as it is, so sending twice is sending once."""
        rows = [_row(attempt_id, node, sample) for sample in samples]
        await self._session.execute(insert(SampleRow).values(rows).on_conflict_do_nothing())

    async def series(
        self, attempt_id: str, attempt: int, max_points: int, node: str | None = None
    ) -> list[NodeSamples]:
        """Per node at most `max_points` points by time: averages of use, peaks of memory."""
        bucket = func.ntile(max_points).over(partition_by=SampleRow.node, order_by=SampleRow.at).label("bucket")
        rows = select(SampleRow, bucket).where(SampleRow.attempt_id == attempt_id)
        if node is not None:
            rows = rows.where(SampleRow.node == node)
        found = rows.subquery()
        thinned = (
            select(
                found.c.node,
                func.max(found.c.at).label("at"),
                func.avg(found.c.cpu_cores).label("cpu_cores"),
                func.max(found.c.memory_bytes).label("memory_bytes"),
                func.max(found.c.memory_limit_bytes).label("memory_limit_bytes"),
                func.avg(found.c.gpu_utilisation).label("gpu_utilisation"),
                func.max(found.c.gpu_memory_bytes).label("gpu_memory_bytes"),
            )
            .group_by(found.c.node, found.c.bucket)
            .order_by(found.c.node, func.max(found.c.at))
        )
        by_node: dict[str, list[SamplePoint]] = {}
        for row in await self._session.execute(thinned):
            by_node.setdefault(row.node, []).append(SamplePoint.model_validate(row, from_attributes=True))
        return [NodeSamples(node=name, attempt=attempt, points=points) for name, points in by_node.items()]


def _row(attempt_id: str, node: str, sample: Sample) -> dict[str, Any]:
    return {
        "attempt_id": attempt_id,
        "node": node,
        "resolution": _RAW,
        "at": sample.at,
        "cpu_cores": sample.cpu_cores,
        "memory_bytes": sample.memory_bytes,
        "memory_limit_bytes": sample.memory_limit_bytes,
        "gpu_utilisation": _mean_utilisation(sample.gpus),
        "gpu_memory_bytes": sum(gpu.memory_bytes for gpu in sample.gpus) if sample.gpus else None,
    }


def _mean_utilisation(gpus: Sequence[GpuSample]) -> float | None:
    """Percent, over all accelerators of the node."""
    return sum(gpu.utilisation for gpu in gpus) / len(gpus) if gpus else None
