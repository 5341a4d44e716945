"""Waiting on conditions with a deadline, never on time alone."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")
_LOOK_AGAIN = 0.05


async def eventually(look: Callable[[], Awaitable[T | None]], *, within: float = 20.0) -> T:
    """What `look` answers once it is truthy; fails after `within` seconds with the last answer."""
    until = time.monotonic() + within
    while True:
        found = await look()
        if found:
            return found
        if time.monotonic() > until:
            raise AssertionError(f"it did not come about within {within:g} s; last seen: {found!r}")
        await asyncio.sleep(_LOOK_AGAIN)
