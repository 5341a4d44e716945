"""Which gangs start, which wait and why, and what is refused because it can never start."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlp.schemas.resources import Head, ReplicaRange, Resources, WorkerGroup
from mlp_core.domain.admission import (
    Gang,
    Limits,
    Snapshot,
    demands_of,
    price_per_hour,
    require_fit,
    verdicts,
    with_pools,
)
from mlp_core.domain.errors import CanNeverFit
from mlp_core.domain.packing import NodeDemand, PoolShape, Shape

GIB = 2**30
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
CPU = PoolShape("cpu", Shape(16, 64 * GIB), machines=2, price_per_hour=1.0, is_default=True)
GPU = PoolShape("gpu", Shape(16, 64 * GIB, 1), machines=4, price_per_hour=10.0, is_default=True)
POOLS = (CPU, GPU)


def gpus(count: int, each: float = 1.0, pool: str = "gpu") -> tuple[NodeDemand, ...]:
    return (NodeDemand("train", pool, count, Shape(1, GIB, each)),)


def cpus(cpu: float, count: int = 1) -> tuple[NodeDemand, ...]:
    return (NodeDemand("work", "cpu", count, Shape(cpu, GIB)),)


def gang(
    id_: str,
    demands: tuple[NodeDemand, ...],
    *,
    age: int = 0,
    priority: int = 1,
    project: str = "prj_a",
    held: bool = False,
) -> Gang:
    queued = NOW - timedelta(seconds=age)
    return Gang(id_, f"name of {id_}", project, demands, priority, queued, queued if held else None)


def test_small_jobs_pass_large_ones_that_cannot_start_yet_c1() -> None:
    snapshot = Snapshot(
        pools=POOLS,
        holding=(gang("holder", gpus(3), held=True),),
        waiting=(
            gang("a", gpus(4), age=50),
            gang("b", gpus(4), age=40),
            gang("c", gpus(4), age=30),
            gang("d", cpus(1), age=20),
            gang("e", gpus(1), age=10),
        ),
    )
    found = verdicts(snapshot)
    assert [id_ for id_, verdict in found.items() if verdict.admitted] == ["d", "e"]
    for id_ in "abc":
        assert found[id_].message == "Needs 4 x 1 GPU of pool 'gpu'; 1 GPU, 61 CPU and 253 GiB are free."
        assert [blocker.id for blocker in found[id_].blockers] == ["holder"]
    assert [found[id_].position for id_ in "abcde"] == [1, 2, 3, 4, 5]


def test_two_gangs_never_hold_half_each_c5() -> None:
    found = verdicts(Snapshot(POOLS, (), (gang("x", gpus(3), age=2), gang("y", gpus(3), age=1))))
    assert found["x"].admitted
    assert not found["y"].admitted
    assert found["y"].would_start_now == ("1 of 3 replicas of 'train' would fit now.",)


def test_a_gang_of_several_groups_says_what_it_needs_at_once() -> None:
    wanted = (NodeDemand("head", "cpu", 1, Shape(8, GIB)), NodeDemand("prep", "cpu", 2, Shape(8, GIB)))
    found = verdicts(Snapshot(POOLS, (gang("holder", cpus(10), held=True),), (gang("x", wanted),)))
    assert found["x"].message == ("Needs 3 nodes at once (24 CPU, 3 GiB) of pool 'cpu'; 22 CPU and 127 GiB are free.")


def test_higher_priority_goes_first_then_age() -> None:
    waiting = (gang("old", gpus(4), age=100), gang("urgent", gpus(4), age=1, priority=2))
    found = verdicts(Snapshot(POOLS, (), waiting))
    assert found["urgent"].admitted
    assert not found["old"].admitted


@pytest.mark.parametrize(("count", "each"), [(4, 0.5), (10, 0.1), (3, 1 / 3)])
def test_fractions_that_pack_on_devices_fit_c3(count: int, each: float) -> None:
    two = PoolShape("gpu", Shape(16, 64 * GIB, 1), machines=2)
    require_fit(gpus(count, each), (two,), Limits())


def test_a_fraction_never_spans_two_devices_c3() -> None:
    two = PoolShape("gpu", Shape(16, 64 * GIB, 1), machines=2)
    with pytest.raises(CanNeverFit) as refused:
        require_fit(gpus(3, 0.6), (two,), Limits())
    assert refused.value.detail == "3 x 0.6 GPU of 'train' packs on 3 GPUs; pool 'gpu' has 2."
    assert refused.value.hint == "2 replicas, or 0.5 GPU each, would fit."


def test_more_than_any_machine_has_names_the_largest() -> None:
    with pytest.raises(CanNeverFit) as refused:
        require_fit((NodeDemand("train", "gpu", 1, Shape(32, GIB, 8)),), POOLS, Limits())
    assert "8 GPU where a machine has 1; 32 CPU where a machine has 16" in refused.value.detail
    assert refused.value.hint == "The largest node of pool 'gpu' is 16 CPU, 64 GiB, 1 GPU."


def test_an_unknown_pool_lists_the_known() -> None:
    with pytest.raises(CanNeverFit) as refused:
        with_pools(Resources(groups=[WorkerGroup(name="t", pool="tpu")]), POOLS)
    assert refused.value.hint == "The pools are 'cpu', 'gpu'; see `mlp pool list`."


def test_defaults_follow_what_is_asked_for() -> None:
    filled = with_pools(Resources(groups=[WorkerGroup(name="t", gpu=1), WorkerGroup(name="p")]), POOLS)
    assert [filled.head.pool, *(group.pool for group in filled.groups)] == ["cpu", "gpu", "cpu"]


def test_project_limits_hold_back_and_say_so() -> None:
    snapshot = Snapshot(
        POOLS,
        (gang("mine", gpus(1), held=True),),
        (gang("next", gpus(2)), gang("other", gpus(2), project="prj_b")),
        {"prj_a": Limits(gpu=2)},
    )
    found = verdicts(snapshot)
    assert found["next"].reason == "ProjectLimit"
    assert found["next"].message == "The project's limit is reached: 1 of 2 GPU in use, 2 more wanted."
    assert found["other"].admitted


def test_limits_that_can_never_be_met_are_refused_at_submit() -> None:
    with pytest.raises(CanNeverFit, match="limit can never hold it: 0 of 1 GPU in use, 2 more wanted"):
        require_fit(gpus(2), POOLS, Limits(gpu=1))


def test_memory_factor_scales_every_node() -> None:
    resources = with_pools(Resources(head=Head(memory=GIB), groups=[WorkerGroup(name="t", memory=2 * GIB)]), POOLS)
    demands = demands_of(resources, POOLS, memory_factor=1.5)
    assert [demand.node.memory_bytes for demand in demands] == [int(1.5 * GIB), 3 * GIB]


def test_a_range_starts_with_its_lower_end() -> None:
    group = WorkerGroup(name="t", replicas=ReplicaRange(min=2, max=5))
    demands = demands_of(with_pools(Resources(groups=[group]), POOLS), POOLS)
    assert [(demand.group, demand.count) for demand in demands] == [("head", 1), ("t", 2)]


def test_the_price_is_the_largest_share_of_a_machine() -> None:
    assert price_per_hour((NodeDemand("t", "gpu", 2, Shape(4, GIB, 0.5)),), POOLS) == 10.0
    assert price_per_hour((NodeDemand("t", "cpu", 1, Shape(4, GIB)),), POOLS) == 0.25


SHAPES = st.builds(
    Shape,
    cpu=st.integers(0, 16),
    memory_bytes=st.integers(0, 64).map(lambda g: g * GIB),
    gpu=st.sampled_from([0, 0.25, 0.5, 1]),
)
DEMANDS = st.builds(NodeDemand, st.just("g"), st.sampled_from(["cpu", "gpu"]), st.integers(1, 5), SHAPES)
GANGS = st.lists(st.lists(DEMANDS, min_size=1, max_size=3).map(tuple), max_size=12)


@given(GANGS)
def test_what_is_admitted_never_exceeds_the_pools(wanted: list[tuple[NodeDemand, ...]]) -> None:
    waiting = tuple(gang(f"j{i}", demands, age=100 - i) for i, demands in enumerate(wanted))
    found = verdicts(Snapshot(POOLS, (), waiting))
    admitted = [g for g in waiting if found[g.id].admitted]
    for pool in POOLS:
        used = [d for g in admitted for d in g.demands if d.pool == pool.name]
        assert sum(d.count * d.node.cpu for d in used) <= pool.machine.cpu * pool.machines
        assert sum(d.count * d.node.memory_bytes for d in used) <= pool.machine.memory_bytes * pool.machines
        assert sum(d.count * d.node.gpu for d in used) <= pool.machine.gpu * pool.machines + 1e-9


@given(GANGS)
def test_admitting_one_after_the_other_reaches_everyone_who_can_ever_fit(wanted: list[tuple[NodeDemand, ...]]) -> None:
    """No starvation for good: when everything admitted ends, the first in the queue always starts."""
    waiting = [gang(f"j{i}", demands, age=100 - i) for i, demands in enumerate(wanted)]
    while waiting:
        found = verdicts(Snapshot(POOLS, (), tuple(waiting)))
        started = {id_ for id_, verdict in found.items() if verdict.admitted}
        if not started:
            break
        waiting = [g for g in waiting if g.id not in started]
    for left in waiting:
        with pytest.raises(CanNeverFit):
            require_fit(left.demands, POOLS, Limits())
