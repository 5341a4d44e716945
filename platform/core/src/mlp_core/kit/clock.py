"""The clock, passed in at the edge so that tests own time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Protocol

TOLERATED_SKEW_SECONDS = 60.0
"""As much as tokens allow for. Leases, deadlines and expiries are judged by Postgres's clock alone."""


def skew_in_words(seconds: float) -> str | None:
    """`75 s ahead of`, for a clock that differs by so many seconds; None where that is tolerated."""
    if abs(seconds) <= TOLERATED_SKEW_SECONDS:
        return None
    return f"{abs(seconds):.0f} s {'ahead of' if seconds > 0 else 'behind'}"


class Clock(Protocol):
    def now(self) -> datetime: ...


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)


class FixedClock:
    """A clock that stands until it is moved; ships for tests."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at
