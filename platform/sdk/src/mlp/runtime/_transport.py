"""The agent's way to the api: one kept connection, standard library only.

Every request here may be repeated without harm, which is what makes the retries right: the server knows what it has.
"""

from __future__ import annotations

import http.client
import random
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from mlp.runtime import _json
from mlp.runtime._json import MalformedError

_OVER = frozenset({401, 403, 410})
_FIRST_DELAY_SECONDS = 0.1
_LONGEST_DELAY_SECONDS = 5.0
REQUEST_SECONDS = 10.0


class AwayError(Exception):
    """The api cannot be reached. Try again later."""


class AttemptOverError(Exception):
    """The api refuses this token: the attempt has ended. Nothing more will be taken."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: bytes

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300

    @property
    def is_refusal(self) -> bool:
        """The same request would be refused again, unlike with a server that is busy or unwell."""
        return 400 <= self.status < 500 and self.status not in (408, 409, 425, 429)

    @property
    def next_byte(self) -> int | None:
        """Where the server wants to go on: in an acceptance, or in the `data` of a problem when there is a gap."""
        try:
            body = _json.parse_object(self.body, "answer")
            source = body if "next_byte" in body else _json.as_object(body.get("data", {}), "data")
            return _json.optional_integer(source, "next_byte")
        except MalformedError:
            return None


@dataclass
class Api:
    """Raises `AwayError` and `AttemptOverError`; any other answer is returned, also that of an unwell server."""

    url: str
    token: str = field(repr=False)
    timeout_seconds: float = REQUEST_SECONDS
    _connection: http.client.HTTPConnection | None = None

    def request(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Answer:
        kept = self._connection is not None
        try:
            answer = self._exchange(method, path, body, headers or {})
        except (OSError, http.client.HTTPException) as error:
            self.close()
            if not kept or isinstance(error, TimeoutError):
                raise AwayError(f"{type(error).__name__}: {error}") from error
            # A kept connection that the server has closed meanwhile says nothing about the server.
            return self.request(method, path, body, headers)
        if answer.status in _OVER:
            raise AttemptOverError(f"{method} {path}: {answer.status}")
        return answer

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _exchange(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Answer:
        parts = urlsplit(self.url)
        if self._connection is None:
            kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
            self._connection = kind(parts.hostname or "", parts.port, timeout=self.timeout_seconds)
        if self._connection.sock is not None:
            self._connection.sock.settimeout(self.timeout_seconds)
        self._connection.request(
            method,
            parts.path.rstrip("/") + path,
            body=body,
            headers={"Authorization": f"Bearer {self.token}", "Accept": "application/json"} | headers,
        )
        response = self._connection.getresponse()
        answer = Answer(response.status, response.read())
        if response.will_close:
            self.close()
        return answer


@dataclass
class Backoff:
    """When to try again, on the monotonic clock: soon at first, never more than five seconds apart."""

    failures: int = 0
    retry_at: float = 0.0

    def failed(self, now: float) -> None:
        delay = min(_LONGEST_DELAY_SECONDS, _FIRST_DELAY_SECONDS * 2 ** min(self.failures, 10))
        self.failures += 1
        # Spread, so that a thousand agents do not come back in one stroke.
        self.retry_at = now + delay * random.uniform(0.5, 1.0)  # noqa: S311 - not a secret

    def succeeded(self) -> None:
        self.failures = 0
        self.retry_at = 0.0
