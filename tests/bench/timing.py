"""Measuring: what is compared is measured in the same run, in turns, so that a busy minute hits all alike."""

from __future__ import annotations

import random
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Timing:
    """Seconds of repeated measurements of one thing."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def best(self) -> float:
        return min(self.seconds)

    def quantile(self, share: float) -> float:
        """`quantile(0.95)` is the p95, by the nearest rank."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))]

    def __len__(self) -> int:
        return len(self.seconds)


def in_turns(measures: Mapping[str, Callable[[], float]], rounds: int, seed: int = 1) -> dict[str, Timing]:
    """Each measure once per round, in an order that changes from round to round. One round before does not count."""
    order = list(measures)
    shuffle = random.Random(seed).shuffle
    taken: dict[str, list[float]] = {name: [] for name in order}
    for number in range(rounds + 1):
        shuffle(order)
        for name in order:
            seconds = measures[name]()
            if number > 0:
                taken[name].append(seconds)
    return {name: Timing(tuple(values)) for name, values in taken.items()}


def run_time(
    command: Sequence[str | Path], *, cwd: Path | None = None, environment: Mapping[str, str] | None = None
) -> float:
    """Seconds from starting `command` until it has ended.

    Raises:
        RuntimeError: it failed; what it wrote is in the message.
    """
    started = time.perf_counter()
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=environment, capture_output=True, check=False)
    seconds = time.perf_counter() - started
    if done.returncode != 0:
        raise RuntimeError(f"{command} ended with {done.returncode}:\n{done.stderr.decode(errors='replace')[-2000:]}")
    return seconds
