"""The log path: how many lines a second come through, and how late a line is, against `ray job logs --follow`."""

from __future__ import annotations

import re
import secrets
import subprocess
import tempfile
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.live import BIN, Live, RayAddress
from bench.report import Figure, Section
from bench.timing import Timing

LINES = 1_000_000
PER_SECOND = 100_000
LAG_SECONDS = 1.0
FLOOD = f"""
import sys
text = "a line of a usual length, say of eighty characters or so, with a number\\n"
for first in range(0, {LINES}, 1000):
    sys.stdout.write("".join(f"{{n:08d}} {{text}}" for n in range(first, first + 1000)))
print("last line")
"""
TICKS = """
import time
for number in range(400):
    print(f"tick {number} {time.time():.6f}", flush=True)
    time.sleep(0.05)
"""
TICK = re.compile(r"tick (\d+) ([0-9.]+)")
TEXT = """One job prints {lines:,} lines as fast as it can, and one client follows it: lines per second between the
first
and the last line read, every line counted. Then a job prints its clock twenty times a second for twenty
seconds: the lag is the reader's clock minus the printed one. The peer is `ray job logs --follow` on the same
cluster with the same scripts."""


@dataclass(frozen=True)
class Read:
    """What one follower saw."""

    lines: int
    seconds: float
    lags: Timing | None

    @property
    def rate(self) -> float:
        return self.lines / self.seconds


def measure(live: Live) -> Section:
    with (
        tempfile.TemporaryDirectory(prefix="mlp-bench-") as temporary,
        live.cluster(f"logs-{secrets.token_hex(3)}") as cluster,
    ):
        folder = Path(temporary)
        (folder / "flood.py").write_text(FLOOD)
        (folder / "ticks.py").write_text(TICKS)
        ray = live.ray_address(cluster)
        flood, raw_flood = ours(live, cluster.name, folder, "flood.py"), rays(ray, folder, "flood.py")
        ticks, raw_ticks = ours(live, cluster.name, folder, "ticks.py"), rays(ray, folder, "ticks.py")
    whole = flood.lines == LINES + 1
    lag, raw_lag = ticks.lags, raw_ticks.lags
    assert lag is not None
    peer = "`ray job logs --follow`"
    rate = f"{flood.rate / raw_flood.rate:.1f}x"
    fast = flood.rate >= PER_SECOND and whole
    soon = lag.quantile(0.95) < LAG_SECONDS
    raw_rate, promised = f"{raw_flood.rate:,.0f}", f"at least {PER_SECOND:,}"
    figures = (
        Figure("lines per second, end to end", f"{flood.rate:,.0f}", peer, raw_rate, rate, promised, fast),
        Figure("lines read", f"{flood.lines:,}", peer, f"{raw_flood.lines:,}", "", f"all {LINES + 1:,}", whole),
        Figure("lag of a line, p95", _ms(lag, 0.95), peer, _ms(raw_lag, 0.95), "", f"under {LAG_SECONDS:g} s", soon),
        Figure("lag of a line, median", _ms(lag, 0.5), peer, _ms(raw_lag, 0.5), "", "", None),
    )
    return Section("logs", "The log path", TEXT.format(lines=LINES), figures)


def ours(live: Live, cluster: str, folder: Path, script: str) -> Read:
    """Follow with the SDK, as `mlp logs -f` does."""
    job = live.client.jobs.submit(f"python {script}", package=folder, cluster=cluster)
    return watch(job.logs(follow=True))


def rays(ray: RayAddress, folder: Path, script: str) -> Read:
    """Follow with Ray's own command."""
    job = f"bench-{secrets.token_hex(4)}"
    base = [str(BIN / "ray"), "job"]
    submit = [
        *base,
        "submit",
        "--address",
        ray.dashboard,
        "--submission-id",
        job,
        "--no-wait",
        "--working-dir",
        ".",
        "--",
    ]
    subprocess.run([*submit, "python", script], cwd=folder, env=ray.environment, check=True, capture_output=True)
    with following([*base, "logs", "--address", ray.dashboard, "--follow", job], ray) as lines:
        return watch(lines)


@contextmanager
def following(command: list[str], ray: RayAddress) -> Generator[Iterable[str]]:
    with subprocess.Popen(command, env=ray.environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield (line.rstrip("\n") for line in process.stdout)


def watch(lines: Iterable[str]) -> Read:
    """Count the job's own lines and take the time of each tick."""
    count, first, last = 0, 0.0, 0.0
    lags: list[float] = []
    for line in lines:
        if (tick := TICK.search(line)) is not None:
            lags.append(time.time() - float(tick[2]))
        elif not (line[:8].isdigit() or line == "last line"):
            continue
        last = time.perf_counter()
        first = first or last
        count += 1
    return Read(count, max(last - first, 1e-9), Timing(tuple(lags)) if lags else None)


def _ms(lags: Timing | None, share: float) -> str:
    return f"{lags.quantile(share) * 1000:.0f} ms" if lags else "none read"
