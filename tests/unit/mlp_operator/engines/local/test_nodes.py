"""A cluster laid out: ports, memory, devices, and the words for Ray."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from mlp_operator.engines.local import nodes
from mlp_operator.engines.local.cgroups import Hierarchy
from mlp_operator.engines.local.ports import PortRange
from mlp_operator.engines.local.state import ClusterRecord
from mlp_operator.engines.port import ClusterSpec, EngineError, NodeGroup

GIBIBYTE = 2**30
NOW = datetime(2026, 11, 30, tzinfo=UTC)
NO_GROUPS = Hierarchy(None, reason="the operator does not run as root")


def a_spec(*groups: NodeGroup) -> ClusterSpec:
    head = NodeGroup("head", pool="cpu", replicas=1, cpu=0.5, memory_bytes=2 * GIBIBYTE)
    return ClusterSpec("cls_1", "demo", head, groups)


def a_record(
    spec: ClusterSpec,
    *,
    gpus: tuple[int, ...] | None = None,
    shared: int = 64 * GIBIBYTE,
    groups: Hierarchy = NO_GROUPS,
) -> ClusterRecord:
    return nodes.lay_out(
        spec, PortRange(20_000, 64), ray_dir=Path("/tmp/mlp-1"), now=NOW, memory=nodes.Memory(groups, shared), gpus=gpus
    )


def a_group(**changes: object) -> NodeGroup:
    values = {"pool": "gpu", "replicas": 2, "cpu": 1.5, "memory_bytes": 4 * GIBIBYTE, "gpu": 1.0} | changes
    return NodeGroup("train", **values)  # type: ignore[arg-type]


def test_head_comes_first_and_replicas_are_counted() -> None:
    record = a_record(a_spec(a_group(), NodeGroup("prep", "cpu", 1, 1, GIBIBYTE)))
    assert [node.name for node in record.nodes] == ["head", "train-0", "train-1", "prep-0"]
    assert nodes.node_count(a_spec(a_group())) == 3


def test_no_two_nodes_share_a_port() -> None:
    record = a_record(a_spec(a_group(replicas=5)))
    taken = [record.gcs_port, record.dashboard_port]
    for node in record.nodes:
        taken += [getattr(node.ports, name) for name in node.ports.__slots__]
    assert len(taken) == len(set(taken)) == 2 + 6 * 6


def test_ray_counts_whole_units_so_shares_are_rounded_up() -> None:
    record = a_record(a_spec(a_group(gpu=0.5)))
    words = nodes.ray_arguments(record, record.nodes[1])
    assert "--num-cpus=2" in words
    assert "--num-gpus=1" in words
    assert "--num-cpus=1" in nodes.ray_arguments(record, record.head)


def test_labels_tell_pool_and_group_and_cannot_be_overridden() -> None:
    record = a_record(a_spec(a_group(labels=(("zone", "a"), ("pool", "mine")))))
    assert "--labels=zone=a,pool=gpu,group=train" in nodes.ray_arguments(record, record.nodes[1])


def test_only_the_head_opens_a_dashboard_and_only_on_loopback() -> None:
    record = a_record(a_spec(a_group()))
    head, worker = (nodes.ray_arguments(record, node) for node in record.nodes[:2])
    assert {"--head", "--dashboard-host=127.0.0.1", "--dashboard-port=20001"} <= set(head)
    assert not any("dashboard-host" in word or word == "--head" for word in worker)


def test_object_store_is_a_share_of_memory_within_what_dev_shm_has() -> None:
    assert a_record(a_spec()).head.object_store_bytes == int(2 * GIBIBYTE * 0.3)
    assert a_record(a_spec(), shared=GIBIBYTE // 2).head.object_store_bytes == int(GIBIBYTE // 2 * 0.8)
    assert a_record(a_spec(), shared=0).head.object_store_bytes == nodes.OBJECT_STORE_LEAST


def test_a_node_never_gets_less_memory_than_ray_itself_needs() -> None:
    record = a_record(a_spec(a_group(memory_bytes=1)))
    assert record.nodes[1].memory_bytes == nodes.WORKER_MEMORY_LEAST


def test_real_devices_are_given_once() -> None:
    record = a_record(a_spec(a_group(gpu=2)), gpus=(0, 2, 3, 5))
    assert [node.gpu_devices for node in record.nodes] == [(), (0, 2), (3, 5)]
    with pytest.raises(EngineError, match="needs 2 GPUs and 1"):
        a_record(a_spec(a_group(gpu=2)), gpus=(0, 1, 2))


def test_unenforced_memory_says_why() -> None:
    assert a_record(a_spec()).memory == (
        "Memory is declared to Ray and not enforced: the operator does not run as root."
    )
    there = Hierarchy(2, Path("/c"), Path("/c"), Path("/c"))
    assert a_record(a_spec(), groups=there).memory == "Memory is enforced by control groups (version 2)."


def test_nodes_see_nothing_of_the_platform_s_secrets() -> None:
    record = a_record(a_spec())
    inherited = {
        "PATH": "/bin",
        "HOME": "/root",
        "MLP_SECRET_KEY": "s",
        "AWS_SECRET_ACCESS_KEY": "s",
        "RAY_ADDRESS": "x",
    }
    environment = nodes.node_environment(
        record, record.head, python=Path("/venv/bin/python"), token=Path("/t"), inherited=inherited
    )
    assert environment["PATH"] == "/venv/bin:/bin"
    assert environment["MLP_CLUSTER"] == "cls_1"
    assert environment["RAY_AUTH_MODE"] == "token"
    assert not {"MLP_SECRET_KEY", "AWS_SECRET_ACCESS_KEY", "RAY_ADDRESS"} & set(environment)


def test_socket_paths_stay_short_wherever_the_data_is() -> None:
    folder = nodes.ray_dir(Path("/tmp"), Path("/a/very/long/path" * 20))
    longest = folder / "999" / "session_2026-11-30_17-38-57_123456_1234567" / "sockets" / "plasma_store"
    assert len(str(longest)) < 107
