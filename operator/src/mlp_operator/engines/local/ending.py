"""Ending processes for sure."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

from mlp_operator.engines.local import processes
from mlp_operator.engines.port import EngineError

ROUNDS = 100
ROUND_SECONDS = 0.05
CALM_ROUNDS = 2
"""How often in a row nothing must be found: a process may fork between the look and the blow."""


async def end_all(living: Callable[[], frozenset[int]], what: str) -> None:
    """SIGKILL everything that `living` finds, again and again, until it finds nothing.

    Raises:
        EngineError: something does not die within some seconds (it is stuck in the kernel).
    """
    calm = 0
    found: frozenset[int] = frozenset()
    for _ in range(ROUNDS):
        found = await asyncio.to_thread(living)
        calm = 0 if found else calm + 1
        if calm == CALM_ROUNDS:
            return
        processes.send(found, signal.SIGKILL)
        await asyncio.sleep(ROUND_SECONDS if found else 0)
    raise EngineError(f"Processes of {what} do not die: {', '.join(map(str, sorted(found)))}.")
