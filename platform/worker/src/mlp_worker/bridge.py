"""One event loop in a thread of its own, for the threads that Celery runs tasks and beat in."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class Bridge:
    """Runs coroutines of other threads on one loop, so that a process has one database pool and one HTTP client."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="loop", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of `work`, waited for in the calling thread."""
        return self.submit(work).result()

    def stop(self) -> None:
        """End the loop. What still runs on it is cancelled and gets a moment to let go of what it holds."""
        self.submit(self._cancel_all()).result(timeout=10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=5)

    async def _cancel_all(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.wait(others, timeout=8) if others else None
