"""How many-th somebody is, and in the queue of which pool."""

from __future__ import annotations

import pytest

from mlp_core.domain.places import Place, Waiter, places_of


def test_each_pool_has_a_queue_of_its_own() -> None:
    order = [
        Waiter("a", ("cpu", "gpu")),
        Waiter("b", ("cpu",)),
        Waiter("c", ("cpu", "gpu")),
        Waiter("d", ("tpu",)),
    ]
    scarce = {"a": "gpu", "b": "cpu", "c": "gpu", "d": "tpu"}
    assert places_of(order, scarce) == {
        "a": Place("gpu", 1),
        "b": Place("cpu", 2),
        "c": Place("gpu", 2),
        "d": Place("tpu", 1),
    }


@pytest.mark.parametrize("scarce", [{}, {"c": "elsewhere"}])
def test_without_knowing_what_is_lacking_the_longest_wait_counts(scarce: dict[str, str]) -> None:
    order = [Waiter("a", ("cpu",)), Waiter("b", ("cpu",)), Waiter("c", ("cpu", "gpu"))]
    assert places_of(order, scarce)["c"] == Place("cpu", 3)


def test_of_equal_waits_the_workers_pool_is_told() -> None:
    assert places_of([Waiter("a", ("cpu", "cpu", "gpu"))], {})["a"] == Place("gpu", 1)


def test_nobody_waits_for_no_pool() -> None:
    assert places_of([Waiter("a", ())], {}) == {}
