"""What the API server refuses, as states that people see: a stable reason, and a sentence that says what to do."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine
from types import CoroutineType
from typing import Any, ParamSpec, TypeVar

from mlp_operator.engines.kubernetes.client import ApiError, NotAllowedError, Unavailable
from mlp_operator.engines.port import EngineAwayError, NotTakenError

P = ParamSpec("P")
T = TypeVar("T")

NOT_READY = "ClusterNotReady"
_WEBHOOK_FAILED = "failed calling webhook"


def worded(method: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, CoroutineType[Any, Any, T]]:
    """A method of the engine whose refusals come out as `EngineAwayError`."""

    @functools.wraps(method)
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await method(*args, **kwargs)
        except ApiError as error:
            raise EngineAwayError(*in_words(error)) from error

    return call


def not_taken(error: ApiError) -> NotTakenError:
    """Why Kubernetes does not take a job now. The job is kept and tried again."""
    return NotTakenError(*in_words(error))


def in_words(error: ApiError) -> tuple[str, str]:
    if isinstance(error, Unavailable):
        return _passing(error)
    if isinstance(error, NotAllowedError):
        told = "Kubernetes refuses the platform's credentials; an administrator must renew them or grant more"
        return "ClusterRefuses", f"{told}: {error.message}"
    if error.status == 404:
        told = "KubeRay or Kueue is not installed, or in a version that the platform does not know"
        return NOT_READY, f"{told}: {error.message}"
    return "ClusterRefuses", f"Kubernetes refuses it: {error.message}"


def _passing(error: Unavailable) -> tuple[str, str]:
    if _WEBHOOK_FAILED in error.message:
        return "KueueAway", "Kueue does not answer; nothing is lost, and it goes on when it does."
    if error.status == 429:
        return "ClusterBusy", "The Kubernetes API takes no more requests for now; nothing is lost, and it goes on soon."
    return (
        "ClusterAway",
        f"The Kubernetes API does not answer; nothing is lost, and it goes on when it does. {error.message}",
    )
