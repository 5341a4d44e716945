"""Structured logs: one JSON object a line, or coloured text on a developer's terminal."""

from __future__ import annotations

import logging
import logging.config
from typing import Any, Literal

import structlog
from structlog.typing import Processor

_SHARED: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
]


def configure_logs(style: Literal["json", "console"], process: str, level: str = "INFO") -> None:
    """Send our own lines and those of every library to standard output in one shape, marked with `process`."""
    renderers: list[Processor] = (
        [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
        if style == "json"
        # Plain tracebacks: the pretty ones print local variables, which hold tokens, and take seconds to lay out.
        else [structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
    )
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level]),
        cache_logger_on_first_use=True,
    )
    structlog.contextvars.bind_contextvars(process=process)
    logging.config.dictConfig(_standard_library(renderers, level))


def _standard_library(renderers: list[Processor], level: str) -> dict[str, Any]:
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "ours": {
                "()": structlog.stdlib.ProcessorFormatter,
                "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *renderers],
                "foreign_pre_chain": _SHARED,
            }
        },
        "handlers": {"out": {"class": "logging.StreamHandler", "formatter": "ours", "stream": "ext://sys.stdout"}},
        "root": {"handlers": ["out"], "level": level},
        "loggers": {
            # They repeat what the middleware already says about each request.
            "uvicorn.access": {"level": "WARNING"},
            "httpx": {"level": "WARNING"},
            "alembic": {"level": "WARNING"},
        },
    }
