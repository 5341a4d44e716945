"""What the worker's `/healthz` says: whether its loop answers and its relay still looks at the outbox."""

from __future__ import annotations

import time
from http import HTTPStatus

from mlp_worker.relay import Relay

STALE_SECONDS = 60.0
"""A relay that has not looked for this long is stuck. One that waits for the broker still looks."""


class Health:
    def __init__(self, relay: Relay, *, started_at: float) -> None:
        self._relay = relay
        self._started_at = started_at

    def state(self) -> tuple[HTTPStatus, dict[str, object]]:
        last = self._relay.last_pass_at or self._started_at
        age = time.monotonic() - last
        status = HTTPStatus.OK if age < STALE_SECONDS else HTTPStatus.SERVICE_UNAVAILABLE
        return status, {
            "status": "ok" if status is HTTPStatus.OK else "stuck",
            "seconds_since_relay": round(age, 1),
            "waits_for": self._relay.trouble,
        }
