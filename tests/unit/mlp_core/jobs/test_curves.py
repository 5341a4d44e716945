from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from mlp.schemas.jobs import MetricPoint
from mlp_core.jobs.curves import merged_series, thin

AT = datetime(2026, 11, 30, tzinfo=UTC)


def points(*values: float, first: int = 0) -> list[MetricPoint]:
    return [
        MetricPoint(step=first + i, value=value, at=AT + timedelta(seconds=first + i)) for i, value in enumerate(values)
    ]


@given(values=st.lists(st.floats(-1e6, 1e6), max_size=300), max_points=st.integers(4, 60))
def test_a_thinned_series_keeps_its_ends_and_its_extremes(values: list[float], max_points: int) -> None:
    kept = [point.value for point in thin(points(*values), max_points)]
    assert len(kept) <= max(max_points, 0) or len(values) <= max_points
    if values:
        assert (kept[0], kept[-1]) == (values[0], values[-1])
        assert (min(kept), max(kept)) == (min(values), max(values))


@given(values=st.lists(st.floats(-1e6, 1e6), max_size=300), max_points=st.integers(4, 60))
def test_a_thinned_series_keeps_its_order(values: list[float], max_points: int) -> None:
    steps = [point.step for point in thin(points(*values), max_points)]
    assert steps == sorted(set(steps))


def test_a_value_that_is_no_number_survives_thinning() -> None:
    values = [1.0] * 500
    values[250] = math.nan
    assert any(math.isnan(point.value) for point in thin(points(*values), 20))


def test_a_step_logged_again_counts_as_the_later_attempt_logged_it() -> None:
    merged = merged_series("loss", {1: points(5, 4, 3, 2), 2: points(30, 20, 10, first=2)}, 100)
    assert [(point.step, point.value) for point in merged.points] == [(0, 5), (1, 4), (2, 30), (3, 20), (4, 10)]
    assert (merged.attempt, merged.total, merged.last, merged.min, merged.max) == (2, 5, 10, 4, 30)


def test_points_of_one_attempt_at_one_step_all_stay() -> None:
    same = [MetricPoint(step=0, value=value, at=AT + timedelta(seconds=value)) for value in (3, 1, 2)]
    merged = merged_series("loss", {1: same}, 100)
    assert [point.value for point in merged.points] == [1, 2, 3]


def test_nothing_logged_is_an_empty_series() -> None:
    empty = merged_series("loss", {}, 100)
    assert (empty.total, empty.last, empty.min, empty.points) == (0, None, None, [])
