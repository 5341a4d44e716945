"""A stream that outlives its connection: what to ask for next, and how long to wait before asking."""

from __future__ import annotations

import random
from collections.abc import Callable

from mlp import errors
from mlp.client.call import Call, Request, Response
from mlp.client.exchange import Origin, build, problem
from mlp.client.retry import RETRIED_STATUSES, RetryPolicy
from mlp.client.sse import ServerEvent, SseParser

PATIENCE_SECONDS = 600.0
"""How long a stream tries to come back before it gives up: a rolling upgrade of the platform fits well inside."""
_FIRST_PATIENCE_SECONDS = 15.0
"""The same before the first byte ever came: a platform that is not there is said soon."""
_POLICY = RetryPolicy(tries=1_000_000, first_seconds=0.2, cap_seconds=5.0)


class Resume:
    """The state of one stream of events across connections. No I/O."""

    def __init__(
        self,
        call: Call[None],
        origin: Origin,
        *,
        ends: frozenset[str],
        now: Callable[[], float],
        chance: random.Random,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        self._call = call
        self._origin = origin
        self._ends = ends
        self._now = now
        self._chance = chance
        self._patience_seconds = patience_seconds
        self._parser = SseParser()
        self._cursor: str | None = None
        self._tries = 0
        self._lost_at: float | None = None
        self._was_open = False
        self.ended = False

    def request(self) -> Request:
        """Opens the stream, behind the last event seen."""
        self._parser = SseParser()
        headers = {"Accept": "text/event-stream", "Cache-Control": "no-cache"}
        if self._cursor is not None:
            headers["Last-Event-ID"] = self._cursor
        return build(self._call.with_headers(**headers), self._origin)

    def feed(self, piece: bytes) -> list[ServerEvent]:
        """Events in `piece`. Sets `ended` behind an event that ends the stream."""
        found = self._parser.feed(piece)
        for event in found:
            self._cursor = event.id or self._cursor
            self.ended = self.ended or event.name in self._ends
        if piece:
            self._tries, self._lost_at, self._was_open = 0, None, True
        return found

    def refused(self, response: Response) -> float:
        """The platform did not open the stream: seconds to wait, or raise where trying again is no use."""
        error = problem(response, self._origin.url)
        if response.status not in RETRIED_STATUSES:
            raise error
        return self.lost(error)

    def lost(self, error: errors.Error | None = None) -> float:
        """The connection is gone: seconds to wait before asking again.

        Raises:
            PlatformUnreachable: the patience is used up, or the certificate is not to be trusted.
        """
        if isinstance(error, errors.UntrustedCertificate):
            raise error
        now = self._now()
        self._lost_at = now if self._lost_at is None else self._lost_at
        patience = self._patience_seconds if self._was_open else _FIRST_PATIENCE_SECONDS
        if now - self._lost_at > patience:
            raise error or errors.PlatformUnreachable(
                f"The stream from {self._origin.url} broke off and could not be opened again."
            )
        self._tries += 1
        return self._parser.retry_seconds or _POLICY.pause_seconds(self._tries, self._chance)
