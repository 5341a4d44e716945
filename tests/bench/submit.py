"""From typing the command to the job's first line, against Ray's own `ray job submit`."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import psutil

import mlp
from bench.live import BIN, Live
from bench.report import Figure, Section
from bench.timing import Timing, in_turns

ROUNDS = 7
OWN_ROUNDS = 3
LINE = "the first line"
SCRIPT = f'print("{LINE}", flush=True)\n'
TEXT = """Seconds from starting the command to reading the job's first line of output. Both run the same one-line script
from the same folder, follow it on the terminal, and use the same installation. First on one running cluster
that both use; then with a new cluster each time: for the platform that is one command, by hand it is `ray start
--head` and `ray job submit`. Medians, measured in turns."""


def measure(live: Live) -> Section:
    with tempfile.TemporaryDirectory(prefix="mlp-bench-") as temporary:
        folder = Path(temporary)
        (folder / "first.py").write_text(SCRIPT)
        with live.cluster(f"bench-{secrets.token_hex(3)}") as cluster:
            ray = live.ray_address(cluster)
            raw = [
                BIN / "ray",
                "job",
                "submit",
                "--address",
                ray.dashboard,
                "--working-dir",
                ".",
                "--",
                "python",
                "first.py",
            ]
            ours = [BIN / "mlp", "run", "--cluster", cluster.name, "first.py"]
            shared = in_turns(
                {
                    "ours": lambda: first_line(ours, folder, live.user_environment()),
                    "raw": lambda: first_line(raw, folder, ray.environment),
                },
                ROUNDS,
            )
        own = in_turns(
            {
                "ours": lambda: first_line([BIN / "mlp", "run", "first.py"], folder, live.user_environment()),
                "raw": lambda: by_hand(folder, live.user_environment()),
            },
            OWN_ROUNDS,
        )
        stages = where_the_time_goes(live)
    figures = (
        _figure("on a running cluster", "`ray job submit`", shared, 1.15),
        _figure("with a cluster of its own", "`ray start --head` + `ray job submit`", own, 1.1),
    )
    return Section("submit", "From the command to the first line", TEXT, figures, stages)


def _figure(what: str, against: str, taken: Mapping[str, Timing], promise: float) -> Figure:
    ratio = taken["ours"].median / taken["raw"].median
    ours, raw = (f"{taken[name].median:.1f} s" for name in ("ours", "raw"))
    return Figure(what, ours, against, raw, f"{ratio:.2f}x", f"at most {promise}x", ratio <= promise)


def first_line(command: Sequence[str | Path], folder: Path, environment: Mapping[str, str]) -> float:
    """Seconds until `LINE` can be read; the command is then let to its end."""
    started = time.perf_counter()
    line = [str(part) for part in command]
    with subprocess.Popen(
        line, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        said: list[str] = []
        seconds = None
        for text in process.stdout:
            said.append(text)
            if seconds is None and LINE in text and SCRIPT.strip() not in text:
                seconds = time.perf_counter() - started
    if seconds is None or process.returncode != 0:
        raise RuntimeError(f"{line} ended with {process.returncode} and said:\n{''.join(said)}")
    return seconds


def by_hand(folder: Path, environment: Mapping[str, str]) -> float:
    """Seconds for what a person types without a platform: start Ray, submit, read."""
    started = time.perf_counter()
    with ray_by_hand(environment) as (address, variables):
        up = time.perf_counter() - started
        submit = [BIN / "ray", "job", "submit", "--address", address, "--working-dir", ".", "--", "python", "first.py"]
        return up + first_line(submit, folder, variables)


@contextmanager
def ray_by_hand(environment: Mapping[str, str]) -> Generator[tuple[str, dict[str, str]]]:
    """A Ray head like the platform's, with token and ports of its own; ended whole, with what `ray stop` would miss."""
    with tempfile.TemporaryDirectory(prefix="ray-", dir="/tmp") as temporary:
        token = Path(temporary) / "token"
        token.write_text(secrets.token_urlsafe(32))
        token.chmod(0o600)
        marker = secrets.token_hex(8)
        variables = {**environment, "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(token), "BENCH_RAY": marker}
        ports = {"--port": 36379, "--dashboard-port": 38265, "--ray-client-server-port": 38001}
        options = [f"{name}={value}" for name, value in ports.items()]
        start = [str(BIN / "ray"), "start", "--head", f"--temp-dir={temporary}/ray", "--num-cpus=1", *options]
        try:
            subprocess.run(start, env=variables, check=True, capture_output=True)
            yield f"http://127.0.0.1:{ports['--dashboard-port']}", variables
        finally:
            end_marked(marker)


def end_marked(marker: str) -> None:
    """Kill every process that carries `marker` in its environment."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.environ().get("BENCH_RAY") == marker:
                process.send_signal(signal.SIGKILL)
                found.append(process)
        except psutil.Error:
            continue
    psutil.wait_procs(found, timeout=20)


def where_the_time_goes(live: Live) -> list[str]:
    """The stages of the last job with a cluster of its own, from its events."""
    job = next(iter(live.client.jobs.list()))
    steps = [(event.reason, event.at) for event in sorted(job.events, key=lambda event: event.at)]
    return [f"Where the time goes with a cluster of its own ({job.id}): {'; '.join(_stages(job, steps))}."]


def _stages(job: mlp.Job, steps: Sequence[tuple[str, datetime]]) -> Iterator[str]:
    before = job.created_at
    for reason, at in steps:
        yield f"{reason} +{(at - before).total_seconds():.2f} s"
        before = at


if __name__ == "__main__":
    sys.exit("Run `make bench`.")
