"""Removal leaves nothing: last in the suite, because it takes the shared cluster away."""

from __future__ import annotations

import os
from pathlib import Path

from mlp_core.domain.execution import ClusterObserved
from mlp_operator.engines.local.settings import LocalSettings
from mlp_operator.engines.local.state import ClusterRecord, Layout, read_record
from mlp_operator.engines.port import ClusterSpec, NodeGroup
from support.engines import GIBIBYTE, Bench, eventually

CLINGS = """
import os, ray, signal, subprocess, sys, time
ray.init()
@ray.remote(num_cpus=0, lifetime="detached", name="keeper")
class Keeper:
    def ping(self): return os.getpid()
keeper = Keeper.remote(); print("actor", ray.get(keeper.ping.remote()), flush=True)
subprocess.Popen(["bash", "-c", "trap '' TERM; setsid bash -c \\"trap '' TERM; while :; do sleep 1; done\\" & wait"])
for _ in range(4):
    if os.fork() == 0:
        os.setsid(); signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.fork() == 0:
            os.execve("/bin/sleep", ["/bin/sleep", "3600"], {})
        time.sleep(3600)
print("clinging", flush=True)
time.sleep(3600)
"""


async def test_removal_leaves_no_process_and_no_file(bench: Bench, settings: LocalSettings) -> None:
    record = read_record(ClusterRecord, Layout(settings.data_dir).cluster(bench.cluster).record)
    assert record is not None
    spec = bench.script(CLINGS)
    bench.api.logs.clear()
    before = _sleepers()
    await bench.start(spec)
    await bench.says("clinging")
    await bench.engine.delete_cluster(bench.cluster)
    assert await bench.engine.observe_cluster(bench.cluster) is None
    assert await bench.engine.observe_work(spec.name, spec.cluster) is None
    assert bench.cluster not in await bench.engine.names()
    assert _carrying(f"MLP_CLUSTER={bench.cluster}") == []
    assert _sleepers() - before == set(), "a process that had dropped its environment is left"
    assert not record.ray_dir.exists()
    assert _groups_of(bench.cluster) == []
    assert not Layout(settings.data_dir).cluster(bench.cluster).root.exists()
    await bench.engine.delete_cluster(bench.cluster)


async def test_cluster_removed_while_it_starts_is_gone_too(bench: Bench) -> None:
    head = NodeGroup("head", pool="cpu", replicas=1, cpu=1, memory_bytes=GIBIBYTE)
    worker = NodeGroup("w", pool="cpu", replicas=1, cpu=1, memory_bytes=GIBIBYTE)
    await bench.engine.ensure_cluster(ClusterSpec("cls_short", "demo", head, (worker,)))
    seen = await bench.engine.observe_cluster("cls_short")
    assert seen == ClusterObserved(nodes_wanted=2, nodes_ready=0, head_ready=False)

    async def gone() -> bool:
        await bench.engine.delete_cluster("cls_short")
        return await bench.engine.observe_cluster("cls_short") is None

    await eventually(gone, within=15, what="the removal")
    assert _carrying("MLP_CLUSTER=cls_short") == []


def _groups_of(cluster: str) -> list[Path]:
    return list(Path("/sys/fs/cgroup").glob(f"**/mlp/{cluster}"))


def _carrying(mark: str) -> list[int]:
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                environment = (entry / "environ").read_bytes()
            except OSError:
                continue
            if mark.encode() in environment.split(b"\0"):
                found.append(int(entry.name))
    return found


def _sleepers() -> set[int]:
    found: set[int] = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and entry.name != str(os.getpid()):
            try:
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if command == b"/bin/sleep\x003600\0":
                found.add(int(entry.name))
    return found
