"""What the operator says of itself: `/healthz` whether its loop still looks for due rows, `/readyz` whether it can."""

from __future__ import annotations

import time
from http import HTTPStatus

from mlp_operator.loop import Loop

STALE_SECONDS = 90.0
"""A loop that has not looked for this long is stuck. One that waits for the database still looks, at latest after the
half minute that a statement may take."""


class Health:
    def __init__(self, loop: Loop, *, started_at: float) -> None:
        self._loop = loop
        self._started_at = started_at

    def state(self) -> tuple[HTTPStatus, dict[str, object]]:
        age = time.monotonic() - (self._loop.last_look_at or self._started_at)
        status = HTTPStatus.OK if age < STALE_SECONDS else HTTPStatus.SERVICE_UNAVAILABLE
        return status, {
            "status": "ok" if status is HTTPStatus.OK else "stuck",
            "seconds_since_look": round(age, 1),
            "waits_for": self._loop.trouble,
        }

    def ready(self) -> tuple[HTTPStatus, dict[str, object]]:
        """Once it has looked for due rows, and while nothing keeps it from working on them."""
        is_ready = self._loop.last_look_at is not None and self._loop.trouble is None
        status = HTTPStatus.OK if is_ready else HTTPStatus.SERVICE_UNAVAILABLE
        return status, {"status": "ready" if is_ready else "waiting", "waits_for": self._loop.trouble}
