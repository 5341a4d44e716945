"""What this machine has to offer to pools."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

MEMINFO = Path("/proc/meminfo")
NVIDIA_GPUS = Path("/proc/driver/nvidia/gpus")
NVIDIA_TIMEOUT_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Gpu:
    index: int
    name: str
    memory_bytes: int | None


@dataclass(frozen=True, slots=True)
class Machine:
    cores: int
    """Cores this process may use."""
    memory_bytes: int
    """The machine's memory, or the container's limit where that is less."""
    gpus: tuple[Gpu, ...]


def describe() -> Machine:
    """Cores, memory and real GPUs. Takes a second where `nvidia-smi` has to wake a driver."""
    return Machine(cores=len(os.sched_getaffinity(0)), memory_bytes=min(_memory(), _container_limit()), gpus=_gpus())


def _memory() -> int:
    for line in MEMINFO.read_text(encoding="ascii").splitlines():
        if line.startswith("MemTotal:"):
            return int(line.split()[1]) * 1024
    raise ValueError(f"{MEMINFO} tells no MemTotal.")


def _container_limit() -> int:
    """The limit on the root that this process sees; huge where there is none."""
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            text = Path(path).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if text.isdigit():
            return int(text)
    return 2**63 - 1


def _gpus() -> tuple[Gpu, ...]:
    program = shutil.which("nvidia-smi")
    if program is None:
        return _gpus_of_the_driver()
    try:
        answer = subprocess.run(
            [program, "--query-gpu=index,name,memory.total", "--format=csv,noheader,nounits"],
            capture_output=True,
            text=True,
            timeout=NVIDIA_TIMEOUT_SECONDS,
            check=True,
        )
    except (subprocess.SubprocessError, OSError):
        return _gpus_of_the_driver()
    return tuple(_gpu(line) for line in answer.stdout.splitlines() if line.strip())


def _gpu(line: str) -> Gpu:
    index, name, mebibytes = (field.strip() for field in line.split(","))
    return Gpu(int(index), name, int(mebibytes) * 2**20 if mebibytes.isdigit() else None)


def _gpus_of_the_driver() -> tuple[Gpu, ...]:
    """What the kernel driver lists, in its order, where `nvidia-smi` is missing or broken."""
    if not NVIDIA_GPUS.is_dir():
        return ()
    found: list[Gpu] = []
    for index, folder in enumerate(sorted(NVIDIA_GPUS.iterdir())):
        lines = (folder / "information").read_text(encoding="utf-8", errors="replace").splitlines()
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("Model:")), "NVIDIA GPU")
        found.append(Gpu(index, model, None))
    return tuple(found)
