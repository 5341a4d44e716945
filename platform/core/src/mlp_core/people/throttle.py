"""Slows down guessing of passwords. In memory and bounded: each api process counts for itself."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from mlp_core.domain.errors import LimitReached

FREE_FAILURES = 5
"""Wrong passwords for one user from one address before it has to wait."""
FREE_FAILURES_OF_ADDRESS = 50
"""The same over all users of one address: an office behind one gateway is not a guesser."""
LONGEST_WAIT_SECONDS = 300.0
FORGOTTEN_SECONDS = 900.0
MAX_KEPT = 20_000


@dataclass(slots=True)
class _Failures:
    count: int
    last: float


class SignInThrottle:
    """After some failures the wait doubles with each further one; success forgets those of the user."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._failures: OrderedDict[tuple[str, str], _Failures] = OrderedDict()

    def require_allowed(self, username: str, address: str) -> None:
        """
        Raises:
            LimitReached: too many failures; `data.retry_after_seconds` says how long to wait.
        """
        wait = max(
            self._wait((username.lower(), address), FREE_FAILURES),
            self._wait(("", address), FREE_FAILURES_OF_ADDRESS),
        )
        if wait > 0:
            seconds = math.ceil(wait)
            raise LimitReached(
                f"Too many failed attempts to sign in; wait {seconds} s.",
                hint="An administrator can set a new password.",
                data={"retry_after_seconds": seconds},
            )

    def failed(self, username: str, address: str) -> None:
        for key in ((username.lower(), address), ("", address)):
            known = self._known(key)
            self._failures[key] = _Failures((known.count if known else 0) + 1, self._monotonic())
            self._failures.move_to_end(key)
        while len(self._failures) > MAX_KEPT:
            self._failures.popitem(last=False)

    def succeeded(self, username: str, address: str) -> None:
        self._failures.pop((username.lower(), address), None)

    def _wait(self, key: tuple[str, str], free: int) -> float:
        known = self._known(key)
        if known is None or known.count < free:
            return 0.0
        delay = min(2.0 ** min(known.count - free, 16), LONGEST_WAIT_SECONDS)
        return max(0.0, known.last + delay - self._monotonic())

    def _known(self, key: tuple[str, str]) -> _Failures | None:
        known = self._failures.get(key)
        return known if known and self._monotonic() - known.last < FORGOTTEN_SECONDS else None
