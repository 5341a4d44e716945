"""How much of its processors, memory and accelerators a node uses."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from mlp.runtime import _cgroups
from mlp.runtime.agent_config import NodeConfig
from mlp.runtime.workers import environment_of

_Identity = tuple[int, int]
"""Pid and start time: a pid alone comes again."""
_SETTLED_SECONDS = 5.0
_KEPT_SAMPLES = 720
"""An hour at five seconds: longer outages thin the curve, they do not fill the memory."""


@dataclass(frozen=True, slots=True)
class Gpu:
    index: int
    utilisation: float
    """Percent."""
    memory_bytes: int


class Gpus:
    """NVIDIA's management library, loaded on first use; without it there are no devices to report."""

    def __init__(self) -> None:
        try:
            self._library: ctypes.CDLL | None = ctypes.CDLL("libnvidia-ml.so.1")
        except OSError:
            self._library = None
        if self._library is not None and self._library.nvmlInit_v2() != 0:
            self._library = None

    def read(self, indexes: Sequence[int]) -> list[Gpu]:
        """Devices that do not answer are left out."""
        found = [self._one(index) for index in indexes] if self._library is not None else []
        return [gpu for gpu in found if gpu is not None]

    def _one(self, index: int) -> Gpu | None:
        assert self._library is not None  # noqa: S101 - asked by `read` alone
        device = ctypes.c_void_p()
        rates = (ctypes.c_uint * 2)()
        memory = (ctypes.c_ulonglong * 3)()
        if self._library.nvmlDeviceGetHandleByIndex_v2(ctypes.c_uint(index), ctypes.byref(device)) != 0:
            return None
        if self._library.nvmlDeviceGetUtilizationRates(device, ctypes.byref(rates)) != 0:
            return None
        if self._library.nvmlDeviceGetMemoryInfo(device, ctypes.byref(memory)) != 0:
            return None
        return Gpu(index, float(rates[0]), int(memory[2]))


@dataclass(frozen=True, slots=True)
class _Reading:
    at: float
    cpu_seconds: float
    memory_bytes: int


@dataclass
class NodeSampler:
    """Samples of one node, kept until the api has taken them."""

    node: NodeConfig
    gpus: Gpus | None
    processes: MarkedProcesses
    waiting: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    _last: _Reading | None = None

    def take(self, now: float, monotonic: float) -> None:
        """Add one sample; the first look only sets the mark from which processor use is counted."""
        reading = self._read(monotonic)
        last, self._last = self._last, reading
        if reading is None or last is None or reading.at <= last.at:
            return
        if len(self.waiting) >= _KEPT_SAMPLES:
            self.waiting = self.waiting[::2]
        cores = max(0.0, reading.cpu_seconds - last.cpu_seconds) / (reading.at - last.at)
        self.waiting.append(
            {
                "at": datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds"),
                "cpu_cores": round(cores, 4),
                "memory_bytes": reading.memory_bytes,
                "memory_limit_bytes": self._limit(),
                "gpus": [
                    {"index": gpu.index, "utilisation": gpu.utilisation, "memory_bytes": gpu.memory_bytes}
                    for gpu in (self.gpus.read(self.node.gpus) if self.gpus else ())
                ],
            }
        )

    def _limit(self) -> int | None:
        limit = _cgroups.memory_limit_bytes(self.node.cgroup_memory) if self.node.cgroup_memory else None
        return self.node.memory_limit_bytes if limit is None else limit

    def _read(self, monotonic: float) -> _Reading | None:
        node = self.node
        memory = _cgroups.memory_bytes(node.cgroup_memory) if node.cgroup_memory else None
        cpu = _cgroups.cpu_seconds(node.cgroup_cpu) if node.cgroup_cpu else None
        if (memory is None or cpu is None) and node.pids_marker:
            counted = self.processes.count(node.pids_marker, monotonic)
            memory = counted.memory_bytes if memory is None else memory
            cpu = counted.cpu_seconds if cpu is None else cpu
        if memory is None or cpu is None:
            return None
        return _Reading(monotonic, cpu, memory)


@dataclass
class _Count:
    """Of the processes that carry one marker."""

    ended_cpu_seconds: float = 0.0
    """Used by those that are gone: a sum must not fall when a process ends."""
    living: dict[_Identity, float] = field(default_factory=dict["_Identity", float])
    memory_bytes: int = 0

    @property
    def cpu_seconds(self) -> float:
        return self.ended_cpu_seconds + sum(self.living.values())


@dataclass
class MarkedProcesses:
    """Use of processes that carry a marker (`NAME=value`) in their environment; one walk over /proc for all nodes."""

    markers: tuple[str, ...]
    _counts: dict[str, _Count] = field(default_factory=dict[str, _Count])
    _marker_of: dict[_Identity, str | None] = field(default_factory=dict["_Identity", "str | None"])
    _walked_at: float | None = None

    def count(self, marker: str, monotonic: float) -> _Count:
        if self._walked_at != monotonic:
            self._walked_at = monotonic
            self._walk()
        return self._counts.setdefault(marker, _Count())

    def _walk(self) -> None:
        uses = [use for use in map(_usage, filter(str.isdecimal, os.listdir("/proc"))) if use is not None]
        living = {use.identity for use in uses}
        self._marker_of = {known: marker for known, marker in self._marker_of.items() if known in living}
        for count in self._counts.values():
            count.memory_bytes = 0
            for gone in count.living.keys() - living:
                count.ended_cpu_seconds += count.living.pop(gone)
        for use in uses:
            marker = self._marker(use)
            if marker is not None:
                count = self._counts.setdefault(marker, _Count())
                count.living[use.identity] = use.cpu_seconds
                count.memory_bytes += _private_bytes(use.identity[0])

    def _marker(self, use: _Use) -> str | None:
        if use.identity in self._marker_of:
            return self._marker_of[use.identity]
        variables = environment_of(use.identity[0])
        carried = {f"{name}={value}" for name, value in variables.items()}
        marker = next((marker for marker in self.markers if marker in carried), None)
        if use.age_seconds > _SETTLED_SECONDS:
            # A younger one may not have become its own program yet, with an environment of its own.
            self._marker_of[use.identity] = marker
        return marker


@dataclass(frozen=True, slots=True)
class _Use:
    identity: _Identity
    cpu_seconds: float
    age_seconds: float


def _usage(pid: str) -> _Use | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as stream:
            line = stream.read()
    except OSError:
        return None
    fields = line[line.rindex(b")") + 2 :].split()
    ticks_per_second = os.sysconf("SC_CLK_TCK")
    started = int(fields[19])
    age = time.clock_gettime(time.CLOCK_BOOTTIME) - started / ticks_per_second
    return _Use((int(pid), started), (int(fields[11]) + int(fields[12])) / ticks_per_second, age)


def _private_bytes(pid: int) -> int:
    """Resident memory without what is shared, such as Ray's object store."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as stream:
            sizes = stream.read().split()
    except OSError:
        return 0
    return max(0, int(sizes[1]) - int(sizes[2])) * os.sysconf("SC_PAGE_SIZE")
