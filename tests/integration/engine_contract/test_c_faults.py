"""What goes wrong: operators that die, processes that run out of memory, nodes that vanish."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from mlp.schemas.phases import FailureClass
from mlp_core.domain.execution import ClusterObserved
from mlp_operator.engines.local import cgroups
from mlp_operator.engines.local.settings import LocalSettings
from mlp_operator.engines.port import ClusterSpec, ComputeEngine, WorkSpec
from support.engines import WITHIN, Bench, Logs, eventually

OPERATOR = Path(__file__).parents[2] / "support" / "operator_run.py"


async def test_another_engine_adopts_what_runs(bench: Bench, make_engine: Callable[[], ComputeEngine]) -> None:
    spec = bench.work(shell="echo one; while [ ! -e $MLP_CHECKPOINT_DIR/go ]; do sleep 0.05; done; echo two; exit 4")
    bench.api.logs.clear()
    await bench.start(spec)
    await bench.says("one")
    adopter = make_engine()
    later = bench.on(adopter)
    seen = await adopter.observe_cluster(bench.cluster)
    assert seen is not None
    assert seen.nodes_ready == 3
    await adopter.ensure_work(spec)
    assert (await later.observe(spec)).ended_at is None
    helper = later.work(shell="touch $MLP_CHECKPOINT_DIR/go", name="att_helper")
    await later.run_quietly(helper)
    assert (await later.end(spec)).exit_code == 4
    await later.seal(spec)
    assert Logs.of(bench.api).driver == ["one", "two"]
    await later.forget(spec)
    await adopter.close()


async def test_an_agent_killed_while_it_stores_is_started_again(bench: Bench) -> None:
    spec = bench.work(shell="head -c 8000000 /dev/zero > $MLP_OUTPUT/zeros")
    bench.api.artifacts.clear()
    await bench.start(spec)
    await bench.end(spec)

    async def agents() -> list[int]:
        await bench.engine.seal_work(spec.name, spec.cluster)
        is_under_way = "zeros" in bench.api.artifacts and bench.api.artifacts["zeros"].puts > 5
        return [pid for pid in _pids() if _is_agent_of(spec, _command(pid))] if is_under_way else []

    for pid in await eventually(agents, within=WITHIN, what="the agent at work"):
        os.kill(pid, signal.SIGKILL)
    assert not bench.api.files()
    await bench.seal(spec)
    assert bench.api.files() == {"zeros": bytes(8_000_000)}
    await bench.forget(spec)


async def test_work_asked_for_by_two_engines_at_once_starts_once(
    bench: Bench, make_engine: Callable[[], ComputeEngine]
) -> None:
    spec = bench.work(shell="echo started")
    other = make_engine()
    bench.api.logs.clear()
    await asyncio.gather(*(engine.ensure_work(spec) for engine in (bench.engine, other, bench.engine, other)))
    await asyncio.gather(bench.start(spec), bench.on(other).start(spec))
    await bench.end(spec)
    await bench.seal(spec)
    assert Logs.of(bench.api).driver == ["started"]
    await bench.forget(spec)
    await other.close()


@pytest.mark.parametrize("after_seconds", [0.0, 0.01, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3])
async def test_operator_killed_while_it_starts_work_starts_it_once(
    bench: Bench, settings: LocalSettings, tmp_path: Path, after_seconds: float
) -> None:
    marks = tmp_path / "marks"
    spec = bench.work(shell=f"echo x >> {marks}; sleep 0.3", name=f"att_killed{int(after_seconds * 1000):03}")
    await _operator_killed(settings, spec, tmp_path, after_seconds)
    await bench.start(spec)
    observed = await bench.end(spec)
    assert observed.exit_code == 0
    assert marks.read_text() == "x\n"
    await bench.forget(spec)


async def _operator_killed(settings: LocalSettings, spec: WorkSpec, folder: Path, after_seconds: float) -> None:
    (folder / "settings.json").write_bytes(TypeAdapter(LocalSettings).dump_json(settings))
    (folder / "spec.json").write_bytes(TypeAdapter(WorkSpec).dump_json(spec))
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        str(OPERATOR),
        str(folder / "settings.json"),
        str(folder / "spec.json"),
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"ready\n"
    await asyncio.sleep(after_seconds)
    if process.returncode is None:
        process.kill()
    await process.wait()


async def test_killed_launcher_is_an_end_without_exit_code(bench: Bench) -> None:
    spec = bench.work(shell="echo up; sleep 1000")
    bench.api.logs.clear()
    await bench.start(spec)
    await bench.says("up")
    (launcher,) = [pid for pid in _pids() if "mlp.runtime.launch" in _command(pid) and spec.name in _command(pid)]
    os.kill(launcher, signal.SIGKILL)
    observed = await bench.end(spec)
    assert (observed.exit_code, observed.signal) == (None, None)
    assert observed.trouble is not None
    assert observed.trouble.failure_class is FailureClass.INFRA
    await bench.seal(spec)
    assert _marked(f"MLP_ATTEMPT_ID={spec.name}") == []
    await bench.forget(spec)


HUNGRY = """
import os, ray
ray.init()
@ray.remote(num_cpus=1, max_retries=0, label_selector={"group": "prep"})
def grow():
    keep = []
    while True: keep.append(bytearray(50_000_000))
ray.get(grow.remote())
"""


@pytest.mark.skipif(cgroups.detect().version is None, reason="memory is not enforced here")
async def test_task_that_outgrows_its_node_is_out_of_memory_with_evidence(bench: Bench) -> None:
    spec = bench.script(HUNGRY)
    await bench.start(spec)
    observed = await bench.end(spec, within=WITHIN)
    assert observed.exit_code == 1
    assert observed.oom_kills == ("prep-0",)
    trouble = observed.trouble
    assert trouble is not None
    assert (trouble.failure_class, trouble.node, trouble.is_final) == (FailureClass.OOM, "prep-0", False)
    assert trouble.memory_limit_bytes == 2**30
    assert trouble.memory_used_bytes is not None
    assert trouble.memory_used_bytes > 0.95 * 2**30
    assert "used 1.0 of 1.0 GiB" in trouble.message
    await bench.forget(spec)
    seen = await bench.engine.observe_cluster(bench.cluster)
    assert seen is not None
    assert seen.nodes_ready == 3, "the node outlives the task"


async def test_kills_of_an_earlier_work_are_not_those_of_the_next(bench: Bench) -> None:
    observed, _ = await bench.run(bench.work(shell="exit 1"))
    assert observed.oom_kills == ()
    assert observed.trouble is None


ASKS_TOO_MUCH = """
import ray, time
ray.init()
@ray.remote(num_gpus=0.6, num_cpus=0)
class A:
    def f(self): return 1
actors = [A.remote() for _ in range(3)]
print(sum(ray.get([a.f.remote() for a in actors[:2]])), flush=True)
ray.get(actors[2].f.remote())
"""


async def test_demand_that_the_cluster_cannot_meet_is_told(bench: Bench) -> None:
    spec = bench.script(ASKS_TOO_MUCH)
    await bench.start(spec)

    async def demand() -> tuple[str, ...] | None:
        seen = await bench.engine.observe_cluster(bench.cluster)
        assert seen is not None
        return seen.pending_demand or None

    assert await eventually(demand, within=WITHIN, what="the demand") == ("1 x {GPU: 0.6}",)
    await bench.engine.stop_work(spec.name, spec.cluster, 0, "a test")
    await bench.end(spec)
    await bench.forget(spec)


LEAVES_AN_ACTOR = """
import os, ray
ray.init(namespace="left")
@ray.remote(num_cpus=1, lifetime="detached", name="keeper", max_restarts=-1, label_selector={"group": "prep"})
class Keeper:
    def ping(self): return os.getpid()
print("actor", ray.get(Keeper.remote().ping.remote()))
"""


async def test_detached_actors_of_a_work_end_with_its_seal(bench: Bench) -> None:
    observed, _ = await bench.run(bench.script(LEAVES_AN_ACTOR))
    assert observed.exit_code == 0
    # The one CPU of the group is free again, and nobody answers to the name.
    source = """
import ray
ray.init(namespace="left")
@ray.remote(num_cpus=1, label_selector={"group": "prep"})
def free(): return "free"
print(ray.get(free.remote(), timeout=120))
try: ray.get_actor("keeper")
except ValueError: print("gone")
"""
    observed, logs = await bench.run(bench.script(source))
    assert observed.exit_code == 0, logs
    assert logs.driver[-2:] == ["free", "gone"]


async def test_lost_worker_node_is_told_and_can_be_brought_back(bench: Bench, cluster_spec: ClusterSpec) -> None:
    (raylet,) = [pid for pid in _marked(f"MLP_NODE={bench.cluster}/prep-0") if "/raylet/raylet\0" in _command(pid)]
    os.kill(raylet, signal.SIGKILL)

    async def lost() -> ClusterObserved | None:
        seen = await bench.engine.observe_cluster(bench.cluster)
        assert seen is not None
        return seen if seen.lost_nodes else None

    seen = await eventually(lost, within=5, what="the loss")
    assert seen.lost_nodes == ("prep-0",)
    assert (seen.nodes_ready, seen.nodes_wanted, seen.head_ready) == (2, 3, True)
    assert seen.trouble is not None
    assert (seen.trouble.failure_class, seen.trouble.is_final) == (FailureClass.NODE_LOST, False)

    await bench.all_ready(cluster_spec)


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ""


def _is_agent_of(spec: WorkSpec, command: str) -> bool:
    return "mlp.runtime.agent" in command and f"/{spec.name}/" in command


def _marked(mark: str) -> list[int]:
    found: list[int] = []
    for pid in _pids():
        try:
            if mark.encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                found.append(pid)
        except OSError:
            continue
    return found
