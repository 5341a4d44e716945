"""One stage for all tests of the engine: a cluster takes half a minute to boot."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from cluster.cluster import Cluster
from mlp_operator.engines.kubernetes.client import KubeClient
from mlp_operator.engines.kubernetes.tenancy import Tenancy
from support.kubernetes_stage import Source, Stage, settings_of
from support.kueue_visibility import serve_queue_order


@pytest.fixture(scope="session")
async def stage(cluster: Cluster) -> AsyncIterator[Stage]:
    serve_queue_order(cluster)
    settings = settings_of(cluster)
    client = KubeClient(settings.kubeconfig, settings.request_seconds)
    source = Source()
    made = Stage(cluster, client, source, Tenancy(settings, client, source))
    yield made
    source.deleted |= set(source.projects)
    source.projects.clear()
    await made.tenancy.keep()
    for engine in made.engines.values():
        await engine.close()
    await client.close()
