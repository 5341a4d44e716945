"""Tells the platform how an attempt's process stands: the last report counts, and each is whole."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field

from mlp.runtime._transport import Api, AwayError, Backoff
from mlp.runtime.pods.standing import Standing

_SECONDS = 3.0
"""For one request. Who reports has other things to do, and tries again."""


@dataclass
class Reporter:
    """Keeps what is to be told until the api has it. Raises `AttemptOverError` once the api wants no more."""

    api: Api
    _wanted: Standing | None = None
    _told: Standing | None = None
    _backoff: Backoff = field(default_factory=Backoff)

    @classmethod
    def to(cls, api_url: str, token: str) -> Reporter:
        return cls(Api(api_url, token, _SECONDS))

    @property
    def is_through(self) -> bool:
        return self._wanted == self._told

    def tell(self, standing: Standing) -> None:
        """Tell it now, or where that does not work, with a later `push`."""
        self._wanted = standing
        self.push()

    def push(self) -> None:
        now = time.monotonic()
        if self._wanted is None or self.is_through or now < self._backoff.retry_at:
            return
        body = json.dumps(self._wanted.as_json()).encode()
        try:
            answer = self.api.request("PUT", "/api/v1/agent/report", body, {"Content-Type": "application/json"})
        except AwayError:
            self._backoff.failed(now)
            return
        if answer.is_success or answer.is_refusal:
            # Refused once, it would be refused again.
            self._told = self._wanted
            self._backoff.succeeded()
        else:
            self._backoff.failed(now)

    def push_until(self, until: float) -> bool:
        """Try until it is told, at most until `until` on the monotonic clock. True where it is."""
        while True:
            self.push()
            now = time.monotonic()
            if self.is_through or now >= until:
                return self.is_through
            time.sleep(max(0.01, min(self._backoff.retry_at, until) - now))
