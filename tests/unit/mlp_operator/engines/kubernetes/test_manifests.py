"""Manifests: as they were agreed on (golden files), as the custom resources' own schemas want them, and within limits.

A change that is meant is written down with `MLP_WRITE_GOLDEN=1 pytest tests/unit/mlp_operator/engines/kubernetes`.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from mlp.runtime.pods.places import RAY_MARK, Pod
from mlp.runtime.pods.work import Work
from mlp_core.domain.admission import Limits
from mlp_core.domain.execution import EnvironmentLock
from mlp_core.domain.packing import Shape
from mlp_core.kit.ids import new_id
from mlp_operator.engines.kubernetes import names
from mlp_operator.engines.kubernetes.manifests import pods, quantities, rays, tenancy
from mlp_operator.engines.kubernetes.placement import Placement
from mlp_operator.engines.kubernetes.settings import KubernetesSettings
from mlp_operator.engines.port import ClusterSpec, NodeGroup, Place, WorkSpec
from support import kubernetes_schemas

GOLDEN = Path(__file__).parent / "golden"
GIB = 2**30
SETTINGS = KubernetesSettings(runtime_image="registry.test/mlp/ray:1", egress_cidrs=("10.1.0.0/16",))
PLACEMENTS = {"cpu": Placement("cpu"), "a100": Placement("a100", (("pool", "gpu"),), has_gpus=True)}
JOB = "job_01KC0000000000000000000000"
ATTEMPT = "att_01KC0000000000000000000001"
HEAD = NodeGroup("head", pool="cpu", replicas=1, cpu=1, memory_bytes=2 * GIB)
MIXED = ClusterSpec(
    name=ATTEMPT,
    project="demo",
    head=HEAD,
    groups=(
        NodeGroup("prep", pool="cpu", replicas=2, cpu=0.5, memory_bytes=GIB, labels=(("zone", "a"),)),
        NodeGroup("train", pool="a100", replicas=1, cpu=4, memory_bytes=8 * GIB, gpu=2),
    ),
)
ALONE = ClusterSpec(name=ATTEMPT, project="demo", head=HEAD, groups=())
PLACE = Place(job=JOB, priority="high", grace_seconds=45, timeout_seconds=3600)
POOLS = [
    tenancy.Pool(PLACEMENTS["cpu"], Shape(8, 32 * GIB), 2),
    tenancy.Pool(PLACEMENTS["a100"], Shape(16, 128 * GIB, 8), 1),
]
PROJECT = tenancy.Project(
    "prj_01KC0000000000000000000002",
    "demo",
    "vision",
    Limits(cpu=8, gpu=4),
    guarantees=(("a100", Shape(4, 32 * GIB, 2)),),
)
OTHER = tenancy.Project("prj_01KC0000000000000000000003", "asr", "speech")
WORK = WorkSpec(
    name=ATTEMPT,
    cluster=ATTEMPT,
    argv=("python", "train.py", "a b"),
    shell=None,
    variables=(("COLOUR", "blue"),),
    grace_seconds=45,
    timeout_seconds=None,
    checkpoint_key=JOB,
    api_url="http://api.mlp.svc:8080",
    token="a.b.c",
    package_digest="sha256:1",
    environment=None,
)


def mixed_job() -> dict[str, Any]:
    return rays.ray_job(MIXED, PLACE, PLACEMENTS, SETTINGS)


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("ray-job", [mixed_job()]),
        ("ray-job-alone", [rays.ray_job(ALONE, PLACE, PLACEMENTS, SETTINGS)]),
        ("ray-cluster", [rays.ray_cluster(MIXED, PLACEMENTS, SETTINGS)]),
        ("work-on-cluster", [rays.work_on_cluster(WORK, "demo", SETTINGS, PLACEMENTS["cpu"])]),
        ("project", tenancy.project_objects(PROJECT, POOLS, SETTINGS)),
        ("shared", tenancy.shared_objects(POOLS, [PROJECT, OTHER])),
    ],
)
def test_manifests_are_as_agreed(name: str, made: list[dict[str, Any]]) -> None:
    path = GOLDEN / f"{name}.yaml"
    text = yaml.dump_all(json.loads(json.dumps(made)), sort_keys=True, width=120)
    if os.environ.get("MLP_WRITE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{name} differs; see this file's first lines"


@pytest.mark.timeout(400)
@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.yaml")), ids=lambda path: path.stem)
def test_what_was_agreed_fits_the_schemas_of_kuberay_and_kueue(path: Path) -> None:
    known = kubernetes_schemas.schemas()
    checked = [
        kubernetes_schemas.validate(manifest)
        for manifest in yaml.safe_load_all(path.read_text(encoding="utf-8"))
        if (manifest["apiVersion"], manifest["kind"]) in known
    ]
    assert checked


def containers(pod: dict[str, Any]) -> list[dict[str, Any]]:
    return [*pod["spec"].get("initContainers", []), *pod["spec"]["containers"]]


def pods_of(job: dict[str, Any]) -> list[dict[str, Any]]:
    cluster = job["spec"]["rayClusterSpec"]
    groups = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    return [*(group["template"] for group in groups), job["spec"]["submitterPodTemplate"]]


def test_every_pod_passes_the_restricted_standard_and_carries_no_token() -> None:
    for pod in pods_of(mixed_job()):
        assert pod["spec"]["automountServiceAccountToken"] is False
        assert pod["spec"]["securityContext"]["runAsNonRoot"] is True
        for container in containers(pod):
            security = container["securityContext"]
            assert security["allowPrivilegeEscalation"] is False
            assert security["capabilities"] == {"drop": ["ALL"]}
            assert security["seccompProfile"] == {"type": "RuntimeDefault"}
            assert container["resources"]["limits"]["memory"]


def test_only_gpu_pods_tolerate_the_gpu_taint_and_a_head_with_workers_takes_no_tasks() -> None:
    cluster = mixed_job()["spec"]["rayClusterSpec"]
    head, (prep, train) = cluster["headGroupSpec"], cluster["workerGroupSpecs"]
    assert "tolerations" not in head["template"]["spec"]
    assert "tolerations" not in prep["template"]["spec"]
    assert train["template"]["spec"]["tolerations"][0]["key"] == "nvidia.com/gpu"
    assert train["template"]["spec"]["nodeSelector"] == {"pool": "gpu"}
    assert (head["resources"]["CPU"], train["resources"]["GPU"]) == ("0", "2")
    alone = rays.ray_job(ALONE, PLACE, PLACEMENTS, SETTINGS)
    assert alone["spec"]["rayClusterSpec"]["headGroupSpec"]["resources"]["CPU"] == "1"


def test_fields_of_kueue_and_of_the_autoscaler_are_never_written() -> None:
    job = mixed_job()
    assert "suspend" not in job["spec"]
    assert "suspend" not in job["spec"]["rayClusterSpec"]
    assert "managedBy" not in job["spec"]


def test_pods_have_the_job_s_grace_and_time_to_flush_after_it() -> None:
    for pod in pods_of(mixed_job())[:3]:
        assert pod["spec"]["terminationGracePeriodSeconds"] == 75


def test_names_of_ids_are_within_the_limits_of_kuberay() -> None:
    for kind in ("job", "attempt", "cluster"):
        name = names.object_name(new_id(kind))
        assert len(name) <= 47
        assert name == name.lower()
    for bad in ("1abc", "job_" + "x" * 50, "job/x", ""):
        with pytest.raises(ValueError, match="cannot name"):
            names.object_name(bad)


def test_the_secret_of_a_work_is_owned_by_its_job_and_names_its_cluster() -> None:
    owner = mixed_job()
    owner["metadata"]["uid"] = "u-1"
    secret = rays.work_secret(WORK, "demo", owner, "job-x-abcde")
    assert secret["metadata"]["ownerReferences"][0]["uid"] == "u-1"
    work = json.loads(secret["stringData"]["work.json"])
    assert (work["ray_cluster"], work["token"], work["argv"]) == ("job-x-abcde", "a.b.c", ["python", "train.py", "a b"])
    assert "a.b.c" not in json.dumps(rays.work_on_cluster(WORK, "demo", SETTINGS, PLACEMENTS["cpu"]))


def test_the_program_in_the_pods_reads_what_is_written_for_it(tmp_path: Path) -> None:
    owner = mixed_job()
    owner["metadata"]["uid"] = "u-1"
    lock = EnvironmentLock("sha256:2", "3.11", "numpy==2.4.6\n")
    secret = rays.work_secret(replace(WORK, environment=lock), "demo", owner, "job-x-abcde")
    (tmp_path / "work.json").write_text(secret["stringData"]["work.json"])
    work = Work.read(tmp_path / "work.json")
    assert (work.name, work.project, work.ray_cluster, work.argv) == (WORK.name, "demo", "job-x-abcde", WORK.argv)
    assert work.variables == {"COLOUR": "blue"}
    assert work.environment is not None
    assert (work.environment.python, work.environment.lock) == ("3.11", lock.lock)


@pytest.mark.parametrize("claim", [None, "checkpoints"])
def test_every_container_knows_its_pod(claim: str | None) -> None:
    settings = SETTINGS.model_copy(update={"checkpoint_claim": claim})
    shared = rays.ray_cluster(MIXED, PLACEMENTS, settings)["spec"]
    own = rays.ray_job(MIXED, PLACE, PLACEMENTS, settings)["spec"]["rayClusterSpec"]
    for cluster, secret, grace in ((own, Path(pods.WORK_DIR), 45.0), (shared, None, rays.GRACE_OF_NAMED_SECONDS)):
        for group, name in ((cluster["headGroupSpec"], "head"), (cluster["workerGroupSpecs"][1], "train")):
            mounted = {mount["mountPath"] for one in containers(group["template"]) for mount in one["volumeMounts"]}
            for container in containers(group["template"]):
                pod = Pod.of({one["name"]: one.get("value", "job-x-abc") for one in container["env"]})
                assert (pod.group, pod.secret, pod.grace_seconds) == (name, secret, grace)
                assert pod.flush_seconds == pods.FLUSH_SECONDS
                assert pod.checkpoints == (Path(pods.CHECKPOINTS_DIR) if claim else None)
                assert {str(one) for one in (pod.folder, pod.secret, pod.checkpoints) if one is not None} <= mounted
            marked = [
                one["name"] for one in containers(group["template"]) if {"name": RAY_MARK, "value": "ray"} in one["env"]
            ]
            assert marked == [group["template"]["spec"]["containers"][0]["name"]]


@pytest.mark.parametrize(
    ("left", "right"), [("1000m", "1"), ("1024Mi", "1Gi"), (2, "2"), ("0.5", "500m"), ("1k", 1000), ("1Ki", "1024")]
)
def test_quantities_mean_the_same_however_they_are_written(left: object, right: object) -> None:
    assert quantities.amount(left) == quantities.amount(right)
