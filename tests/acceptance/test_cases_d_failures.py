"""Cases of kind d: failures, as they went wrong for people elsewhere."""

from __future__ import annotations

import signal
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from mlp_operator.engines.local.cgroups import detect
from support.product import Product, numbers, wait_until

ACTOR_GROWS = """
import ray
ray.init()
@ray.remote(num_cpus=0.5, max_restarts=0)
class Loader:
    def grow(self):
        keep = []
        while True: keep.append(bytearray(50_000_000))
ray.get(Loader.remote().grow.remote())
"""

needs_cgroups = pytest.mark.skipif(detect().version is None, reason="memory is enforced by cgroups, which need root")


@needs_cgroups
def test_d1_an_actor_that_outgrows_its_node_is_oom_and_succeeds_with_more(product: Product, folder: Path) -> None:
    (folder / "grow.py").write_text(
        ACTOR_GROWS.replace("while True", "import os\n        while len(keep) < 20 or os.environ['MLP_ATTEMPT'] == '1'")
    )
    limits = ("--memory", "1Gi", "--retries", "1", "--retry-on", "oom", "--memory-factor", "3")
    job = product.submit(*limits, "--", "python", "grow.py", cwd=folder)
    read = product.wait(job, within=240)
    first, second = product.ok("job", "attempts", job, "--json").json[::-1]
    if first["number"] != 1:
        first, second = second, first
    assert first["failure"]["class"] == "oom", first["failure"]
    assert first["failure"]["node"] == "head"
    assert second["memory_factor"] == 3
    assert read["phase"] == "succeeded", read["failure"]


@needs_cgroups
def test_d1_a_driver_that_outgrows_its_node_is_oom(product: Product, folder: Path) -> None:
    line = "keep = []\nwhile True: keep.append(bytearray(50_000_000))"
    job = product.submit("--memory", "1Gi", "--", "python", "-c", line, cwd=folder)
    read = product.wait(job)
    assert (read["phase"], read["failure"]["class"]) == ("failed", "oom"), read["failure"]
    assert "--retry-on oom" in read["failure"]["hint"]


def test_d1_a_memory_error_of_python_is_oom(product: Product, shared_cluster: str, folder: Path) -> None:
    job = product.submit("--cluster", shared_cluster, "--", "python", "-c", "raise MemoryError('9 GiB')", cwd=folder)
    assert product.wait(job)["failure"]["class"] == "oom"


D5 = """
import os, ray, signal, subprocess, time
ray.init()
@ray.remote(num_cpus=0, lifetime="detached", name="keeper")
class Keeper:
    def ping(self): return os.getpid()
k = Keeper.remote(); print("actor", ray.get(k.ping.remote()), flush=True)
subprocess.Popen(["bash", "-c", "trap '' TERM; setsid bash -c \\"trap '' TERM; while :; do sleep 1; done\\" & wait"])
for _ in range(4):
    if os.fork() == 0:
        os.setsid(); signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(3600)
print("started", flush=True)
time.sleep(3600)
"""


@pytest.mark.parametrize("where", ["own", "shared"])
def test_d5_cancel_leaves_no_process_and_no_actor(
    product: Product, shared_cluster: str, folder: Path, where: str
) -> None:
    (folder / "d5.py").write_text(D5)
    on = ("--cluster", shared_cluster) if where == "shared" else ()
    job = product.submit(*on, "--grace", "2s", "--", "python", "d5.py", cwd=folder)
    wait_until(lambda: "started" in product.log(job), within=120, what="the children")
    product.ok("job", "cancel", job)
    assert product.wait(job, within=60)["phase"] == "cancelled"
    wait_until(lambda: not product.marked(f"MLP_JOB_ID={job}"), within=15, what="the end of every process")


D7 = """
import time, mlp
step = mlp.checkpoint.latest_step() or 0
print("start", step, flush=True)
for s in range(step, 40):
    time.sleep(0.25)
    if s % 5 == 0: mlp.checkpoint.save({"step": s}, step=s)
    print("step", s, flush=True)
"""


def test_d7_a_lost_head_is_retried_from_the_checkpoint(product: Product, folder: Path) -> None:
    (folder / "d7.py").write_text(D7)
    job = product.submit("--retries", "1", "--retry-on", "node_lost", "--", "python", "d7.py", cwd=folder)
    wait_until(lambda: 12 in numbers(product.log(job), "step"), within=120, what="step 12")
    for process in product.marked("MLP_CLUSTER="):
        # Those of other clusters come and go meanwhile, and a raylet's own end with it.
        with suppress(psutil.NoSuchProcess):
            if "raylet" in process.name() and _is_of(process, job, product):
                process.send_signal(signal.SIGKILL)
    read = product.wait(job, within=240)
    attempts = sorted(product.ok("job", "attempts", job, "--json").json, key=lambda a: a["number"])
    assert attempts[0]["failure"]["class"] == "node_lost", attempts[0]
    assert read["phase"] == "succeeded", read["failure"]
    assert numbers(product.log(job, "--attempt", "2"), "start")[0] >= 10


def _is_of(process: psutil.Process, job: str, product: Product) -> bool:
    current = product.ok("job", "attempts", job, "--json").json
    cluster = process.environ().get("MLP_CLUSTER", "")
    return any(attempt["id"] == cluster for attempt in current)
