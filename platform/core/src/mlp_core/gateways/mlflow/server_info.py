"""What the MLflow server says it can do, kept in memory.

MLflow's own client asks for it first and gives up after three seconds without another try, so an answer that had to
wait for a busy server would fail a healthy job. It changes only when the server is replaced.
"""

from __future__ import annotations

import asyncio
import contextlib

from mlp_core.domain.errors import DomainError
from mlp_core.gateways.mlflow.transport import Json, Transport

REFRESH_SECONDS = 60.0
_AGAIN_SECONDS = 1.0


class ServerInfo:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._known: Json | None = None

    async def get(self) -> Json:
        """The newest answer that is known; asked for where there is none yet.

        Raises:
            Unavailable: MLflow has not answered since this process started, and does not now.
        """
        return self._known if self._known is not None else await self._refresh()

    async def keep_fresh(self) -> None:
        """Ask again each minute, and each second until the first answer, until cancelled."""
        while True:
            with contextlib.suppress(DomainError):
                await self._refresh()
            await asyncio.sleep(_AGAIN_SECONDS if self._known is None else REFRESH_SECONDS)

    async def _refresh(self) -> Json:
        self._known = await self._transport.get(None, "/api/3.0/mlflow/server-info")
        return self._known
