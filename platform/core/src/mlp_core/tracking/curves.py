"""Metric curves over the attempts of a job. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mlp_core.gateways.mlflow import Point


def by_step(points: Iterable[Point]) -> list[Point]:
    """One point per step, in the order of steps.

    Of several points at one step, as when every rank logs, the one logged last counts; steps may come in any order.
    """
    latest: dict[int, Point] = {}
    for point in points:
        known = latest.get(point.step)
        if known is None or point.at >= known.at:
            latest[point.step] = point
    return [latest[step] for step in sorted(latest)]


def merge(attempts: Sequence[Sequence[Point]]) -> list[Point]:
    """One clean line out of the curves of attempts, earliest first: at a repeated step the later attempt counts.

    Clocks play no part between attempts, since they may run on different machines.
    """
    merged: dict[int, Point] = {}
    for points in attempts:
        merged.update({point.step: point for point in by_step(points)})
    return [merged[step] for step in sorted(merged)]


def thin(points: Sequence[Point], limit: int) -> list[Point]:
    """At most `limit` points, evenly chosen, the first and the last among them."""
    if len(points) <= limit:
        return list(points)
    stride = (len(points) - 1) / (limit - 1)
    return [points[round(index * stride)] for index in range(limit)]
