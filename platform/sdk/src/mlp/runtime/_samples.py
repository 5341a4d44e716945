"""How much of its processors, memory and accelerators a node uses."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from mlp.runtime import _cgroups
from mlp.runtime.agent_config import NodeConfig
from mlp.runtime.workers import environment_of

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
    waiting: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    _last: _Reading | None = None
    _processes: dict[int, float] = field(default_factory=dict[int, float])

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
            counted_cpu, counted_memory = self._count(node.pids_marker)
            memory = counted_memory if memory is None else memory
            cpu = counted_cpu if cpu is None else cpu
        if memory is None or cpu is None:
            return None
        return _Reading(monotonic, cpu, memory)

    def _count(self, marker: str) -> tuple[float, int]:
        """Sums over the processes that carry the marker. Those that ended keep what they had used."""
        name, _, value = marker.partition("=")
        memory = 0
        for entry in os.listdir("/proc"):
            if not entry.isdecimal():
                continue
            pid = int(entry)
            usage = _usage(pid)
            if usage is None or environment_of(pid).get(name) != value:
                continue
            cpu_seconds, resident_bytes = usage
            memory += resident_bytes
            self._processes[pid] = max(cpu_seconds, self._processes.get(pid, 0.0))
        return sum(self._processes.values()), memory


def _usage(pid: int) -> tuple[float, int] | None:
    """Processor seconds and resident bytes without shared memory of one process."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stream:
            line = stream.read()
        with open(f"/proc/{pid}/statm", "rb") as stream:
            sizes = stream.read().split()
    except OSError:
        return None
    fields = line[line.rindex(b")") + 2 :].split()
    ticks = int(fields[11]) + int(fields[12])
    private_pages = int(sizes[1]) - int(sizes[2])
    return ticks / os.sysconf("SC_CLK_TCK"), max(0, private_pages) * os.sysconf("SC_PAGE_SIZE")
