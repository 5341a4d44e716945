"""Following a log to the end of its job: one attempt after the other, each to its last line."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from mlp import errors
from mlp.client.calls import jobs
from mlp.client.calls.jobs import LogQuery
from mlp.client.logs import ENDS, TERMINAL, LineReader, LogLine, attempt_after
from mlp.client.session import Session
from mlp.client.sse import ServerEvent

POLL_SECONDS = 0.5


def follow_lines(
    session: Session,
    project: str,
    job: str,
    query: LogQuery,
    *,
    on_lost: Callable[[errors.Error | None], None] | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[list[LogLine]]:
    """Lines as they come, in batches; partial ones are among them, marked. Ends with the job, or with the attempt that
    was asked for."""
    reader = LineReader()
    one_attempt = query.attempt is not None
    while True:
        end: ServerEvent | None = None
        for event in session.events(jobs.follow_logs(project, job, query), ends=ENDS, on_lost=on_lost):
            end = event
            if lines := reader.event(event):
                yield lines
        yield reader.rest()
        if one_attempt or end is None:
            return
        while True:
            document: dict[str, Any] = session.send(jobs.get(project, job).raw())
            following = attempt_after(end, document, query)
            if following is not None:
                query = following
                break
            if document["phase"] in TERMINAL:
                return
            sleep(POLL_SECONDS)
