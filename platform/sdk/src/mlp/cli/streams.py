"""Standard streams that never fail on a character, and know when their reader has gone."""

from __future__ import annotations

import codecs
import io
import os
import sys
from typing import TextIO

HANDLER = "mlp.replace"


def _replace(error: UnicodeError) -> tuple[str, int]:
    """`?` for what the console cannot show, as many as it would have been wide."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    from mlp.cli.text import width

    text = error.object[error.start : error.end]
    return "?" * sum(max(1, width(char)) for char in text), error.end


def register() -> None:
    """Let streams and `shown_as` name the handler."""
    codecs.register_error(HANDLER, _replace)


def prepare() -> None:
    """Make the standard streams safe to write anything to."""
    register()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=HANDLER)


def encoding_of(stream: TextIO) -> str:
    return getattr(stream, "encoding", None) or "utf-8"


def is_utf8(stream: TextIO) -> bool:
    return encoding_of(stream).lower().replace("-", "").replace("_", "") == "utf8"


def silence_stdout() -> None:
    """The reader has gone: nothing may be written any more, not even when the interpreter flushes at its end."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
