"""Places in the queue of a pool: who is how many-th, of all that wait for machines of it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    pool: str
    position: int
    """1 = the next one."""


@dataclass(frozen=True, slots=True)
class Waiter:
    """A job or cluster that waits. `pools`: where it wants nodes, the head's first."""

    id: str
    pools: tuple[str, ...]


def places_of(order: Iterable[Waiter], scarce: Mapping[str, str]) -> dict[str, Place]:
    """The place of each waiter of `order`, first come first.

    It is told for the pool that a waiter lacks now (`scarce`, by its id), and where that is not known for the pool in
    which it is the furthest from its turn; of equals for the last one, since workers are named after the head.
    """
    waiting: dict[str, int] = {}
    found: dict[str, Place] = {}
    for waiter in order:
        own = dict.fromkeys(waiter.pools)
        for pool in own:
            waiting[pool] = waiting.get(pool, 0) + 1
        if own:
            lacks = scarce.get(waiter.id)
            pool = lacks if lacks in own else max(reversed(own), key=lambda name: waiting[name])
            found[waiter.id] = Place(pool, waiting[pool])
    return found
