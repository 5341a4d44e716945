"""The Kubernetes engine of an operator, wired to its database. Nothing is connected yet."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from mlp_core.kit.database import Database
from mlp_operator.engines.kubernetes.client import KubeClient
from mlp_operator.engines.kubernetes.database import StoredPools, StoredReports, StoredTenants, Waking
from mlp_operator.engines.kubernetes.engine import KubernetesEngine
from mlp_operator.engines.kubernetes.settings import KubernetesSettings
from mlp_operator.engines.kubernetes.tenancy import Tenancy

Helper = Callable[[], Coroutine[Any, Any, None]]


def make_engine(
    database: Database, settings: KubernetesSettings | None = None
) -> tuple[KubernetesEngine, tuple[Helper, ...]]:
    """The engine, and what must run beside the loop for it; settings from the environment where none are given."""
    settings = settings or KubernetesSettings()  # pyright: ignore[reportCallIssue] (filled from the environment)
    client = KubeClient(settings.kubeconfig, settings.request_seconds)
    waking = Waking(database)
    engine = KubernetesEngine(settings, client, StoredPools(database), StoredReports(database), waking.hear)
    tenancy = Tenancy(settings, client, StoredTenants(database))
    return engine, (waking.run, tenancy.keep_forever)
