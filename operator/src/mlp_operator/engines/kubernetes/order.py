"""The order in which Kueue looks at what waits.

Kueue tells it per ClusterQueue (its visibility API), so per project. Between projects it compares the first of each
queue, and so is it done here: by priority, then by age. Fair sharing may prefer another project's first one.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import structlog

from mlp_operator.engines.kubernetes.client import ApiError, KubeClient, Unavailable
from mlp_operator.engines.kubernetes.reading import items, number, text

VISIBILITY = "visibility.kueue.x-k8s.io/v1beta2"
_PAGE = 1000
_AT_ONCE = 8

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Pending:
    """One that waits, as its queue lists it."""

    namespace: str
    workload: str
    priority: int
    created: str


def merged(queues: Iterable[Sequence[Pending]]) -> list[Pending]:
    """One order over all queues: of their first ones the most important, then the oldest, again and again."""
    lists = [queue for queue in queues if queue]
    heads = [(_key(queue[0]), index, 0) for index, queue in enumerate(lists)]
    heapq.heapify(heads)
    order: list[Pending] = []
    while heads:
        _, index, at = heapq.heappop(heads)
        order.append(lists[index][at])
        if at + 1 < len(lists[index]):
            heapq.heappush(heads, (_key(lists[index][at + 1]), index, at + 1))
    return order


def _key(pending: Pending) -> tuple[int, str, str]:
    return -pending.priority, pending.created, pending.workload


class PendingWorkloads:
    """Asks Kueue, once per queue and never per job."""

    def __init__(self, client: KubeClient) -> None:
        self._client = client
        self._is_missing = False
        self._slots = asyncio.Semaphore(_AT_ONCE)

    async def of(self, cluster_queues: Iterable[str]) -> list[Pending]:
        """Everything that waits in these queues, in one order; nothing where Kueue does not tell.

        Raises:
            Unavailable: it does not answer now.
        """
        try:
            found = await asyncio.gather(*(self._queue(name) for name in sorted(cluster_queues)))
        except Unavailable:
            raise
        except ApiError as error:
            # An installation without the visibility server, or without the right to ask it: told once, not each time.
            if not self._is_missing:
                log.warning("queue_order_not_told", error=str(error))
            self._is_missing = True
            return []
        self._is_missing = False
        return merged(found)

    async def _queue(self, name: str) -> list[Pending]:
        path, found = f"/apis/{VISIBILITY}/clusterqueues/{name}/pendingworkloads", list[Pending]()
        while True:
            async with self._slots:
                query = {"limit": str(_PAGE), "offset": str(len(found))}
                page = items(await self._client.request("GET", path, query=query), "items")
            found += [
                Pending(
                    namespace=text(one, "metadata", "namespace"),
                    workload=text(one, "metadata", "name"),
                    priority=number(one, "priority"),
                    created=text(one, "metadata", "creationTimestamp"),
                )
                for one in page
            ]
            if len(page) < _PAGE:
                return found
