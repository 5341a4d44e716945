"""A model of gigabytes that a job logs to MLflow over a slow link, while what takes it is killed twice."""

from __future__ import annotations

import signal
import tempfile
import threading
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil

from bench.live import Live, ServiceDown
from bench.report import Figure, Section
from bench.timing import Timing
from mlp import config

GIGABYTES = 5
LINK_MEGABYTES = 20
GROWTH_MB = 300
SLOWER = 2.0
CALLS_BEFORE = 100
LOOK_SECONDS = 0.5
JOB_SECONDS = 1800
SCRIPT = f"""
import hashlib, http.client, mlflow, os, time

RATE = {LINK_MEGABYTES} * 10**6
send = http.client.HTTPConnection.send
def slowly(self, data):
    started = time.monotonic()
    send(self, data)
    time.sleep(max(0.0, len(data) / RATE - (time.monotonic() - started)))
http.client.HTTPConnection.send = slowly

block, wanted = os.urandom(2**20), hashlib.sha256()
with open("model.bin", "wb") as model:
    for number in range({GIGABYTES * 10**9} // 2**20):
        piece = number.to_bytes(4, "big") + block[4:]
        wanted.update(piece)
        model.write(piece)
print("sending", flush=True)
with mlflow.start_run() as run:
    mlflow.log_artifact("model.bin")
    run_id = run.info.run_id
os.unlink("model.bin")
print("sent", flush=True)
found = hashlib.sha256()
with open(mlflow.artifacts.download_artifacts(run_id=run_id, artifact_path="model.bin", dst_path="got"), "rb") as got:
    while piece := got.read(2**20):
        found.update(piece)
names = [item.path for item in mlflow.MlflowClient().list_artifacts(run_id)]
print("same", found.digest() == wanted.digest(), names.count("model.bin"), flush=True)
"""
TEXT = """A job logs a file of {size} GB with MLflow's own client over a link of {link} MB/s, reads it back and compares
digests. While it is sent the api and MLflow are killed once each, and somebody else lists jobs. Memory is the
greatest resident memory of each while bytes move, against what it had before."""


@dataclass
class Watch:
    """What was seen while the file was sent."""

    greatest: dict[str, int] = field(default_factory=dict[str, int])
    calls: list[float] = field(default_factory=list[float])


def measure(live: Live) -> Section:
    services = ("api", "mlflow")
    before = {name: _resident(live.process(name)) for name in services}
    calm = Timing(tuple(_list_seconds(live) for _ in range(CALLS_BEFORE)))
    with tempfile.TemporaryDirectory(prefix="mlp-bench-") as folder:
        (Path(folder) / "model.py").write_text(SCRIPT)
        started = time.monotonic()
        job = live.client.jobs.submit("python model.py", package=Path(folder))
        said = _Lines(job.logs(follow=True))
        said.wait_for("sending")
        with watching(live, services) as watch:
            for name in services:
                _let_pass(GIGABYTES * 1000 / LINK_MEGABYTES / 4)
                live.process(name).send_signal(signal.SIGKILL)
            said.wait_for("sent")
        last = said.wait_for("same")
        minutes = (time.monotonic() - started) / 60
    busy = Timing(tuple(watch.calls))
    slower = busy.quantile(0.95) / calm.quantile(0.95)
    growth = max(watch.greatest[name] - before[name] for name in services) / 1e6
    whole = last == "same True 1"
    figures = (
        Figure("stored once, with the same digest", "yes" if whole else last, "", "", "", "yes", whole),
        Figure("growth of memory, the greater of both", f"{growth:.0f} MB", "at rest",
               ", ".join(f"{name} {before[name] / 1e6:.0f} MB" for name in services), "", f"under {GROWTH_MB} MB",
               growth < GROWTH_MB),
        Figure("p95 of somebody else's list", f"{busy.quantile(0.95) * 1000:.0f} ms", "before",
               f"{calm.quantile(0.95) * 1000:.0f} ms", f"{slower:.1f}x", f"under {SLOWER:g}x", slower < SLOWER),
    )  # fmt: skip
    text = TEXT.format(size=GIGABYTES, link=LINK_MEGABYTES)
    return Section("uploads", "A large model", text, figures, [f"The job took {minutes:.1f} minutes in all."])


class _Lines:
    """A followed log, read on a thread of its own so that the measurement never waits for it."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._seen: list[str] = []
        self._news = threading.Condition()
        threading.Thread(target=self._read, args=(lines,), daemon=True).start()

    def wait_for(self, start: str) -> str:
        """The line that begins so."""
        with self._news:
            ok = self._news.wait_for(lambda: self._find(start) is not None or "" in self._seen, JOB_SECONDS)
            found = self._find(start)
        if not ok or found is None:
            raise RuntimeError(f"The job never said '{start}':\n" + "\n".join(self._seen[-20:]))
        return found

    def _find(self, start: str) -> str | None:
        return next((line for line in self._seen if line.startswith(start)), None)

    def _read(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._say(line)
        self._say("")

    def _say(self, line: str) -> None:
        with self._news:
            self._seen.append(line)
            self._news.notify_all()


@contextmanager
def watching(live: Live, services: tuple[str, ...]) -> Generator[Watch]:
    watch, over = Watch(), threading.Event()

    processes: dict[str, psutil.Process] = {}

    def look() -> None:
        while not over.wait(LOOK_SECONDS):
            for name in services:
                size = _size_now(live, name, processes)
                watch.greatest[name] = max(size, watch.greatest.get(name, 0))
            try:
                watch.calls.append(_list_seconds(live))
            except httpx.TransportError:  # the api was killed a moment ago
                continue

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield watch
    finally:
        over.set()
        thread.join()


def _size_now(live: Live, name: str, processes: dict[str, psutil.Process]) -> int:
    """Resident bytes of a service; 0 while it is down. `processes` remembers which process it is."""
    try:
        if name not in processes:
            processes[name] = live.process(name)
        return _resident(processes[name])
    except (psutil.NoSuchProcess, ServiceDown):
        processes.pop(name, None)
        return 0


def _resident(process: psutil.Process) -> int:
    return sum(one.memory_info().rss for one in (process, *process.children(recursive=True)))


def _list_seconds(live: Live) -> float:
    connection = config.resolve(environ=live.user_environment())
    jobs = f"{connection.url}/api/v1/projects/{connection.project}/jobs"
    started = time.perf_counter()
    httpx.get(jobs, params={"limit": 20}, headers={"Authorization": f"Bearer {connection.token}"}, timeout=30)
    return time.perf_counter() - started


def _let_pass(seconds: float) -> None:
    """A part of the sending time; what is waited for is time itself."""
    threading.Event().wait(seconds)
