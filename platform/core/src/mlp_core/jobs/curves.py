"""Metric histories of attempts → series to draw. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby

from mlp.schemas.jobs import MetricPoint, MetricSeries


def merged_series(key: str, by_attempt: Mapping[int, Sequence[MetricPoint]], max_points: int) -> MetricSeries:
    """One series over all attempts. A step that was logged again by a later attempt counts as that one logged it."""
    by_step: dict[int, tuple[int, list[MetricPoint]]] = {}
    for attempt in sorted(by_attempt):
        ordered = sorted(by_attempt[attempt], key=lambda point: (point.step, point.at))
        for step, points in groupby(ordered, key=lambda point: point.step):
            by_step[step] = (attempt, list(points))
    points = [point for step in sorted(by_step) for point in by_step[step][1]]
    latest = max((attempt for attempt, _ in by_step.values()), default=max(by_attempt, default=0))
    finite = [point.value for point in points if math.isfinite(point.value)]
    return MetricSeries(
        key=key,
        attempt=latest,
        points=thin(points, max_points),
        total=len(points),
        last=points[-1].value if points else None,
        min=min(finite, default=None),
        max=max(finite, default=None),
    )


def thin(points: Sequence[MetricPoint], max_points: int) -> list[MetricPoint]:
    """At most `max_points` (at least 4) of them: first and last, and of each bucket between the lowest and highest.

    So that a spike stays visible, however far out one looks.
    """
    if len(points) <= max_points:
        return list(points)
    inner = points[1:-1]
    buckets = max(1, (max_points - 2) // 2)
    kept: list[MetricPoint] = [points[0]]
    for number in range(buckets):
        bucket = inner[len(inner) * number // buckets : len(inner) * (number + 1) // buckets]
        kept.extend(_extremes(bucket))
    return [*kept, points[-1]]


def _extremes(bucket: Sequence[MetricPoint]) -> list[MetricPoint]:
    """Lowest and highest in their order; a value that is no number is as telling as any spike."""
    if not bucket:
        return []
    indices = range(len(bucket))
    odd = next((i for i in indices if not math.isfinite(bucket[i].value)), None)
    low = min(indices, key=lambda i: _rank(bucket[i].value, math.inf))
    high = max(indices, key=lambda i: _rank(bucket[i].value, -math.inf))
    if odd is not None:
        low = odd
    return [bucket[i] for i in sorted({low, high})]


def _rank(value: float, instead: float) -> float:
    return value if math.isfinite(value) else instead
