"""Pools that a single machine offers: pure arithmetic over what the machine has.

All of the machine's memory that is not kept for the platform is dealt out once, so jobs that were admitted together
do not take each other's memory. Cores may be promised several times over: a busy core only makes work slower.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

GIB = 1024**3
PLATFORM_BYTES = 3 * GIB
"""Kept for Postgres, MLflow, our services and the system."""
PLATFORM_SHARE = 0.2
"""The same as a share of a small machine."""
LOGICAL_MACHINES = 2
"""Into how many logical machines each pool divides the machine where it has no real GPUs."""
GPU_SHARE = 0.5
"""Of the memory, where GPUs are only logical: half for each pool."""
MIB = 1024**2


@dataclass(frozen=True)
class Machine:
    """What this machine has."""

    cores: int
    memory_bytes: int
    gpus: tuple[str, ...] = ()
    """Names of the real GPUs."""

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Machine:
        """From what `mlp_operator.engines.local.machine` tells."""
        return cls(
            cores=int(facts["cores"]),
            memory_bytes=int(facts["memory_bytes"]),
            gpus=tuple(str(gpu["name"]) for gpu in facts["gpus"]),
        )


def for_machine(machine: Machine) -> list[dict[str, Any]]:
    """Pools `cpu` and `gpu`, as the fields of `PoolCreate`."""
    usable = machine.memory_bytes - int(min(PLATFORM_BYTES, machine.memory_bytes * PLATFORM_SHARE))
    for_gpus = int(usable * GPU_SHARE)
    return [_cpu_pool(machine, usable - for_gpus), _gpu_pool(machine, for_gpus)]


def _cpu_pool(machine: Machine, memory: int) -> dict[str, Any]:
    return {
        "name": "cpu",
        "description": f"This machine's {_cores(machine)}, as {LOGICAL_MACHINES} logical machines that share them.",
        "cpu": machine.cores,
        "memory": _whole_mebibytes(memory // LOGICAL_MACHINES),
        "machines": LOGICAL_MACHINES,
        "is_default": True,
    }


def _gpu_pool(machine: Machine, memory: int) -> dict[str, Any]:
    common = {"name": "gpu", "cpu": machine.cores, "is_default": True}
    if machine.gpus:
        return common | {
            "description": f"This machine with its {len(machine.gpus)} GPUs: {', '.join(sorted(set(machine.gpus)))}.",
            "memory": _whole_mebibytes(memory),
            "gpu": len(machine.gpus),
            "accelerator": _accelerator(machine.gpus[0]),
            "machines": 1,
        }
    return common | {
        "description": "Logical GPUs: this machine has no real one. They are counted, and the code runs on its cores.",
        "memory": _whole_mebibytes(memory // LOGICAL_MACHINES),
        "gpu": 1,
        "accelerator": "logical",
        "machines": LOGICAL_MACHINES,
    }


def _cores(machine: Machine) -> str:
    return "1 core" if machine.cores == 1 else f"{machine.cores} cores"


def _accelerator(name: str) -> str:
    """`NVIDIA H200` → `nvidia-h200`."""
    return "-".join(name.lower().split())[:100]


def _whole_mebibytes(amount: int) -> int:
    return amount // MIB * MIB
