"""The metrics of a job, read from MLflow: over all of its attempts, or of one."""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mlp.schemas.jobs import MetricPoint, Metrics, MetricSeries
from mlp_core.domain.errors import NotFound
from mlp_core.gateways.mlflow import Mlflow, Point
from mlp_core.jobs.curves import merged_series

DEFAULT_POINTS = 500
MAX_POINTS = 5000
MAX_SERIES = 100
"""Series of one answer; `Metrics.keys` always names all there are."""
_AT_ONCE = 4
"""Requests to MLflow at the same time: it has one worker."""


@dataclass(frozen=True, slots=True)
class AttemptRun:
    """Which run holds the metrics of which attempt."""

    attempt: int
    run_id: str


async def read_metrics(
    mlflow: Mlflow, project_id: str, runs: Sequence[AttemptRun], wanted: frozenset[str], max_points: int
) -> Metrics:
    """Series of the metrics in `wanted` (none = the first by name), merged over `runs`.

    No database session is open here: MLflow may take its time.

    Raises:
        Unavailable: MLflow does not answer.
    """
    limit = asyncio.Semaphore(_AT_ONCE)
    found = await asyncio.gather(*(_keys_of(mlflow, project_id, run, limit) for run in runs))
    keys = sorted(set[str]().union(*found))
    chosen = [key for key in keys if not wanted or key in wanted][:MAX_SERIES]
    holders = dict(zip(runs, found, strict=True))
    series = await asyncio.gather(*(_series(mlflow, project_id, key, holders, limit, max_points) for key in chosen))
    return Metrics(series=list(series), keys=keys)


async def _keys_of(mlflow: Mlflow, project_id: str, run: AttemptRun, limit: asyncio.Semaphore) -> frozenset[str]:
    """None for a run that a person deleted."""
    async with limit:
        try:
            return frozenset((await mlflow.runs.get(project_id, run.run_id)).metrics)
        except NotFound:
            return frozenset()


async def _series(
    mlflow: Mlflow,
    project_id: str,
    key: str,
    holders: Mapping[AttemptRun, frozenset[str]],
    limit: asyncio.Semaphore,
    max_points: int,
) -> MetricSeries:
    by_attempt: dict[int, list[MetricPoint]] = {}
    for run, keys in holders.items():
        if key in keys:
            async with limit:
                history = await mlflow.runs.metric_history(project_id, run.run_id, key)
            by_attempt[run.attempt] = [_point(point) for point in history]
    return merged_series(key, by_attempt, max_points)


def _point(point: Point) -> MetricPoint:
    """MLflow keeps the infinities as the largest numbers there are."""
    value = point.value if abs(point.value) < sys.float_info.max else math.copysign(math.inf, point.value)
    return MetricPoint(step=point.step, value=math.nan if math.isnan(point.value) else value, at=point.at)
