"""Work: code, environment, exit, stop."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

from mlp.schemas.phases import FailureClass
from mlp_core.domain.execution import EnvironmentLock, Trouble
from support.agent_api import AgentApi
from support.engines import WITHIN, Bench, Logs, eventually

LOOK_AROUND = """
import json, os, ray, helper
ray.init()

@ray.remote(num_cpus=1, label_selector={"pool": "cpu", "group": "prep"})
def on_cpu():
    print("a line of a worker", flush=True)
    node = ray.get_runtime_context().get_node_labels()
    return {"value": helper.VALUE, "file": open("data/note.txt").read(), "colour": os.environ["COLOUR"],
            "attempt": os.environ["MLP_ATTEMPT_ID"], "labels": {k: node[k] for k in ("pool", "group", "zone")}}

@ray.remote(num_gpus=1, label_selector={"pool": "gpu"})
def on_gpu():
    return os.environ["CUDA_VISIBLE_DEVICES"]

print(json.dumps({"cpu": ray.get(on_cpu.remote()), "gpus": sorted(ray.get([on_gpu.remote(), on_gpu.remote()])),
                  "cwd": os.path.basename(os.getcwd())}))
"""


async def test_code_variables_labels_and_gpus_reach_the_tasks(bench: Bench) -> None:
    files = {"helper.py": "VALUE = 42", "data/note.txt": "hello"}
    spec = bench.script(LOOK_AROUND, files=files, variables={"COLOUR": "blue sky"})
    observed, logs = await bench.run(spec)
    assert observed.exit_code == 0, logs
    told = json.loads(logs.driver[-1])
    assert told["cpu"] == {
        "value": 42,
        "file": "hello",
        "colour": "blue sky",
        "attempt": spec.name,
        "labels": {"pool": "cpu", "group": "prep", "zone": "a"},
    }
    assert told["cwd"] == "code"
    assert all(device in ("0", "1") for device in told["gpus"])
    assert [line for line in logs.workers if "a line" in line] == ["a line of a worker"]
    assert "a line of a worker" not in logs.driver


async def test_exit_code_is_the_process_s_own(bench: Bench) -> None:
    observed, logs = await bench.run(bench.work(shell="echo before; exit 3"))
    assert (observed.exit_code, observed.signal, observed.stopped) == (3, None, False)
    assert logs.driver == ["before"]
    assert observed.started_at is not None
    assert observed.ended_at is not None
    assert observed.started_at <= observed.ended_at


async def test_a_list_reaches_the_program_byte_for_byte(bench: Bench) -> None:
    words = ("--name", "a b", "$HOME", "*.py", '{"lr": 0.1}', "")
    observed, logs = await bench.run(bench.work("python", "-c", "import sys; print(sys.argv[1:])", *words))
    assert observed.exit_code == 0
    assert logs.driver == [str(list(words))]


async def test_death_by_signal_is_told(bench: Bench) -> None:
    observed, _ = await bench.run(bench.work(shell="kill -SEGV $$"))
    assert (observed.exit_code, observed.signal) == (None, 11)


SAVES_ON_SIGTERM = """
import signal, sys, time
def bye(*_):
    for i in range(3):
        print("saving", i, flush=True)
        time.sleep(0.3)
    sys.exit(0)
signal.signal(signal.SIGTERM, bye)
print("ready")
while True: time.sleep(0.1)
"""


async def test_stop_gives_the_process_its_grace(bench: Bench) -> None:
    spec = bench.script(SAVES_ON_SIGTERM)
    bench.api.logs.clear()
    await bench.start(spec)
    await bench.says("ready")
    await bench.engine.stop_work(spec.name, spec.cluster, 10, "a test")
    await bench.engine.stop_work(spec.name, spec.cluster, 0, "a second request changes nothing")
    observed = await bench.end(spec)
    assert (observed.exit_code, observed.signal, observed.stopped) == (0, None, True)
    await bench.seal(spec)
    assert Logs.of(bench.api).driver == ["ready", "saving 0", "saving 1", "saving 2"]
    await bench.forget(spec)


async def test_what_ignores_sigterm_is_killed_after_the_grace(bench: Bench) -> None:
    spec = bench.work(shell="trap '' TERM; echo ready; while :; do sleep 0.1; done")
    bench.api.logs.clear()
    await bench.start(spec)
    await bench.says("ready")
    await bench.engine.stop_work(spec.name, spec.cluster, 1, "a test")
    observed = await bench.end(spec, within=10)
    assert (observed.exit_code, observed.signal, observed.stopped) == (None, 9, True)
    await bench.forget(spec)


async def test_time_out_is_told_apart_from_a_stop(bench: Bench) -> None:
    spec = bench.work(shell="sleep 100", timeout=0.5, grace=1)
    observed, _ = await bench.run(spec)
    assert (observed.timed_out, observed.stopped, observed.signal) == (True, False, 15)


async def test_stop_before_the_process_began_keeps_it_from_beginning(bench: Bench) -> None:
    spec = bench.work(shell="touch $MLP_CHECKPOINT_DIR/should-not-be", files={"a.txt": ""})
    bench.packages.away = True
    try:
        await bench.engine.ensure_work(spec)
        await bench.waits_for(spec, "The store is away.")
        await bench.engine.stop_work(spec.name, spec.cluster, 5, "a test")
    finally:
        bench.packages.away = False
    observed = await bench.end(spec)
    assert (observed.stopped, observed.started_at, observed.exit_code) == (True, None, None)
    await bench.engine.ensure_work(spec)
    observed = await bench.seal(spec)
    assert observed.started_at is None
    await bench.forget(spec)


async def test_a_missing_package_is_final_and_says_so(bench: Bench) -> None:
    spec = replace(bench.work(shell="true"), package_digest=f"sha256:{'0' * 64}")
    await bench.engine.ensure_work(spec)

    async def trouble() -> Trouble | None:
        return (await bench.observe(spec)).trouble

    told = await eventually(trouble, within=WITHIN, what="the trouble")
    assert told.is_final
    assert told.failure_class is FailureClass.USER_ERROR
    assert "is not in the store" in told.message
    await bench.forget(spec)


async def test_a_store_that_is_away_is_waited_for(bench: Bench) -> None:
    spec = bench.work("cat", "a.txt", files={"a.txt": "here"})
    bench.packages.away = True
    try:
        await bench.engine.ensure_work(spec)
        await bench.waits_for(spec, "The store is away.")
        observed = await bench.observe(spec)
        assert observed.trouble is None or not observed.trouble.is_final
    finally:
        bench.packages.away = False
    observed, logs = await bench.run(spec)
    assert observed.exit_code == 0
    assert logs.driver == ["here"]


async def test_checkpoints_are_shared_by_attempts_and_output_is_not(bench: Bench) -> None:
    first = bench.work(shell="echo 5 > $MLP_CHECKPOINT_DIR/step; echo mine > $MLP_OUTPUT/x; ls $MLP_ARTIFACTS")
    second = bench.work(shell="cat $MLP_CHECKPOINT_DIR/step; ls $MLP_OUTPUT")
    assert (await bench.run(first))[0].exit_code == 0
    observed, logs = await bench.run(second)
    assert observed.exit_code == 0
    assert logs.driver == ["5"]


async def test_the_output_folder_is_stored_before_it_goes(bench: Bench) -> None:
    line = "mkdir $MLP_OUTPUT/plots; echo a > $MLP_OUTPUT/plots/a.txt; ln -s /etc $MLP_ARTIFACTS/etc; exit 3"
    bench.api.artifacts.clear()
    observed, _ = await bench.run(bench.work(shell=line))
    assert observed.exit_code == 3
    assert bench.api.files() == {"plots/a.txt": b"a\n"}
    told = observed.artifacts
    assert told is not None
    assert (told.files, told.files_stored, told.bytes, told.bytes_stored, told.missing) == (1, 1, 2, 2, ())
    assert told.left_out == ("etc (a link that leads out of the folder)",)


async def test_an_environment_goes_before_the_platform_s_packages(bench: Bench) -> None:
    lock = EnvironmentLock(digest=f"sha256:{'e' * 64}", python="3.11", lock="iniconfig==2.0.0\n")
    source = """
import importlib.metadata, sys, ray
ray.init()
version = ray.remote(lambda: (importlib.metadata.version("iniconfig"), sys.prefix))
print(importlib.metadata.version("iniconfig"), ray.__version__, ray.get(version.remote()) == ("2.0.0", sys.prefix))
"""
    observed, logs = await bench.run(bench.script(source, environment=lock))
    assert observed.exit_code == 0, logs
    assert logs.driver[-1] == "2.0.0 2.60.0 True"


async def test_an_environment_that_cannot_be_installed_is_final_with_the_installer_s_words(bench: Bench) -> None:
    lock = EnvironmentLock(digest=f"sha256:{'f' * 64}", python="3.11", lock="iniconfig==0.0.0.1\n")
    spec = bench.work("true", environment=lock)
    await bench.engine.ensure_work(spec)

    async def trouble() -> Trouble | None:
        return (await bench.observe(spec)).trouble

    told = await eventually(trouble, within=WITHIN, what="the trouble")
    assert told.is_final
    assert told.failure_class is FailureClass.ENVIRONMENT
    assert any("iniconfig" in line for line in told.last_lines)
    await bench.forget(spec)


async def test_two_works_share_a_cluster_and_each_has_its_own_lines(bench: Bench) -> None:
    source = """
import os, ray
ray.init()
@ray.remote(num_cpus=0.1)
def speak(i): print("line", os.environ["ME"], i, flush=True)
ray.get([speak.remote(i) for i in range(5)])
print("done", os.environ["ME"])
"""
    other_api = AgentApi().start()
    other = replace(bench, api=other_api)
    try:
        left = bench.script(source, variables={"ME": "left"})
        right = other.script(source, variables={"ME": "right"}, name="att_other")
        bench.api.logs.clear()
        await asyncio.gather(bench.start(left), other.start(right))
        ended = await asyncio.gather(bench.end(left), other.end(right))
        assert [observed.exit_code for observed in ended] == [0, 0]
        await asyncio.gather(bench.seal(left), other.seal(right))
        for api, me in ((bench.api, "left"), (other_api, "right")):
            logs = Logs.of(api)
            assert logs.driver[-1] == f"done {me}"
            assert sorted(line for line in logs.workers if "line" in line) == [f"line {me} {i}" for i in range(5)]
        await bench.forget(left)
        await other.forget(right)
    finally:
        other_api.stop()
