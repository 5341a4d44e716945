"""What only Ray itself knows, asked over the head's HTTP interface: demand it cannot place, and detached actors.

Ray is never imported here: it would cost the operator some 200 MB. Nothing else depends on this interface; while the
dashboard is starting or gone, the answers are simply "nothing known".
"""

from __future__ import annotations

import asyncio
import json
import math
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import httpx

from mlp_operator.engines.local import nodes, processes
from mlp_operator.engines.local.clusters import Clusters
from mlp_operator.engines.local.settings import LocalSettings
from mlp_operator.engines.local.state import ClusterPaths, ClusterRecord, WorkPaths
from mlp_operator.engines.port import EngineError

DEMAND_SECONDS = 10.0
"""How old an answer about demand may be. Asking costs the head some 50 ms."""
TIMEOUT_SECONDS = 5.0
END_ACTORS = "mlp_operator.engines.local.end_actors"
END_ACTORS_TIMEOUT_SECONDS = 60.0
ROWS = 200
QUIET_RESOURCES = ("node:", "accelerator_type:", "object_store_memory")

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Waiting:
    """Something Ray has been asked for, by its id, with what it needs in words."""

    id: str
    words: str


@dataclass(slots=True)
class _Demand:
    asked_at: float
    waiting: frozenset[_Waiting]
    lasting: tuple[str, ...] = ()


class RayApi:
    """Asks heads. Holds one connection pool and the last answer per cluster, which nobody misses when it is lost."""

    def __init__(self, settings: LocalSettings, clusters: Clusters) -> None:
        self._settings = settings
        self._clusters = clusters
        self._client = httpx.AsyncClient(timeout=TIMEOUT_SECONDS, trust_env=False)
        self._demand: dict[str, _Demand] = {}

    async def close(self) -> None:
        await self._client.aclose()

    def forget(self, cluster: str) -> None:
        self._demand.pop(cluster, None)

    async def pending_demand(self, cluster: str) -> tuple[str, ...]:
        """What Ray has been unable to place for some time, such as `2 x {GPU: 0.6}`.

        Actors and placement groups hold what they have for good, so one that waits may wait for ever. Tasks queue
        behind each other by nature: only those that no node of the cluster could ever run are told.
        """
        now = asyncio.get_running_loop().time()
        known = self._demand.get(cluster)
        if known is not None and now - known.asked_at < DEMAND_SECONDS:
            return known.lasting
        found = self._clusters.find(cluster)
        if found is None:
            return ()
        waiting = await self._waiting(*found)
        # Only what waited at the last look too: a new actor waits some seconds for its process as a matter of course.
        lasting = waiting & known.waiting if known is not None else frozenset[_Waiting]()
        self._demand[cluster] = _Demand(now, waiting, _counted(lasting))
        return self._demand[cluster].lasting

    async def _waiting(self, cluster: ClusterRecord, paths: ClusterPaths) -> frozenset[_Waiting]:
        found: set[_Waiting] = set()
        for row in await self._rows(cluster, paths, "actors", "PENDING_CREATION"):
            found.add(_Waiting(str(row.get("actor_id")), _words(_resources(row.get("required_resources")))))
        for row in await self._rows(cluster, paths, "placement_groups", "PENDING"):
            bundles = [_resources(bundle.get("unit_resources")) for bundle in _list(row.get("bundles"))]
            found.add(_Waiting(str(row.get("placement_group_id")), " + ".join(_words(bundle) for bundle in bundles)))
        for row in await self._rows(cluster, paths, "tasks", "PENDING_NODE_ASSIGNMENT"):
            needs = _resources(row.get("required_resources"))
            if row.get("type") == "NORMAL_TASK" and not any(_could_run(needs, node) for node in _totals(cluster)):
                found.add(_Waiting(str(row.get("task_id")), _words(needs)))
        return frozenset(found)

    async def _rows(self, cluster: ClusterRecord, paths: ClusterPaths, kind: str, state: str) -> list[Row]:
        filters = {"filter_keys": "state", "filter_predicates": "=", "filter_values": state}
        return await self._get(cluster, paths, kind, {**filters, "detail": "1", "limit": str(ROWS)})

    async def _get(self, cluster: ClusterRecord, paths: ClusterPaths, kind: str, query: dict[str, str]) -> list[Row]:
        try:
            token = paths.token.read_text(encoding="ascii")
            answer = await self._client.get(
                f"http://127.0.0.1:{cluster.dashboard_port}/api/v0/{kind}",
                params=query,
                headers={"Authorization": f"Bearer {token}"},
            )
            answer.raise_for_status()
            body: Any = answer.json()
            return _list(body["data"]["result"]["result"])
        except (httpx.HTTPError, FileNotFoundError, ValueError, KeyError, TypeError):
            return []

    async def end_detached_actors(self, cluster: str, where: WorkPaths) -> None:
        """End the detached actors that the work left on a shared cluster, for good, so that Ray starts none anew."""
        found = self._clusters.find(cluster)
        if found is None:
            return
        record, paths = found
        marked = processes.marked(processes.WORK_MARK, where.root.name)
        rows = await self._get(record, paths, "actors", {"detail": "1", "limit": "10000"})
        ours = [
            [str(row.get("ray_namespace")), str(row.get("name"))]
            for row in rows
            if row.get("is_detached") and row.get("state") != "DEAD" and row.get("pid") in marked
        ]
        if ours:
            await self._end_actors(record, paths, ours)

    async def _end_actors(self, cluster: ClusterRecord, paths: ClusterPaths, names: list[list[str]]) -> None:
        environment = nodes.base_environment(cluster.name, (self._settings.python.parent,), os.environ)
        environment |= nodes.token_environment(paths.token) | {"RAY_LOG_TO_DRIVER": "0"}
        process = await asyncio.create_subprocess_exec(
            str(self._settings.python), "-P", "-m", END_ACTORS, str(paths.node("head").ready), json.dumps(names),
            env=environment, cwd=paths.root, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            async with asyncio.timeout(END_ACTORS_TIMEOUT_SECONDS):
                _, errors = await process.communicate()
        except TimeoutError:
            process.kill()
            raise EngineError(f"Detached actors on {cluster.name} could not be ended in time.") from None
        if process.returncode != 0:
            raise EngineError(f"Detached actors on {cluster.name} could not be ended: {errors.decode()[-300:]}")


def _list(value: Any) -> list[Row]:
    return cast(list[Row], value) if isinstance(value, list) else []


def _resources(value: Any) -> dict[str, float]:
    if not isinstance(value, dict):
        return {}
    items = cast(dict[str, Any], value).items()
    return {name: float(amount) for name, amount in items if amount and not name.startswith(QUIET_RESOURCES)}


def _totals(cluster: ClusterRecord) -> list[dict[str, float]]:
    return [
        {
            "CPU": math.ceil(node.cpu),
            "GPU": math.ceil(node.gpu),
            "memory": max(0, node.memory_bytes - node.object_store_bytes),
        }
        for node in cluster.nodes
    ]


def _could_run(needs: dict[str, float], node: dict[str, float]) -> bool:
    return all(amount <= node.get(name, 0.0) for name, amount in needs.items())


def _words(needs: dict[str, float]) -> str:
    """`{CPU: 1, GPU: 0.6}`."""
    return "{" + ", ".join(f"{name}: {amount:g}" for name, amount in sorted(needs.items())) + "}"


def _counted(waiting: frozenset[_Waiting]) -> tuple[str, ...]:
    counts = Counter(one.words for one in waiting)
    return tuple(f"{count} x {words}" for words, count in sorted(counts.items()))
