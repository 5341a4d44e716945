"""Curves over attempts: one clean line, by stated rules."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from mlp_core.gateways.mlflow import Point
from mlp_core.tracking.curves import by_step, merge, thin

AT = datetime(2026, 11, 30, tzinfo=UTC)


def curve(steps: range, value: float, later: float = 0) -> list[Point]:
    return [Point("loss", value, step, AT + timedelta(seconds=step + later)) for step in steps]


def test_at_a_repeated_step_the_later_attempt_counts() -> None:
    merged = merge([curve(range(100), 1), curve(range(80, 200), 2)])
    assert [point.step for point in merged] == list(range(200))
    assert {point.value for point in merged if point.step >= 80} == {2}
    assert {point.value for point in merged if point.step < 80} == {1}


def test_clocks_of_different_machines_do_not_matter() -> None:
    merged = merge([curve(range(10), 1, later=3600), curve(range(5, 10), 2)])
    assert [point.value for point in merged] == [1] * 5 + [2] * 5


def test_of_several_ranks_at_one_step_the_last_logged_counts() -> None:
    ranks = [Point("loss", float(rank), 7, AT + timedelta(seconds=rank)) for rank in (2, 0, 1)]
    assert [point.value for point in by_step(ranks)] == [2]


def test_what_was_logged_out_of_order_stands_in_order() -> None:
    assert [point.step for point in by_step(reversed(curve(range(10), 1)))] == list(range(10))


@given(st.integers(0, 500), st.integers(2, 50))
def test_thinning_keeps_the_ends_and_the_order(count: int, limit: int) -> None:
    points = curve(range(count), 1)
    kept = thin(points, limit)
    assert len(kept) == min(count, limit)
    assert [point.step for point in kept] == sorted({point.step for point in kept})
    assert kept[:1] == points[:1]
    assert kept[-1:] == points[-1:]
