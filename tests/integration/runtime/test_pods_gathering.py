"""The end of a work on a cluster that many works share, over real Ray nodes: each hands in what it has."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ray.cluster_utils import Cluster

from support.agent_api import AgentApi
from support.pods import FakePod
from support.processes import eventually

pytestmark = pytest.mark.timeout(400)


@pytest.fixture
def pods(tmp_path: Path, api: AgentApi) -> Iterator[tuple[FakePod, FakePod]]:
    head = FakePod(tmp_path / "head", api, is_shared=True)
    worker = FakePod(tmp_path / "worker", api, is_shared=True, group="prep", attempt=head.attempt)
    yield head, worker
    worker.close()
    head.close()


@pytest.fixture
def ray_cluster(pods: tuple[FakePod, FakePod]) -> Iterator[Any]:
    """A head and a worker, each with the environment of its pod."""
    made: Any = Cluster()
    for pod in pods:
        made.add_node(num_cpus=1, include_dashboard=pod.group == "head", env_vars=pod.variables)
    yield made
    made.shutdown()


def test_a_node_that_ran_something_of_the_work_hands_in_its_last_lines_and_forgets_it(
    pods: tuple[FakePod, FakePod], ray_cluster: Any, tmp_path: Path
) -> None:
    head, worker = pods
    given = tmp_path / "given"
    given.mkdir()
    worker.hand_work(given / "work.json")
    joined = worker.run_program(["worker", worker.attempt, "-c", "print('here')"], {"RAY_JOB_ID": "02000000"}, given)
    assert joined.wait(60) == 0
    worker.agent()
    out = worker.ray_logs / "worker-ab-02000000-5.out"
    out.write_text("first\n")
    eventually(lambda: bytes(worker.api.logs["prep-x7k2p/5"]) == b"first\n")
    left = subprocess.Popen(["sleep", "600"], env={"PATH": os.environ["PATH"], "MLP_ATTEMPT_ID": worker.attempt})

    out.open("a").write("last\n")
    words = [sys.executable, "-I", "-m", "mlp.runtime.pods.gathering", worker.attempt, "none", "60"]
    environment = os.environ | head.variables | {"RAY_ADDRESS": ray_cluster.address}
    gathered = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=200, check=False)
    assert gathered.returncode == 0, gathered.stderr
    assert left.wait(10) == -9
    assert bytes(worker.api.logs["prep-x7k2p/5"]) == b"first\nlast\n"
    eventually(lambda: not worker.place.root.exists())
