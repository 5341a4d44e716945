"""A range of ports per cluster: recorded, out of the ephemeral range, and probed free when taken."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mlp_operator.engines.local.state import NodePorts
from mlp_operator.engines.port import EngineError

PER_NODE = 6
HEAD_EXTRA = 2
BLOCK = 8


@dataclass(frozen=True, slots=True)
class PortRange:
    first: int
    count: int

    @property
    def gcs(self) -> int:
        return self.first

    @property
    def dashboard(self) -> int:
        return self.first + 1

    def node(self, index: int) -> NodePorts:
        first = self.first + HEAD_EXTRA + index * PER_NODE
        return NodePorts(*range(first, first + PER_NODE))

    @property
    def stop(self) -> int:
        return self.first + self.count


def allocate(nodes: int, taken: Iterable[PortRange], *, base: int, limit: int) -> PortRange:
    """The first range for `nodes` nodes that no cluster has and whose every port is free now.

    Raises:
        EngineError: no such range is left below `limit`.
    """
    needed = HEAD_EXTRA + nodes * PER_NODE
    count = -(-needed // BLOCK) * BLOCK
    others = sorted(taken, key=lambda other: other.first)
    for first in _starts(count, others, base, limit):
        if all(is_free(port) for port in range(first, first + needed)):
            return PortRange(first, count)
    raise EngineError(f"No {count} free ports in a row between {base} and {limit}.")


def _starts(count: int, taken: list[PortRange], base: int, limit: int) -> Iterator[int]:
    first = base
    while first + count <= limit:
        clash = next((other for other in taken if other.first < first + count and first < other.stop), None)
        if clash is None:
            yield first
            first += BLOCK
        else:
            first = clash.stop


def is_free(port: int) -> bool:
    """Whether a server could listen on `port` on every interface."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As servers do: a port whose last connections still linger is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
            probe.listen(1)
        except OSError as error:
            if error.errno in (errno.EADDRINUSE, errno.EACCES):
                return False
            raise
    return True
