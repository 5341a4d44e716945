"""Creating jobs over the API, against the least that FastAPI and one insert cost on this machine."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx

import mlp
from bench.live import BIN, Live
from bench.report import Figure, Section
from bench.timing import Timing
from mlp import config, errors

EACH = 300
MANY = 1000
AT_ONCE = 16
ABOVE_FLOOR_SECONDS = 0.050
TEXT = """One client over one kept-alive connection creates a job, then posts the same document to a FastAPI app that
does
nothing but check it and insert one row into a table of the same Postgres server, in turns. The operator is
paused meanwhile: what is measured is the API. Then {many} jobs are created {at_once} at a time, and counted
again in the list."""
JOB = {"entrypoint": "true", "resources": {"head": {"cpu": 1, "memory": "1Gi"}}}


def measure(live: Live) -> Section:
    operator = live.process("operator")
    operator.send_signal(signal.SIGSTOP)
    try:
        with floor(live) as floor_url:
            ours, bare = one_by_one(live, floor_url)
        refused, lost, seconds = many(live)
        cancel_all(live)
    finally:
        operator.send_signal(signal.SIGCONT)
    above = ours.quantile(0.95) - bare.quantile(0.95)
    figures = (
        Figure("p95 of a create", _ms(ours.quantile(0.95)), "FastAPI + one insert", _ms(bare.quantile(0.95)),
               f"+{above * 1000:.0f} ms", f"under +{ABOVE_FLOOR_SECONDS * 1000:.0f} ms", above < ABOVE_FLOOR_SECONDS),
        Figure("median of a create", _ms(ours.median), "FastAPI + one insert", _ms(bare.median),
               f"+{(ours.median - bare.median) * 1000:.0f} ms", "", None),
        Figure(f"{MANY} creates, {AT_ONCE} at a time", f"{MANY / seconds:.0f} per second", "", "",
               f"{refused} errors, {lost} lost", "0 errors, 0 lost", refused == 0 and lost == 0),
    )  # fmt: skip
    return Section("creates", "Creating jobs", TEXT.format(many=MANY, at_once=AT_ONCE), figures)


def one_by_one(live: Live, floor_url: str) -> tuple[Timing, Timing]:
    connection = config.resolve(environ=live.user_environment())
    jobs = f"{connection.url}/api/v1/projects/{connection.project}/jobs"
    headers = {"Authorization": f"Bearer {connection.token}"}
    ours: list[float] = []
    bare: list[float] = []
    with httpx.Client(headers=headers, timeout=30) as client:
        for number in range(EACH + 20):
            for taken, url in ((ours, jobs), (bare, f"{floor_url}/jobs")):
                started = time.perf_counter()
                answer = client.post(url, json={**JOB, "name": f"bench-{number}"})
                seconds = time.perf_counter() - started
                answer.raise_for_status()
                if number >= 20:
                    taken.append(seconds)
    return Timing(tuple(ours)), Timing(tuple(bare))


def many(live: Live) -> tuple[int, int, float]:
    """Creates refused, creates accepted but not in the list, and seconds for all."""
    client = live.client

    def create(number: int) -> str | None:
        try:
            return client.jobs.submit("true", name=f"many-{number}", package=None).id
        except errors.Error:
            return None

    started = time.perf_counter()
    with ThreadPoolExecutor(AT_ONCE) as threads:
        made = list(threads.map(create, range(MANY)))
    seconds = time.perf_counter() - started
    accepted = {job for job in made if job}
    listed = Counter(job.id for job in client.jobs.list() if job.id in accepted)
    return MANY - len(accepted), len(accepted) - len(listed), seconds


def cancel_all(live: Live) -> None:
    def cancel(job: mlp.Job) -> None:
        job.cancel()

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(cancel, list(live.client.jobs.live())))


@contextmanager
def floor(live: Live) -> Generator[str]:
    """The bare app on a free port, over a database of its own in the platform's Postgres server."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(BIN / "uvicorn"), "--factory", "bench.floor:create", "--port", str(port), "--log-level", "warning"]
    environment = {
        **live.user_environment(),
        "BENCH_DATABASE": database_url(live),
        "PYTHONPATH": str(Path(__file__).parents[1]),
    }
    process = subprocess.Popen(command, env=environment)
    try:
        url = f"http://127.0.0.1:{port}"
        wait_for(url)
        yield url
    finally:
        process.terminate()
        process.wait(20)


def wait_for(url: str) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            if httpx.get(f"{url}/healthz").is_success:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise TimeoutError(f"{url} does not answer")


def database_url(live: Live) -> str:
    """Of the platform's own server, as its API process has it."""
    return live.process("api").environ()["MLP_DATABASE_URL"]


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


if __name__ == "__main__":
    sys.exit("Run `make bench`.")
