"""Which sources of a log a person means. Pure."""

from __future__ import annotations

from dataclasses import dataclass

DRIVER = "driver"
WORKER = "worker"
HEAD = "head"


@dataclass(frozen=True, slots=True)
class SourceFilter:
    """`driver`, `worker` (everything else), a node's name, `<node>/<pid>`, or a source exactly; none = all."""

    wanted: tuple[str, ...] = ()

    def matches(self, source: str) -> bool:
        return not self.wanted or any(_matches(source, wanted) for wanted in self.wanted)


def _matches(source: str, wanted: str) -> bool:
    if wanted == WORKER:
        return source != DRIVER
    if wanted == HEAD and source == DRIVER:
        return True  # the driver runs on the head
    return source == wanted or source.startswith(wanted + "/")
