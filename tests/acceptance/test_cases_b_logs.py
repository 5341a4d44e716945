"""Cases of kind b: logs, as they went wrong for people elsewhere."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import psutil

from support.product import Product, numbers, wait_until

B1 = """
import ray, time
ray.init()
@ray.remote(num_cpus=0.4)
def w(n):
    for i in range(400): print(f"w{n} {i}", flush=True); time.sleep(0.01)
fs = [w.remote(0), w.remote(1)]
for i in range(400): print(f"d {i}", flush=True); time.sleep(0.01)
ray.get(fs)
"""


def test_b1_every_line_once_after_the_cluster_is_gone(product: Product, folder: Path) -> None:
    (folder / "b1.py").write_text(B1)
    job = product.submit("--", "python", "b1.py", cwd=folder)
    read = product.wait(job)
    assert read["phase"] == "succeeded", read["failure"]
    log = product.log(job)
    for word in ("d", "w0", "w1"):
        assert numbers(log, word) == list(range(400)), word
    assert numbers(product.log(job, "--source", "driver"), "d") == list(range(400))
    assert numbers(product.log(job, "--source", "driver"), "w0") == []
    assert numbers(product.log(job, "--source", "worker"), "w1") == list(range(400))


def test_b1_lines_before_a_kill_are_kept_per_attempt(product: Product, folder: Path) -> None:
    (folder / "counts.py").write_text(
        "import os, time\n"
        "for i in range(100_000): print('a' + os.environ['MLP_ATTEMPT'], i, flush=True); time.sleep(0.02)\n"
    )
    job = product.submit("--retries", "1", "--retry-on", "infra", "--", "python", "counts.py", cwd=folder)
    wait_until(lambda: len(numbers(product.log(job), "a1")) > 50, within=120, what="fifty lines")
    for process in product.marked(f"MLP_JOB_ID={job}"):
        if "counts.py" in process.cmdline():
            process.send_signal(signal.SIGKILL)
    product.until(job, lambda read: read["attempt"] == 2 and read["phase"] == "running")
    wait_until(lambda: len(numbers(product.log(job), "a2")) > 5, what="lines of the second attempt")
    first = numbers(product.log(job, "--attempt", "1"), "a1")
    assert first == list(range(len(first)))
    assert len(first) > 50
    assert numbers(product.log(job, "--attempt", "2"), "a1") == []
    product.ok("job", "cancel", job)
    product.wait(job)


B3 = """
import sys, time
for e in range(2):
    for i in range(2001):
        sys.stderr.write(f"\\repoch {e}: {i}/2000"); sys.stderr.flush(); time.sleep(0.001)
    sys.stderr.write("\\n")
    print(f"\\x1b[32mepoch {e} done\\x1b[0m", flush=True)
sys.stdout.write("\\x1b]0;title\\x07\\x1b[2Jend\\n")
"""


def test_b3_a_progress_bar_is_live_and_ends_with_its_last_state(
    product: Product, shared_cluster: str, folder: Path
) -> None:
    (folder / "bar.py").write_text(B3)
    following = product.start("run", "--cluster", shared_cluster, "bar.py", cwd=folder)
    out, _ = following.communicate(timeout=90)
    assert following.returncode == 0
    assert b"\x1b" not in out
    (job,) = product.ok("job", "list", "--json", "--name", "bar").json
    lines = product.log(job["id"]).splitlines()
    bars = [line for line in lines if line.startswith("epoch") and "/" in line]
    assert [bar for bar in bars if bar.endswith("2000/2000")] == ["epoch 0: 2000/2000", "epoch 1: 2000/2000"]
    assert [line for line in lines if "/" not in line] == ["epoch 0 done", "epoch 1 done", "end"]
    raw = product.start("logs", job["id"], "--raw").communicate(timeout=60)[0]
    assert raw.count(b"\r") >= 4000
    assert b"\x1b]0;title\x07" in raw


B5 = """
import ray
ray.init()
@ray.remote(num_cpus=0.5, scheduling_strategy="SPREAD")
def f(i): print("v", i)
ray.get([f.remote(i) for i in range(10)])
"""


def test_b5_lines_that_look_alike_come_out_once_each_on_several_nodes(product: Product, folder: Path) -> None:
    (folder / "ten.py").write_text(B5)
    (folder / "mlp.yaml").write_text(
        "entrypoint: [python, ten.py]\n"
        "resources:\n  head: {cpu: 1, memory: 1Gi}\n"
        "  groups:\n    - {name: a, replicas: 2, cpu: 1, memory: 1Gi}\n"
    )
    job = product.submit(cwd=folder)
    read = product.wait(job, within=240)
    assert read["phase"] == "succeeded", read["failure"]
    assert sorted(numbers(product.log(job), "v")) == list(range(10))
    printed = [json.loads(line) for line in product.ok("logs", job, "--json").out.splitlines()]
    sources = {line["source"].split("/")[0] for line in printed if line["source"] != "driver"}
    assert [line["text"] for line in printed if line["text"].startswith(":")] == []
    assert sources <= {"head", "a-0", "a-1"}
    assert sources


def test_following_survives_a_restarted_api_without_gap_or_double(
    product: Product, shared_cluster: str, folder: Path
) -> None:
    (folder / "slow.py").write_text("import time\nfor i in range(600): print('n', i, flush=True); time.sleep(0.02)\n")
    following = product.start("run", "--cluster", shared_cluster, "slow.py", cwd=folder)
    assert following.stdout is not None
    first = following.stdout.readline()
    psutil.Process(product.pid_of("api")).send_signal(signal.SIGKILL)
    text = (first + following.stdout.read()).decode()
    assert following.wait(timeout=30) == 0
    assert numbers(text, "n") == list(range(600))
