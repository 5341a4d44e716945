"""A range of ports per cluster: recorded, out of the ephemeral range, and probed free when taken."""

from __future__ import annotations

import errno
import socket
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mlp_operator.engines.local.state import NodePorts, read_record, write_record
from mlp_operator.engines.port import EngineError

PER_NODE = 6
HEAD_EXTRA = 2
BLOCK = 8
RESERVATION = "ports.json"
RESERVED_SECONDS = 300.0


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

    def used(self, nodes: int) -> range:
        return range(self.first, self.first + HEAD_EXTRA + nodes * PER_NODE)

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


def reserve(chosen: PortRange, folder: Path) -> None:
    """Tell other platforms of this machine which ports will be listened on in a moment."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_record(chosen, folder / RESERVATION)


def reservations(root: Path) -> list[PortRange]:
    """What was reserved lately by any platform; what is older is either in use, which a probe sees, or over."""
    recent = time.time() - RESERVED_SECONDS
    found = [read_record(PortRange, path) for path in root.glob(f"mlp-*/{RESERVATION}") if _written_at(path) > recent]
    return [one for one in found if one is not None]


def _written_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


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
