"""When a call is sent again. Every call may be: GET, PUT and DELETE by nature, POST by its idempotency key."""

from __future__ import annotations

import random
from dataclasses import dataclass

RETRIED_STATUSES = frozenset({429, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """`tries` in all; pauses double from `first_seconds` to `cap_seconds`, each cut at random by up to a half."""

    tries: int = 4
    first_seconds: float = 0.25
    cap_seconds: float = 8.0

    def pause_seconds(self, tries: int, chance: random.Random) -> float:
        """Pause after the `tries`-th failed try, 1 for the first."""
        full = min(self.cap_seconds, self.first_seconds * 2 ** min(tries - 1, 16))
        return full * (0.5 + chance.random() / 2)


NEVER = RetryPolicy(tries=1)
