"""Events of pods that do not get on, asked for only then: most pods never need it, and events are many."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import timedelta

from mlp_operator.engines.kubernetes import client as kube
from mlp_operator.engines.kubernetes.causes import PodLook
from mlp_operator.engines.kubernetes.client import KubeClient
from mlp_operator.engines.kubernetes.reading import Manifest, text

SLOW = timedelta(seconds=15)
"""A pod that takes longer to begin is looked into."""
FRESH_SECONDS = 10.0
KEPT = 2000


class EventLookup:
    def __init__(self, client: KubeClient) -> None:
        self._client = client
        self._known: dict[str, tuple[float, tuple[Manifest, ...]]] = {}

    async def added(self, looks: tuple[PodLook, ...]) -> tuple[PodLook, ...]:
        return tuple([replace(look, events=await self._events(look)) if _is_slow(look) else look for look in looks])

    async def _events(self, look: PodLook) -> tuple[Manifest, ...]:
        uid, now = text(look.pod, "metadata", "uid"), time.monotonic()
        known = self._known.get(uid)
        if known is not None and now - known[0] < FRESH_SECONDS:
            return known[1]
        selector = f"involvedObject.uid={uid}"
        found, _ = await self._client.list(kube.EVENT, text(look.pod, "metadata", "namespace"), fieldSelector=selector)
        if len(self._known) >= KEPT:
            self._known.pop(next(iter(self._known)))
        self._known[uid] = now, tuple(found)
        return self._known[uid][1]


def _is_slow(look: PodLook) -> bool:
    return text(look.pod, "status", "phase") == "Pending" and look.age > SLOW
