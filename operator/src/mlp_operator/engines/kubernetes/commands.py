"""A command in a running container: how a job is asked to end within its grace. Nothing else is ever run in a pod."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, cast

import aiohttp
from kubernetes.aio import client, stream

from mlp_operator.engines.kubernetes.client import configuration
from mlp_operator.engines.port import EngineError


class Commands:
    """Each command has a connection of its own: there are few, and a WebSocket is not kept."""

    def __init__(self, kubeconfig: Path | None, deadline_seconds: float) -> None:
        self._kubeconfig = kubeconfig
        self._deadline = deadline_seconds

    async def run(self, namespace: str, pod: str, container: str, command: list[str]) -> str:
        """Run it to its end; what it printed.

        Raises:
            EngineError: the pod or its node does not take it.
        """
        try:
            async with asyncio.timeout(self._deadline):
                return await self._run(namespace, pod, container, command)
        except (client.ApiException, aiohttp.ClientError, OSError, TimeoutError) as error:
            raise EngineError(f"Pod {pod} does not take a command: {error!r}") from error

    async def _run(self, namespace: str, pod: str, container: str, command: list[str]) -> str:
        connection: Any = cast(Any, stream).WsApiClient(await configuration(self._kubeconfig))
        try:
            core: Any = client.CoreV1Api(connection)
            answer = await core.connect_get_namespaced_pod_exec(
                pod, namespace, container=container, command=command,
                stdin=False, stdout=True, stderr=True, tty=False,
            )  # fmt: skip
            return str(answer)
        finally:
            await connection.close()
