"""Shares of pools that projects are guaranteed: how large they are now, and what a pool keeps for them. Pure.

A share is lent out while its project does not use it. Kueue takes it back by preemption. The platform's own admission
ends nobody's work: who waits for the own share goes first, and its pools lend no more of it until it has started.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import floor

from mlp_core.domain.packing import NOTHING, Machines, NodeDemand, PoolShape, Shape

Shares = Mapping[str, Mapping[str, Shape]]
"""By project and pool."""
_EPSILON = 1e-6


def shares_of(machines: Mapping[str, Mapping[str, float]], pools: Iterable[PoolShape]) -> dict[str, dict[str, Shape]]:
    """What `machines`, by project and pool, come to.

    A pool with fewer machines than were promised gives everyone the same part of it; one that is gone gives nothing.
    """
    found: dict[str, dict[str, Shape]] = {project: {} for project in machines}
    for pool in pools:
        promised = sum(wanted.get(pool.name, 0.0) for wanted in machines.values())
        part = min(1.0, pool.machines / promised) if promised > 0 else 0.0
        for project, wanted in machines.items():
            share = wanted.get(pool.name, 0.0) * part
            if share > 0:
                found[project][pool.name] = _times(pool.machine, share)
    return found


def _times(machine: Shape, count: float) -> Shape:
    """Accelerators are whole."""
    return Shape(
        machine.cpu * count, int(machine.memory_bytes * count), float(floor(machine.gpu * count + _EPSILON))
    )  # fmt: skip


class Kept:
    """What of the shares is in use or waited for, told gang by gang."""

    def __init__(self, shares: Shares) -> None:
        self._shares = shares
        self._claimed: dict[tuple[str, str], Shape] = {}
        self._waited_for: dict[str, Shape] = {}

    def claim(self, project: str, demands: Iterable[NodeDemand]) -> None:
        """A gang of `project` holds its part of the shares, or is the next to get it."""
        for pool, wanted in _by_pool(demands).items():
            self._claimed[project, pool] = self._claimed.get((project, pool), NOTHING).plus(wanted)

    def is_within(self, project: str, demands: Iterable[NodeDemand]) -> bool:
        """Whether a gang asks for no more than is left of its project's own shares, in every pool that has one."""
        own = self._shares.get(project, {})
        wanted = {pool: shape for pool, shape in _by_pool(demands).items() if pool in own}
        return bool(wanted) and all(
            _fits(self._claimed.get((project, pool), NOTHING).plus(shape), own[pool]) for pool, shape in wanted.items()
        )

    def wait(self, project: str, demands: Iterable[NodeDemand]) -> None:
        """A gang that is within its project's shares has to wait: its pools keep for it what it wants."""
        own = self._shares.get(project, {})
        for pool, wanted in _by_pool(demands).items():
            if pool in own:
                self._waited_for[pool] = self._waited_for.get(pool, NOTHING).plus(wanted)

    def cut_by(self, demands: Iterable[NodeDemand], machines: Machines) -> str | None:
        """The pool in which a gang would take of what is kept; None where there is none."""
        if not self._waited_for:
            return None
        for pool, wanted in _by_pool(demands).items():
            kept = self._waited_for.get(pool)
            if kept is not None and _cuts(wanted, machines.free(pool), kept):
                return pool
        return None


def _cuts(wanted: Shape, free: Shape, kept: Shape) -> bool:
    """In a resource that is asked for: GPUs that are kept hold up no gang that wants none."""
    return (
        (wanted.gpu > 0 and free.gpu - wanted.gpu < kept.gpu - _EPSILON)
        or (wanted.cpu > 0 and free.cpu - wanted.cpu < kept.cpu - _EPSILON)
        or (wanted.memory_bytes > 0 and free.memory_bytes - wanted.memory_bytes < kept.memory_bytes)
    )


def _fits(wanted: Shape, share: Shape) -> bool:
    return (
        wanted.gpu <= share.gpu + _EPSILON
        and wanted.cpu <= share.cpu + _EPSILON
        and wanted.memory_bytes <= share.memory_bytes
    )


def _by_pool(demands: Iterable[NodeDemand]) -> dict[str, Shape]:
    found: dict[str, Shape] = {}
    for demand in demands:
        found[demand.pool] = found.get(demand.pool, NOTHING).plus(demand.node.times(demand.count))
    return found
