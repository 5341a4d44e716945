"""The whole way on true nodes: `mlp job submit`, pods, Ray Train, MLflow and its registry, logs, and nothing left.

The platform's own processes run on this machine; what jobs run in is the product's image, and Kueue, KubeRay and the
kubelets are the real ones. No pod reaches anything but this machine.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

import mlp
from cluster.cluster import Cluster, running_cluster
from cluster.real_nodes import default_real_nodes
from cluster.requirements import missing_requirements
from mlp_operator.engines.kubernetes import names
from support import containers
from support.kubernetes_platform import PROJECT, KubernetesPlatform, running_kubernetes_platform
from support.package_index import package_index
from support.postgres import Postgres

pytestmark = pytest.mark.timeout(3600)
NAMESPACE = names.namespace(PROJECT)
DIGITS = Path(__file__).parents[2] / "examples/digits"
CLAIM = "checkpoints"
SMALL: dict[str, Any] = {
    "head": {"cpu": 0.6, "memory": "3Gi"},
    "groups": [
        {"name": "preprocess", "pool": "cpu", "cpu": 0.4, "memory": "2Gi"},
        {"name": "train", "pool": "gpu", "gpu": 1, "cpu": 1, "memory": "2Gi"},
    ],
}
"""What the example asks for, as small as two nodes on one machine of two cores need it."""


@dataclass(frozen=True)
class Stage:
    """A platform over true nodes, and a person who types commands."""

    platform: KubernetesPlatform
    folder: Path

    @property
    def cluster(self) -> Cluster:
        return self.platform.cluster

    def mlp(self, *words: str, cwd: Path | None = None) -> str:
        """What `mlp WORDS` prints; it must succeed."""
        url = f"http://127.0.0.1:{self.platform.services['api'].port}"
        given = {"MLP_URL": url, "MLP_TOKEN": self.platform.token, "MLP_PROJECT": PROJECT, "HOME": str(self.folder)}
        done = subprocess.run(
            [str(Path(sys.executable).parent / "mlp"), *words], cwd=cwd or self.folder, env=os.environ | given,
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"mlp {' '.join(words)}: {done.stdout}{done.stderr}"
        return done.stdout

    def submit(self, folder: Path) -> mlp.Job:
        return self.platform.job(json.loads(self.mlp("job", "submit", "--json", cwd=folder))["id"])


@pytest.fixture(scope="module")
def own_cluster() -> Generator[Cluster]:
    """A cluster whose true nodes have the product's image, and none but that."""
    if missing := missing_requirements(true_nodes=True):
        pytest.skip(" ".join(missing))
    try:
        containers.require()
    except containers.CannotRun as error:
        pytest.skip(str(error))
    images = [containers.oci_archive(containers.RAY)]
    with running_cluster(print, real=default_real_nodes(), images=images) as made:
        yield made


@pytest.fixture(scope="module")
def stage(own_cluster: Cluster, postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Generator[Stage]:
    cluster, folder, image = own_cluster, tmp_path_factory.mktemp("platform"), containers.built(containers.RAY)
    machine = cluster.network.machine
    with package_index(machine) as index:
        settings = {
            "MLP_KUBERNETES_RUNTIME_IMAGE": image,
            "MLP_KUBERNETES_CHECKPOINT_CLAIM": CLAIM,
            "MLP_KUBERNETES_ENVIRONMENT": json.dumps({"UV_DEFAULT_INDEX": index}),
        }
        with running_kubernetes_platform(cluster, postgres, folder, reached_at=machine, **settings) as platform:
            offer_checkpoints(cluster, folder / "checkpoints")
            yield Stage(platform, folder)


def offer_checkpoints(cluster: Cluster, folder: Path) -> None:
    """A volume for the checkpoints of the project's jobs: both nodes are this machine, so they share a folder."""
    folder.mkdir()
    folder.chmod(0o777)
    size, modes = {"storage": "10Gi"}, ["ReadWriteMany"]
    volume = {"capacity": size, "accessModes": modes, "hostPath": {"path": str(folder)}, "storageClassName": ""}
    claim = {"accessModes": modes, "resources": {"requests": size}, "storageClassName": "", "volumeName": CLAIM}
    cluster.api.apply(
        {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": CLAIM}, "spec": volume},
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": CLAIM, "namespace": NAMESPACE},
            "spec": claim,
        },
    )


def test_digits_from_the_command_line_to_the_model_registry(stage: Stage, tmp_path: Path) -> None:
    folder = tmp_path / "digits"
    shutil.copytree(DIGITS, folder)
    before, _, rest = (folder / "mlp.yaml").read_text().partition("resources:\n")
    after = rest[rest.index("timeout:") :]
    (folder / "mlp.yaml").write_text(f"{before}resources: {json.dumps(SMALL)}\n{after}")
    job = stage.submit(folder)

    stage.platform.until_phases([job.id], "running", "succeeded", "failed", within=900)
    assert_dashboard_is_closed(stage)
    stage.platform.until_ended([job.id], within=900)
    ended = stage.platform.job(job.id).read
    assert ended.phase == "succeeded", f"{ended.message}\n{stage.mlp('logs', job.id)[-3000:]}"
    assert_learnt(stage, job)
    assert_logs_are_whole(stage, job)
    stage.platform.until_nothing_left(within=120)


def assert_dashboard_is_closed(stage: Stage) -> None:
    """Ray answers nobody without its cluster's token."""
    heads = stage.cluster.api.list("v1", "Pod", NAMESPACE, "ray.io/node-type=head")
    (address,) = [head["status"]["podIP"] for head in heads]
    assert httpx.get(f"http://{address}:8265/api/jobs/", trust_env=False).status_code == 401


def assert_learnt(stage: Stage, job: mlp.Job) -> None:
    read = stage.platform.job(job.id).read
    assert read.model is not None
    assert (read.model.name, read.model.version) == ("digits-classifier", "1")
    assert stage.platform.job(job.id).metrics["accuracy"] > 0.9


def assert_logs_are_whole(stage: Stage, job: mlp.Job) -> None:
    said = stage.mlp("logs", job.id, "--source", "driver")
    assert [line.split()[0] for line in said.splitlines() if line[:1].isalpha()][-2:] == ["accuracy", "run"]
