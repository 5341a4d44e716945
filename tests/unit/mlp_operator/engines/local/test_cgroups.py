"""Control groups of both versions, on folders that look like them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mlp_operator.engines.local import cgroups

GIBIBYTE = 2**30


def version_one(root: Path) -> Path:
    for name in ("memory", "cpu,cpuacct"):
        (root / name).mkdir(parents=True)
    mounts = root / "mounts"
    mounts.write_text(
        f"tmpfs {root} tmpfs rw 0 0\n"
        f"cgroup {root}/memory cgroup rw,memory 0 0\n"
        f"cgroup {root}/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0\n"
        f"cgroup2 {root}/unified cgroup2 rw 0 0\n"
    )
    return mounts


def version_two(root: Path, controllers: str = "cpuset cpu io memory pids") -> Path:
    root.mkdir(parents=True, exist_ok=True)
    (root / "cgroup.controllers").write_text(controllers)
    mounts = root / "mounts"
    mounts.write_text(f"cgroup2 {root} cgroup2 rw 0 0\n")
    return mounts


def test_version_one_is_found_beside_an_empty_unified_hierarchy(tmp_path: Path) -> None:
    found = cgroups.detect(version_one(tmp_path), effective_uid=0)
    assert (found.version, found.memory, found.usage) == (1, tmp_path / "memory", tmp_path / "cpu,cpuacct")


def test_version_two_passes_its_controllers_on(tmp_path: Path) -> None:
    found = cgroups.detect(version_two(tmp_path), effective_uid=0)
    assert found.version == 2
    assert (tmp_path / "cgroup.subtree_control").read_text() == "+cpu +memory"
    assert (tmp_path / "mlp" / "cgroup.subtree_control").read_text() == "+cpu +memory"


def test_without_root_or_groups_the_reason_is_told(tmp_path: Path) -> None:
    assert cgroups.detect(version_one(tmp_path), effective_uid=1000).reason == "the operator does not run as root"
    bare = cgroups.detect(version_two(tmp_path / "two", controllers="cpu"), effective_uid=0)
    assert bare.version is None
    assert bare.reason == "no memory and cpu control groups are mounted"
    assert bare.node("cls", "head") is None


def test_limits_of_version_one(tmp_path: Path) -> None:
    groups = cgroups.detect(version_one(tmp_path), effective_uid=0).node("cls_1", "head")
    assert groups is not None
    cgroups.create(groups, memory_bytes=GIBIBYTE, cpu=0.5, cluster_cpu=2.5)
    assert (tmp_path / "memory/mlp/cls_1/head/memory.limit_in_bytes").read_text() == str(GIBIBYTE)
    assert (tmp_path / "cpu,cpuacct/mlp/cls_1/head/cpu.shares").read_text() == "512"
    assert (tmp_path / "cpu,cpuacct/mlp/cls_1/cpu.shares").read_text() == "2560"
    assert int((tmp_path / "cpu,cpuacct/mlp/cpu.shares").read_text()) == 4096 * len(os.sched_getaffinity(0))
    assert len(cgroups.procs_files(groups)) == 2


def test_limits_of_version_two(tmp_path: Path) -> None:
    groups = cgroups.detect(version_two(tmp_path), effective_uid=0).node("cls_1", "head")
    assert groups is not None
    cgroups.create(groups, memory_bytes=GIBIBYTE, cpu=2, cluster_cpu=6)
    home = tmp_path / "mlp/cls_1/head"
    assert (home / "memory.max").read_text() == str(GIBIBYTE)
    assert (home / "cpu.weight").read_text() == "200"
    assert (tmp_path / "mlp/cls_1/cpu.weight").read_text() == "600"
    assert cgroups.procs_files(groups) == (home / "cgroup.procs",)


@pytest.mark.parametrize(
    ("version", "files"),
    [
        (1, {"memory.usage_in_bytes": "5\n", "memory.max_usage_in_bytes": "9\n", "memory.limit_in_bytes": "10\n",
             "memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n"}),
        (2, {"memory.current": "5\n", "memory.peak": "9\n", "memory.max": "10\n",
             "memory.events": "low 0\nhigh 0\nmax 7\noom 3\noom_kill 3\noom_group_kill 0\n"}),
    ],
)  # fmt: skip
def test_facts_about_memory(tmp_path: Path, version: int, files: dict[str, str]) -> None:
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    groups = cgroups.NodeCgroups(version, tmp_path, tmp_path, tmp_path)
    assert cgroups.memory_facts(groups) == cgroups.MemoryFacts(5, 9, 10, 3)


def test_a_group_that_is_gone_tells_nothing(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    groups = cgroups.NodeCgroups(1, gone, gone, gone)
    assert cgroups.memory_facts(groups) is None
    assert cgroups.pids(groups) == frozenset()
    assert cgroups.remove(groups)
