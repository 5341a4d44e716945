"""MLflow: where runs and models are kept. Spoken to over its REST API, as the platform's own user.

Everything takes a project's id and works in that project's workspace alone. The `mlflow` package itself is not
imported: it costs seconds and hundreds of megabytes in every process.
"""

from __future__ import annotations

from mlp_core.gateways.mlflow.experiments import Experiments
from mlp_core.gateways.mlflow.links import Links
from mlp_core.gateways.mlflow.models import Models, ModelVersion
from mlp_core.gateways.mlflow.passage import Passage
from mlp_core.gateways.mlflow.registry import Registry
from mlp_core.gateways.mlflow.runs import PARENT_TAG, Point, Run, Runs, RunStatus
from mlp_core.gateways.mlflow.server_info import ServerInfo
from mlp_core.gateways.mlflow.tokens import Minter
from mlp_core.gateways.mlflow.transport import Transport, WorkspaceMissing
from mlp_core.gateways.mlflow.workspaces import Workspaces
from mlp_core.kit.clock import Clock, SystemClock
from mlp_core.settings import Settings

__all__ = ["PARENT_TAG", "Links", "Mlflow", "ModelVersion", "Point", "Run", "RunStatus", "WorkspaceMissing"]


class Mlflow:
    """The MLflow server, by subject: `workspaces`, `experiments`, `runs`, `models`, `registry`, `passage` for what
    tenants send themselves, and `links` for people.

    Raises `Unavailable`, `NotFound` and `Invalid` of `mlp_core.domain.errors`, nothing else.
    """

    def __init__(self, *, base_url: str, public_url: str, secret: str, clock: Clock | None = None) -> None:
        ticking = clock or SystemClock()
        self.base_url = base_url.rstrip("/")
        self.links = Links(public_url)
        minter = Minter(secret, ticking)
        self._transport = Transport(self.base_url, minter)
        self.passage = Passage(self.base_url, minter)
        self.workspaces = Workspaces(self._transport)
        self.experiments = Experiments(self._transport, ticking)
        self.runs = Runs(self._transport)
        self.models = Models(self._transport)
        self.registry = Registry(self._transport)
        self.server_info = ServerInfo(self._transport)

    @classmethod
    def of(cls, settings: Settings, clock: Clock | None = None) -> Mlflow:
        return cls(
            base_url=settings.mlflow_url,
            public_url=settings.public_url,
            secret=settings.secret_key.get_secret_value(),
            clock=clock,
        )

    async def close(self) -> None:
        await self._transport.close()
        await self.passage.close()
