"""Case m5: services whose clocks disagree, on the running product. Postgres keeps the true time."""

from __future__ import annotations

import os
import signal
import subprocess
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import psutil
import pytest

from support.ports import free_port
from support.product import Product, numbers, wait_until

LIBRARY = Path("/usr/lib") / f"{os.uname().machine}-linux-gnu" / "faketime" / "libfaketimeMT.so.1"
JOBS = 6
LINES = 5
LINE_SECONDS = 0.4


@contextmanager
def another(product: Product, service: str, shift: str, **variables: str) -> Generator[psutil.Popen]:
    """A further process of a service of the product, as its supervisor would start it, under a shifted clock."""
    first = psutil.Process(product.pid_of(service))
    preloaded = {"LD_PRELOAD": str(LIBRARY), "FAKETIME": shift, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    log = product.data / f"shifted-{service}.txt"
    with log.open("wb") as out:
        environment = first.environ() | preloaded | variables
        process = psutil.Popen(first.cmdline(), env=environment, stdout=out, stderr=subprocess.STDOUT)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def answers(url: str) -> str:
    """What `url` says; nothing while nobody is there."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.read().decode()
    except OSError:
        return ""


def passes(metrics: str) -> int:
    """Reconcile passes over jobs so far, from an operator's own metrics."""
    lines = [line for line in metrics.splitlines() if line.startswith('mlp_operator_passes_total{kind="job"')]
    return sum(int(float(line.rpartition(" ")[2])) for line in lines)


@pytest.mark.parametrize(("operator", "api"), [("+45s", "-45s"), ("-45s", "+45s")])
def test_m5_services_whose_clocks_differ_agree_on_every_job(
    product: Product, shared_cluster: str, operator: str, api: str
) -> None:
    operator_ports = {"MLP_METRICS_PORT": str(free_port()), "MLP_OPERATOR_PORT": str(free_port())}
    api_port = free_port()
    api_variables = {"MLP_API_PORT": str(api_port), "MLP_METRICS_PORT": str(free_port())}
    metrics = f"http://127.0.0.1:{operator_ports['MLP_METRICS_PORT']}/metrics"
    with (
        another(product, "operator", operator, **operator_ports),
        another(product, "api", api, **api_variables),
    ):
        url = f"http://127.0.0.1:{api_port}"
        wait_until(lambda: answers(f"{url}/healthz"), what="the api with the other clock")
        wait_until(lambda: answers(metrics), what="the operator with the other clock")
        shifted = product.client(url=url)
        code = f"import time\nfor n in range({LINES}): print('line', n, flush=True); time.sleep({LINE_SECONDS})\n"
        command = ["python", "-c", code]
        jobs = [shifted.jobs.submit(command, package=None, cluster=shared_cluster).id for _ in range(JOBS)]
        for job in jobs:
            read = product.wait(job)
            assert read["phase"] == "succeeded", read
            (attempt,) = product.ok("job", "attempts", job, "--json").json
            ran = instant(attempt["ended_at"]) - instant(attempt["started_at"])
            assert LINES * LINE_SECONDS - 1 < ran.total_seconds() < 60, attempt
            assert instant(read["created_at"]) <= instant(attempt["started_at"]), (read, attempt)
            assert numbers(product.log(job), "line") == list(range(LINES))
        assert passes(answers(metrics)) > 0, "the operator with the other clock took part"


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text)
