from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlp.schemas.pools import PoolCreate
from mlp_standalone.pools import GIB, Machine, for_machine


def test_a_machine_without_gpus_offers_logical_ones_and_says_so() -> None:
    cpu, gpu = for_machine(Machine(cores=2, memory_bytes=23 * GIB))
    assert (cpu["name"], cpu["cpu"], cpu["machines"], cpu["memory"]) == ("cpu", 2, 2, 5 * GIB)
    assert (gpu["gpu"], gpu["accelerator"], gpu["machines"], gpu["memory"]) == (1, "logical", 2, 5 * GIB)
    assert gpu["description"].startswith("Logical GPUs: this machine has no real one.")


def test_real_gpus_are_offered_on_one_machine_by_their_name() -> None:
    _, gpu = for_machine(Machine(cores=64, memory_bytes=512 * GIB, gpus=("NVIDIA H200",) * 4))
    assert (gpu["gpu"], gpu["accelerator"], gpu["machines"]) == (4, "nvidia-h200", 1)
    assert gpu["description"] == "This machine with its 4 GPUs: NVIDIA H200."


@given(cores=st.integers(1, 512), memory=st.integers(1 * GIB, 4096 * GIB), gpus=st.integers(0, 16))
def test_memory_is_dealt_out_once_and_the_platform_keeps_its_part(cores: int, memory: int, gpus: int) -> None:
    pools = for_machine(Machine(cores, memory, ("NVIDIA A100",) * gpus))
    dealt = sum(pool["memory"] * pool["machines"] for pool in pools)
    assert dealt <= memory - min(3 * GIB, memory * 0.2) + 1
    assert dealt >= memory * 0.79


@pytest.mark.parametrize("gpus", [(), ("NVIDIA GeForce RTX 4090",)])
def test_the_pools_are_valid_for_the_platform(gpus: tuple[str, ...]) -> None:
    for pool in for_machine(Machine(3, 7 * GIB + 12_345, gpus)):
        assert PoolCreate.model_validate(pool).is_default


def test_the_engines_facts_are_understood() -> None:
    facts = {"cores": 4, "memory_bytes": GIB, "gpus": [{"index": 0, "name": "NVIDIA L4", "memory_bytes": None}]}
    assert Machine.of(facts) == Machine(4, GIB, ("NVIDIA L4",))
