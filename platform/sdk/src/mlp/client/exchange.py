"""One call from first byte to result, without doing any I/O: what to send, when to send it again, what it meant."""

from __future__ import annotations

import json
import platform
import random
import sys
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from mlp import errors
from mlp.client.call import Call, Request, Response
from mlp.client.retry import RETRIED_STATUSES, RetryPolicy
from mlp.version import __version__

T = TypeVar("T")

IDEMPOTENCY_KEY = "Idempotency-Key"


@dataclass(frozen=True, slots=True)
class Origin:
    """Which platform, and as whom."""

    url: str
    token: str | None = None

    def headers(self) -> dict[str, str]:
        given = {
            "Accept": "application/json",
            "User-Agent": f"mlp/{__version__} python/{platform.python_version()} {sys.platform}",
            "X-Mlp-Client": __version__,
        }
        if self.token:
            given["Authorization"] = f"Bearer {self.token}"
        return given


def build(call: Call[Any], origin: Origin) -> Request:
    """The request for `call`. A POST always has an idempotency key, so that sending it twice does it once."""
    headers = origin.headers() | dict(call.headers)
    body = call.content
    if call.json is not None:
        body = json.dumps(call.json, ensure_ascii=False, separators=(",", ":")).encode()
        headers["Content-Type"] = "application/json"
    elif body is not None:
        headers.setdefault("Content-Type", "application/octet-stream")
    if call.method == "POST":
        headers.setdefault(IDEMPOTENCY_KEY, str(uuid.uuid4()))
    return Request(call.method, origin.url.rstrip("/") + call.target, headers, body)


class Exchange(Generic[T]):
    """The state of one call. A face asks for `request`, sends it, and reports `answered` or `failed`."""

    result: T

    def __init__(
        self,
        call: Call[T],
        origin: Origin,
        policy: RetryPolicy,
        *,
        now: Callable[[], float],
        chance: random.Random,
    ) -> None:
        self.request = build(call, origin)
        self._call = call
        self._origin = origin
        self._policy = policy
        self._now = now
        self._chance = chance
        self._until = now() + call.timeout_seconds
        self._tries = 0

    def remaining_seconds(self) -> float:
        """What is left for this call.

        Raises:
            DeadlineExceeded: nothing is.
        """
        left = self._until - self._now()
        if left <= 0:
            raise errors.DeadlineExceeded(
                f"The platform at {self._origin.url} did not answer within {self._call.timeout_seconds:g} s."
            )
        return left

    def answered(self, response: Response) -> float | None:
        """Take an answer: seconds to wait before sending again, or `None` when `result` is there.

        Raises:
            Error: the answer is final and not a success.
        """
        self._tries += 1
        if 200 <= response.status < 300:
            self.result = self._call.parse(content(response, self._origin.url))
            return None
        error = problem(response, self._origin.url)
        if response.status not in RETRIED_STATUSES or _is_a_limit(error):
            raise error
        wanted = retry_after_seconds(response.headers)
        return self._pause(error, wanted)

    def failed(self, error: errors.PlatformUnreachable) -> float:
        """Take a failure to get an answer: seconds to wait before sending again.

        Raises:
            PlatformUnreachable: it is not worth trying again.
        """
        self._tries += 1
        if isinstance(error, errors.UntrustedCertificate | errors.DeadlineExceeded):
            raise error
        return self._pause(error, None)

    def _pause(self, error: errors.Error, wanted: float | None) -> float:
        pause = self._policy.pause_seconds(self._tries, self._chance) if wanted is None else wanted
        if self._tries >= self._policy.tries or self._now() + pause >= self._until:
            raise error
        return pause


def _is_a_limit(error: errors.Error) -> bool:
    """A project's limit goes away when somebody makes room, a throttle by itself: only the latter names its time."""
    return isinstance(error, errors.LimitReached) and "retry_after_seconds" not in error.data


def content(response: Response, url: str) -> Any:
    """JSON of a successful answer; bytes where it is not JSON; `None` where it is empty.

    Raises:
        PlatformUnreachable: a web page came back, so something else than the platform answered.
    """
    if response.status == 204 or not response.body:
        return None
    kind = response.headers.get("content-type", "")
    if kind.startswith("text/html"):
        raise _not_the_platform(response, url)
    if "json" not in kind:
        return response.body
    try:
        return json.loads(response.body)
    except ValueError:
        raise _not_the_platform(response, url) from None


def problem(response: Response, url: str) -> errors.Error:
    """The error that an unsuccessful answer stands for."""
    if 300 <= response.status < 400:
        return errors.PlatformUnreachable(
            f"{url} redirects to {response.headers.get('location', 'another place')}.",
            hint="Use that address as the platform's URL (MLP_URL, or `mlp login URL`).",
        )
    try:
        document = json.loads(response.body)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        return _not_the_platform(response, url)
    known = {"status": response.status} | cast("dict[str, Any]", document)
    known.setdefault("request_id", response.headers.get("x-request-id"))
    return errors.from_problem(known, retry_after_seconds=retry_after_seconds(response.headers))


def _not_the_platform(response: Response, url: str) -> errors.PlatformUnreachable:
    return errors.PlatformUnreachable(
        f"What answers at {url} is not an mlp platform (HTTP {response.status}, "
        f"{response.headers.get('content-type', 'no content type')}).",
        hint="Check the URL, and whether a proxy stands between.",
    )


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """`Retry-After` in seconds; the form with a date is not used by the platform and is ignored."""
    value = headers.get("retry-after", "")
    return float(value) if value.isdigit() else None
