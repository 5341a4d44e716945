"""Guessing passwords gets slower and slower; people who mistype do not notice."""

from __future__ import annotations

import pytest

from mlp_core.domain.errors import LimitReached
from mlp_core.people.throttle import (
    FORGOTTEN_SECONDS,
    FREE_FAILURES,
    FREE_FAILURES_OF_ADDRESS,
    LONGEST_WAIT_SECONDS,
    MAX_KEPT,
    SignInThrottle,
)


class Ticks:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def ticks() -> Ticks:
    return Ticks()


@pytest.fixture
def throttle(ticks: Ticks) -> SignInThrottle:
    return SignInThrottle(ticks)


def _wait(throttle: SignInThrottle, user: str = "ada", address: str = "a") -> int:
    try:
        throttle.require_allowed(user, address)
    except LimitReached as refused:
        return refused.data["retry_after_seconds"]
    return 0


def _fail(throttle: SignInThrottle, times: int, user: str = "ada", address: str = "a") -> None:
    for _ in range(times):
        throttle.failed(user, address)


def test_first_failures_are_free(throttle: SignInThrottle) -> None:
    _fail(throttle, FREE_FAILURES - 1)
    assert _wait(throttle) == 0


def test_each_further_failure_doubles_the_wait_up_to_a_bound(throttle: SignInThrottle) -> None:
    _fail(throttle, FREE_FAILURES)
    waits = [_wait(throttle)]
    for _ in range(10):
        _fail(throttle, 1)
        waits.append(_wait(throttle))
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, LONGEST_WAIT_SECONDS, LONGEST_WAIT_SECONDS]


def test_wait_ends(throttle: SignInThrottle, ticks: Ticks) -> None:
    _fail(throttle, FREE_FAILURES + 2)
    ticks.now += 3.5
    assert _wait(throttle) == 1
    ticks.now += 0.5
    assert _wait(throttle) == 0


def test_success_forgets_and_so_does_time(throttle: SignInThrottle, ticks: Ticks) -> None:
    _fail(throttle, FREE_FAILURES)
    throttle.succeeded("ADA", "a")
    assert _wait(throttle) == 0
    _fail(throttle, FREE_FAILURES + 8)
    ticks.now += FORGOTTEN_SECONDS
    assert _wait(throttle) == 0


def test_other_addresses_and_users_do_not_wait(throttle: SignInThrottle) -> None:
    _fail(throttle, FREE_FAILURES)
    assert _wait(throttle, address="b") == 0
    assert _wait(throttle, user="bob") == 0
    assert _wait(throttle, user="ADA") > 0


def test_one_address_cannot_try_everybody(throttle: SignInThrottle) -> None:
    for number in range(FREE_FAILURES_OF_ADDRESS):
        throttle.failed(f"user-{number}", "a")
    assert _wait(throttle, user="somebody else") > 0
    assert _wait(throttle, user="somebody else", address="b") == 0


def test_memory_is_bounded(throttle: SignInThrottle) -> None:
    for number in range(MAX_KEPT + 10):
        throttle.failed(f"user-{number}", f"address-{number}")
    assert len(throttle._failures) <= MAX_KEPT
