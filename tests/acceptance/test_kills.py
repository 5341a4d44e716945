"""kill -9 of everything, in the middle of twenty jobs: each ends rightly, once, with every line of its log."""

from __future__ import annotations

import random
import signal
from pathlib import Path

import httpx
import psutil
import pytest

from support.product import Product, numbers, wait_until

SERVICES = ("operator", "api", "worker", "valkey", "postgres", "operator", "api", "postgres")
COUNTS = """
import os, sys, time
code, lines = int(sys.argv[1]), int(sys.argv[2])
if "first-never-ends" in sys.argv and os.environ["MLP_ATTEMPT"] == "1":
    lines = 10**6
for i in range(lines):
    print("a" + os.environ["MLP_ATTEMPT"], i, flush=True)
    time.sleep(0.05)
sys.exit(code)
"""
LINES = 300
PASSWORD = "a long enough password"


def kill(product: Product, service: str) -> None:
    """kill -9 one service, and wait until its supervisor has brought another one up."""
    before = product.pid_of(service)
    psutil.Process(before).send_signal(signal.SIGKILL)

    def another() -> bool:
        for entry in product.status()["processes"]:
            if entry["name"] == service:
                return entry["health"] == "healthy" and entry["pid"] != before
        return False

    wait_until(another, within=90, what=f"another {service}")


def raylets_of(product: Product, job: str) -> list[psutil.Process]:
    names = {attempt["id"] for attempt in product.ok("job", "attempts", job, "--json").json}
    marked = [process for name in names for process in product.marked(f"MLP_CLUSTER={name}")]
    return [process for process in marked if process.name() == "raylet"]


@pytest.mark.timeout(900)
def test_twenty_jobs_survive_the_death_of_every_part(product: Product, shared_cluster: str, folder: Path) -> None:
    (folder / "counts.py").write_text(COUNTS)
    retry = ("--retries", "2", "--retry-on", "node_lost", "--retry-on", "infra")
    expected: dict[str, int] = {}
    for number in range(18):
        code = 3 if number % 6 == 5 else 0
        command = ("--", "python", "counts.py", str(code), str(LINES))
        expected[product.submit("--cluster", shared_cluster, *retry, *command, cwd=folder)] = code
    alone = ("--", "python", "counts.py", "0", str(LINES))
    own = [product.submit(*retry, *alone, *more, cwd=folder) for more in (("first-never-ends",), ())]
    expected |= dict.fromkeys(own, 0)

    order = list(SERVICES)
    random.Random(2026).shuffle(order)
    for service in order:
        kill(product, service)
    wait_until(lambda: len(numbers(product.log(own[0]), "a1")) > 20, within=180, what="lines on its own cluster")
    for raylet in raylets_of(product, own[0]):
        raylet.send_signal(signal.SIGKILL)

    for job, code in expected.items():
        read = product.wait(job, within=300)
        assert (read["phase"], read["exit_code"]) == (("failed", 3) if code else ("succeeded", 0)), read
        ends = [event for event in product.ok("job", "events", job, "--json").json if _is_end(event)]
        assert len(ends) == 1, ends
        assert numbers(product.log(job), f"a{read['attempt']}") == list(range(LINES)), job
        assert product.marked(f"MLP_JOB_ID={job}") == []
    lost = sorted(product.ok("job", "attempts", own[0], "--json").json, key=lambda a: a["number"])
    assert [attempt["number"] for attempt in lost] == [1, 2]
    assert lost[0]["failure"]["class"] == "node_lost"
    assert lost[0]["ended_at"] <= lost[1]["created_at"]


def _is_end(event: dict[str, object]) -> bool:
    data = event.get("data")
    return isinstance(data, dict) and data.get("phase") in ("succeeded", "failed", "cancelled")


def test_the_supervisor_killed_leaves_no_orphan_and_loses_nothing(product: Product, folder: Path) -> None:
    (folder / "counts.py").write_text(COUNTS)
    job = product.submit("--", "python", "counts.py", "0", "400", cwd=folder)
    product.until(job, lambda read: read["phase"] == "running", within=120)
    url = product.url
    status = product.status()
    services = [entry["pid"] for entry in status["processes"] if entry["kind"] == "service"]
    psutil.Process(status["supervisor"]["pid"]).send_signal(signal.SIGKILL)
    wait_until(lambda: not any(_alive(pid) for pid in services), within=60, what="the end of every service")
    product.up()
    assert product.url == url
    read = product.wait(job)
    assert (read["phase"], read["attempt"]) == ("succeeded", 1), read["failure"]
    assert numbers(product.log(job), "a1") == list(range(400))


def _alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_what_fits_only_one_after_the_other_waits_and_says_whom_for(product: Product, folder: Path) -> None:
    pool = product.ok("pool", "show", "gpu", "--json").json
    line = ("--gpus", str(pool["gpu"]), "--workers", str(pool["machines"]), "--memory", "1Gi", "--head-memory", "1Gi")
    first = product.submit(*line, "--name", "first", "--", "sleep", "600", cwd=folder)
    product.until(first, lambda read: read["phase"] != "queued")
    second = product.submit(*line, "--name", "second", "--", "echo", "in", cwd=folder)
    waiting = product.until(second, lambda read: read["reason"] == "NoRoom", within=30)
    assert "GPU of pool 'gpu'" in waiting["message"]
    assert f"Waits for 'first' ({first})" in waiting["message"]
    why = product.ok("why", second).out
    assert "first" in why
    product.ok("job", "cancel", first, "--grace", "1s")
    assert product.wait(second, within=180)["phase"] == "succeeded"


def test_another_project_sees_nothing_of_it(product: Product, folder: Path, shared_cluster: str) -> None:
    product.ok("project", "create", "rival")
    product.ok("user", "create", "rita", "--password-stdin", typed=PASSWORD)
    product.ok("member", "add", "rita", "--project", "rival")
    signed_in = httpx.post(f"{product.url}/api/v1/login", json={"username": "rita", "password": PASSWORD}, timeout=30)
    token = signed_in.json()["token"]
    rita = Product(product.home.parent / "rita", product.data)
    rita.home.mkdir(exist_ok=True)
    rita.ok("login", product.url, "--token-stdin", typed=token)
    job = product.submit("--cluster", shared_cluster, "--", "echo", "secret", cwd=folder)
    product.wait(job)
    for command in (("job", "show", job), ("logs", job), ("why", job), ("job", "events", job), ("job", "metrics", job)):
        ran = rita.mlp(*command, "--project", "default")
        assert ran.code == 4, (command, ran.out, ran.err)
        assert "secret" not in ran.out
    assert rita.mlp("job", "show", job, "--project", "rival").code == 4
    assert [entry["name"] for entry in rita.ok("project", "list", "--json").json] == ["rival"]
