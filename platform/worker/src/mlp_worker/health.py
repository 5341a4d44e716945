"""`/healthz` of the worker on loopback: whether its loop answers and its relay still looks at the outbox."""

from __future__ import annotations

import asyncio
import json
import time
from http import HTTPStatus

from mlp_worker.relay import Relay

STALE_SECONDS = 60.0
"""A relay that has not looked for this long is stuck. One that waits for the broker still looks."""
READ_SECONDS = 5.0


class Health:
    def __init__(self, relay: Relay, *, started_at: float) -> None:
        self._relay = relay
        self._started_at = started_at

    async def serve(self, port: int) -> None:
        """Answer until cancelled; 0 = do not listen."""
        if not port:
            return
        server = await asyncio.start_server(self._answer, "127.0.0.1", port)
        async with server:
            await server.serve_forever()

    def state(self) -> tuple[HTTPStatus, dict[str, object]]:
        last = self._relay.last_pass_at or self._started_at
        age = time.monotonic() - last
        status = HTTPStatus.OK if age < STALE_SECONDS else HTTPStatus.SERVICE_UNAVAILABLE
        return status, {
            "status": "ok" if status is HTTPStatus.OK else "stuck",
            "seconds_since_relay": round(age, 1),
            "waits_for": self._relay.trouble,
        }

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(READ_SECONDS):
                await reader.readuntil(b"\r\n\r\n")
            status, body = self.state()
            payload = json.dumps(body).encode()
            head = (
                f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: application/json\r\n"
                f"content-length: {len(payload)}\r\nconnection: close\r\n\r\n"
            )
            writer.write(head.encode() + payload)
            await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return
        finally:
            writer.close()
