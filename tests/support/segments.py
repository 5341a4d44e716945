"""Handing in log segments as an agent does."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field

import httpx

EPOCH_MS = 1_796_000_000_000
"""When the first byte of a test's log was read."""


@dataclass
class Agent:
    """One agent's side of the log path, over HTTP with the attempt's token."""

    http: httpx.AsyncClient
    at: dict[str, int] = field(default_factory=dict[str, int])
    """Next byte by source, as the server says."""
    ms: int = EPOCH_MS

    async def put(
        self,
        raw: bytes,
        source: str = "driver",
        *,
        start: int | None = None,
        times: list[list[int]] | None = None,
        **headers: str,
    ) -> httpx.Response:
        """Send one segment; by default right behind what was stored before, a second later."""
        self.ms += 1000
        sent = {
            "X-Log-Source": source,
            "X-Log-Start": str(self.at.get(source, 0) if start is None else start),
            "X-Log-Length": str(len(raw)),
            "X-Log-Times": json.dumps([[0, self.ms]] if times is None else times),
            "Content-Encoding": "gzip",
        } | headers
        answer = await self.http.put("/api/v1/agent/segments", content=gzip.compress(raw, 1), headers=sent)
        if answer.is_success:
            self.at[source] = answer.json()["next_byte"]
        return answer

    async def write(self, raw: bytes, source: str = "driver", **more: object) -> None:
        """As `put`, and it must be taken."""
        answer = await self.put(raw, source, **more)  # pyright: ignore[reportArgumentType]
        assert answer.status_code == 200, answer.text
