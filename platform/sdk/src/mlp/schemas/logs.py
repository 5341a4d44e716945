"""Logs as they are read: lines of text, made from the raw bytes that are stored.

A followed log (`.../logs?follow=true`, SSE) sends `log` (a `LogChunk`), and last `end` (a `LogEnd`).
"""

from __future__ import annotations

from pydantic import Field

from mlp.schemas.base import Instant, Wire
from mlp.schemas.phases import AttemptOutcome, JobPhase


class LogChunk(Wire):
    """Lines of one source, in the order they were written."""

    source: str = Field(description="`driver`, `<node>/<pid>` or `<node>/<pid>/err`.")
    attempt: int
    at: Instant = Field(description="When the agent read the lines.")
    start: int = Field(description="Number of the first line within its source, from 0.")
    lines: list[str]
    partial: bool = Field(
        default=False,
        description="The one line has no newline yet, such as a progress bar; it comes again with the same number.",
    )


class LogPage(Wire):
    """Lines of all sources that were asked for, by time."""

    items: list[LogChunk]
    next: str | None = Field(default=None, description="Cursor of the next page; null where nothing more is stored.")
    resume: str = Field(description="Cursor at which to follow on from here, as `Last-Event-ID` or `cursor`.")
    attempt: int = Field(description="Number of the attempt; 0 where none has started yet.")
    complete: bool = Field(description="The attempt has ended, so that nothing will be added.")


class LogSource(Wire):
    """One stream of bytes of an attempt."""

    source: str
    attempt: int
    bytes: int
    lines: int = Field(description="Complete lines.")


class LogEnd(Wire):
    """Everything was sent and nothing will come."""

    attempt: int
    outcome: AttemptOutcome | None = None
    phase: JobPhase
