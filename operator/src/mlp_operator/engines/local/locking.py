"""Advisory file locks, waited for without blocking the loop. The kernel lets go of them when a process dies."""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

POLL_SECONDS = 0.05


@asynccontextmanager
async def locked(path: Path) -> AsyncGenerator[None]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        while not _try(descriptor):  # noqa: ASYNC110 - the kernel tells nobody when a lock is let go
            await asyncio.sleep(POLL_SECONDS)
        yield
    finally:
        os.close(descriptor)


def _try(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
