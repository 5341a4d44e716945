"""The test cluster of this session, or the reason why this machine cannot run one."""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Generator

import pytest

from cluster.api import namespace
from cluster.cluster import Cluster, default_nodes, running_cluster, running_cluster_of
from cluster.real_nodes import default_real_nodes
from cluster.requirements import missing_requirements


@pytest.fixture(scope="session")
def cluster() -> Generator[Cluster]:
    """Control plane, KubeRay, Kueue and simulated nodes; the one of `make cluster` where MLP_TEST_CLUSTER names it."""
    if missing := missing_requirements():
        pytest.skip(" ".join(missing))
    if number := os.environ.get("MLP_TEST_CLUSTER"):
        yield running_cluster_of(int(number))
        return
    with running_cluster(_say, default_nodes()) as running:
        yield running


@pytest.fixture(scope="session")
def cluster_with_true_nodes() -> Generator[Cluster]:
    """The same with two true nodes, `real-cpu` and `real-gpu`, in place of simulated ones."""
    if missing := missing_requirements(true_nodes=True):
        pytest.skip(" ".join(missing))
    with running_cluster(_say, real=default_real_nodes()) as running:
        yield running


@pytest.fixture
def fresh_namespace(cluster: Cluster) -> Generator[str]:
    """A namespace that only this test uses."""
    with namespace(cluster.api, f"test-{uuid.uuid4().hex[:8]}") as name:
        yield name


def _say(line: str) -> None:
    """Progress, for whoever watches with `-s` or reads a failure."""
    print(line, file=sys.stderr)
