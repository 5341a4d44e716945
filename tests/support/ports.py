"""Free loopback ports."""

from __future__ import annotations

import socket


def free_port() -> int:
    """A TCP port on which nothing listened a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
