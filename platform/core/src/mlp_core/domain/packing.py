"""Packing nodes onto the machines of pools. Pure arithmetic on cores, bytes and devices.

Ray nodes are placed whole: a node never spans two machines, and a fraction of an accelerator never spans two
devices. Placement is first fit in decreasing order of size, machines in a fixed order, so that the same input
gives the same answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import floor

_EPSILON = 1e-9
"""Sums of decimal fractions such as 10 x 0.1 must fill a device exactly."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What one Ray node takes, or one machine has, or several together: cores, bytes, accelerators."""

    cpu: float
    memory_bytes: int
    gpu: float = 0.0

    def plus(self, other: Shape) -> Shape:
        return Shape(self.cpu + other.cpu, self.memory_bytes + other.memory_bytes, self.gpu + other.gpu)

    def times(self, count: int) -> Shape:
        return Shape(self.cpu * count, self.memory_bytes * count, self.gpu * count)


NOTHING = Shape(0.0, 0)


@dataclass(frozen=True, slots=True)
class PoolShape:
    """A pool: `machines` equal machines of shape `machine`."""

    name: str
    machine: Shape
    machines: int
    price_per_hour: float = 0.0
    is_default: bool = False
    accelerator: str | None = None


@dataclass(frozen=True, slots=True)
class NodeDemand:
    """`count` equal Ray nodes wanted in one pool; `group` names them for people."""

    group: str
    pool: str
    count: int
    node: Shape


@dataclass(slots=True)
class _Machine:
    cpu: float
    memory_bytes: int
    devices: list[float] = field(default_factory=list[float])

    def take(self, node: Shape) -> bool:
        """Place `node` here if it fits, and say whether it did."""
        if node.cpu > self.cpu + _EPSILON or node.memory_bytes > self.memory_bytes:
            return False
        if not self._take_devices(node.gpu):
            return False
        self.cpu -= node.cpu
        self.memory_bytes -= node.memory_bytes
        return True

    def _take_devices(self, gpu: float) -> bool:
        if gpu <= 0:
            return True
        if gpu < 1:
            # The fullest device that still has room, so that whole devices stay whole.
            fitting = [i for i, free in enumerate(self.devices) if free + _EPSILON >= gpu]
            if not fitting:
                return False
            best = min(fitting, key=lambda i: self.devices[i])
            self.devices[best] -= gpu
            return True
        whole = [i for i, free in enumerate(self.devices) if free + _EPSILON >= 1]
        if len(whole) < gpu:
            return False
        for i in whole[: int(gpu)]:
            self.devices[i] = 0.0
        return True


class Machines:
    """The free room of all pools, taken gang by gang."""

    def __init__(self, pools: tuple[PoolShape, ...]) -> None:
        self._pools = {pool.name: pool for pool in pools}
        self._machines = {pool.name: [_empty(pool) for _ in range(pool.machines)] for pool in pools}

    def take(self, gang: tuple[NodeDemand, ...]) -> NodeDemand | None:
        """Place a whole gang, or nothing of it; answers the first demand that does not fit, None if all did."""
        undo = {
            pool: [_Machine(m.cpu, m.memory_bytes, list(m.devices)) for m in self._machines.get(pool, [])]
            for pool in {demand.pool for demand in gang}
        }
        for demand in sorted(gang, key=_size, reverse=True):
            for _ in range(demand.count):
                if not any(machine.take(demand.node) for machine in self._machines.get(demand.pool, [])):
                    self._machines.update(undo)
                    return demand
        return None

    def room_for(self, demand: NodeDemand) -> int:
        """How many nodes of `demand`'s shape would fit now, at most `demand.count`."""
        machines = [_Machine(m.cpu, m.memory_bytes, list(m.devices)) for m in self._machines.get(demand.pool, [])]
        placed = 0
        while placed < demand.count and any(machine.take(demand.node) for machine in machines):
            placed += 1
        return placed

    def free(self, pool: str) -> Shape:
        """What is free in a pool, summed over its machines."""
        machines = self._machines.get(pool, [])
        return Shape(
            cpu=sum(machine.cpu for machine in machines),
            memory_bytes=sum(machine.memory_bytes for machine in machines),
            gpu=round(sum(sum(machine.devices) for machine in machines), 6),
        )


def largest_fraction(replicas: int, devices: int) -> float:
    """The largest share of a device at which `replicas` of them fit on `devices`, as 1/n."""
    if devices <= 0:
        return 0.0
    per_device = -(-replicas // devices)
    return 1.0 if per_device <= 1 else floor(1000 / per_device) / 1000


def _empty(pool: PoolShape) -> _Machine:
    return _Machine(pool.machine.cpu, pool.machine.memory_bytes, [1.0] * int(pool.machine.gpu))


def _size(demand: NodeDemand) -> tuple[float, float, int, str]:
    return (demand.node.gpu, demand.node.cpu, demand.node.memory_bytes, demand.group)
