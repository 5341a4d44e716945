"""The engines that the contract is held against, and the one cluster most of it shares: each start costs seconds."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from mlp_operator.engines.local.engine import LocalEngine
from mlp_operator.engines.local.settings import LocalSettings
from mlp_operator.engines.port import ClusterSpec, ComputeEngine, NodeGroup
from support.agent_api import AgentApi
from support.engines import GIBIBYTE, Bench, Packages
from support.kubernetes_contract import KUBECONFIG, kubernetes_engine

MakeEngine = Callable[[], ComputeEngine]


@pytest.fixture(scope="session")
def agent_api() -> Iterator[AgentApi]:
    api = AgentApi().start()
    yield api
    api.stop()


@pytest.fixture(scope="session")
def packages() -> Packages:
    return Packages()


@pytest.fixture(scope="session")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("engine")


@pytest.fixture(scope="session")
def settings(data_dir: Path, agent_api: AgentApi) -> LocalSettings:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    return LocalSettings(
        data_dir=data_dir,
        api_url=agent_api.url,
        python=Path(sys.executable),
        port_base=23_000,
        simulate_gpus=True,
        poll_seconds=0.1,
        sample_seconds=1.0,
        drain_seconds=20.0,
    )


@pytest.fixture(scope="session", params=["local", "kubernetes"])
def make_engine(request: pytest.FixtureRequest, settings: LocalSettings, packages: Packages) -> MakeEngine:
    """Each call is an operator that starts anew over the same world."""
    if request.param == "local":
        return lambda: LocalEngine(settings, packages)
    kubeconfig = os.environ.get(KUBECONFIG)
    if kubeconfig is None:
        pytest.skip(f"no cluster is given by {KUBECONFIG}; `tests/kubernetes/engine/test_contract.py` gives one")
    return lambda: kubernetes_engine(Path(kubeconfig))


@pytest.fixture(scope="session")
async def engine(make_engine: MakeEngine) -> AsyncIterator[ComputeEngine]:
    made = make_engine()
    yield made
    for name in await made.names():
        await made.delete_cluster(name)
    await made.close()


def a_cluster(name: str, *groups: NodeGroup) -> ClusterSpec:
    head = NodeGroup("head", pool="cpu", replicas=1, cpu=1, memory_bytes=2 * GIBIBYTE)
    return ClusterSpec(name=name, project="demo", head=head, groups=groups)


@pytest.fixture(scope="session")
def cluster_spec() -> ClusterSpec:
    return a_cluster(
        "cls_contract",
        NodeGroup("prep", pool="cpu", replicas=1, cpu=1, memory_bytes=GIBIBYTE, labels=(("zone", "a"),)),
        NodeGroup("train", pool="gpu", replicas=1, cpu=1, memory_bytes=GIBIBYTE, gpu=2),
    )


@pytest.fixture(scope="session")
async def bench(engine: ComputeEngine, cluster_spec: ClusterSpec, agent_api: AgentApi, packages: Packages) -> Bench:
    """A ready cluster with a CPU group and a group of two logical GPUs."""
    bench = Bench(engine, cluster_spec.name, agent_api, packages)
    await bench.all_ready(cluster_spec)
    return bench
