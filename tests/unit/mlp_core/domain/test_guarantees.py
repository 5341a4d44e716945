"""Shares of pools: how large, who goes first, and what nobody else may take."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from mlp_core.domain.admission import Gang, Snapshot, Verdict, verdicts
from mlp_core.domain.guarantees import shares_of
from mlp_core.domain.packing import NodeDemand, PoolShape, Shape

GIB = 2**30
NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
CPU = PoolShape("cpu", Shape(16, 64 * GIB), machines=2)
GPU = PoolShape("gpu", Shape(16, 64 * GIB, 4), machines=2)
POOLS = (CPU, GPU)


def gpus(count: float) -> NodeDemand:
    return NodeDemand("train", "gpu", 1, Shape(1, GIB, count))


def cpus(count: float, pool: str = "cpu") -> NodeDemand:
    return NodeDemand("head", pool, 1, Shape(count, GIB))


def gang(id_: str, *demands: NodeDemand, project: str = "owner", age: int = 0, priority: int = 1) -> Gang:
    return Gang(id_, id_, project, demands, priority, NOW - timedelta(seconds=age))


def judged(waiting: list[Gang], holding: list[Gang], **machines: dict[str, float]) -> dict[str, Verdict]:
    return verdicts(Snapshot(POOLS, tuple(holding), tuple(waiting), {}, shares_of(machines, POOLS)))


def test_a_share_is_a_part_of_every_resource_and_gpus_are_whole() -> None:
    assert shares_of({"a": {"gpu": 0.5, "cpu": 1}}, POOLS)["a"] == {
        "gpu": Shape(8, 32 * GIB, 2),
        "cpu": Shape(16, 64 * GIB, 0),
    }
    assert shares_of({"a": {"gpu": 0.3}}, POOLS)["a"]["gpu"].gpu == 1


@pytest.mark.parametrize(("machines", "left"), [(4, 2.0), (2, 1.0), (0, 0.0)])
def test_a_pool_that_has_fewer_machines_than_were_promised_is_divided_alike(machines: int, left: float) -> None:
    pool = PoolShape("gpu", Shape(16, 64 * GIB, 4), machines)
    found = shares_of({"a": {"gpu": 2}, "b": {"gpu": 2}}, (pool,))
    assert [share.get("gpu", Shape(0, 0)).gpu for share in found.values()] == [4 * left, 4 * left]


def test_a_pool_that_is_gone_gives_nothing() -> None:
    assert shares_of({"a": {"tpu": 2}}, POOLS) == {"a": {}}


def test_the_own_share_goes_before_priority_and_age() -> None:
    waiting = [gang("urgent", gpus(4), gpus(4), project="other", priority=2, age=100), gang("mine", gpus(4))]
    found = judged(waiting, [], owner={"gpu": 1})
    assert found["mine"].admitted
    assert (found["mine"].position, found["urgent"].position) == (1, 2)
    assert not found["urgent"].admitted
    assert judged(waiting, [])["urgent"].admitted, "without a guarantee it would have been the other's"


def test_what_its_project_does_not_use_is_lent() -> None:
    assert judged([gang("theirs", gpus(4), gpus(4), project="other")], [], owner={"gpu": 1})["theirs"].admitted


def test_a_pool_lends_no_more_while_its_owner_waits() -> None:
    holding = [gang("lent", gpus(4), gpus(2), project="other")]
    waiting = [gang("small", gpus(1), project="other", priority=2), gang("mine", gpus(4))]
    found = judged(waiting, holding, owner={"gpu": 1})
    assert not found["mine"].admitted
    assert [blocker.id for blocker in found["mine"].blockers] == ["lent"]
    assert (found["small"].admitted, found["small"].reason) == (False, "KeptForOthers")
    assert found["small"].message == (
        "Pool 'gpu' lends nothing now: a project waits for the share of it that it is guaranteed."
    )
    assert judged(waiting, holding)["small"].admitted


def test_what_is_kept_holds_up_nobody_who_wants_other_things() -> None:
    holding = [gang("lent", gpus(4), gpus(2), project="other")]
    waiting = [
        gang("mine", gpus(4)),
        gang("cores", cpus(2, pool="gpu"), project="other"),
        gang("elsewhere", cpus(16), project="other"),
    ]
    found = judged(waiting, holding, owner={"gpu": 1})
    assert (found["cores"].admitted, found["elsewhere"].admitted) == (True, True)


def test_more_than_the_own_share_is_borrowed_in_its_turn() -> None:
    holding = [gang("first", gpus(4))]
    waiting = [gang("older", gpus(4), project="other", age=10), gang("beyond", gpus(2), age=1)]
    found = judged(waiting, holding, owner={"gpu": 1})
    assert found["older"].admitted
    assert (found["beyond"].admitted, found["beyond"].reason) == (False, "NoRoom")


def test_a_head_in_a_pool_without_a_share_does_not_cost_the_job_its_turn() -> None:
    waiting = [gang("theirs", gpus(4), gpus(4), project="other", age=9), gang("mine", cpus(1), gpus(4))]
    assert judged(waiting, [], owner={"gpu": 1})["mine"].admitted


def test_several_jobs_share_what_is_theirs_once() -> None:
    waiting = [gang("one", gpus(4), age=2), gang("two", gpus(4), age=1), gang("theirs", gpus(4), project="b", age=3)]
    found = judged(waiting, [], owner={"gpu": 1})
    assert [id_ for id_, verdict in found.items() if verdict.admitted] == ["one", "theirs"]
