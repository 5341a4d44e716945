"""As `following`, for the asynchronous client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from mlp.client.async_session import AsyncSession
from mlp.client.calls import jobs
from mlp.client.calls.jobs import LogQuery
from mlp.client.following import POLL_SECONDS
from mlp.client.logs import ENDS, TERMINAL, LineReader, LogLine, attempt_after
from mlp.client.sse import ServerEvent


async def follow_lines_async(
    session: AsyncSession,
    project: str,
    job: str,
    query: LogQuery,
    *,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> AsyncIterator[list[LogLine]]:
    """As `follow_lines`."""
    reader = LineReader()
    one_attempt = query.attempt is not None
    while True:
        end: ServerEvent | None = None
        async for event in session.events(jobs.follow_logs(project, job, query), ends=ENDS):
            end = event
            if lines := reader.event(event):
                yield lines
        yield reader.rest()
        if one_attempt or end is None:
            return
        while True:
            document: dict[str, Any] = await session.send(jobs.get(project, job).raw())
            following = attempt_after(end, document, query)
            if following is not None:
                query = following
                break
            if document["phase"] in TERMINAL:
                return
            await sleep(POLL_SECONDS)
