"""The order in which Kueue looks at what waits, put together from what each of its queues tells."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlp_operator.engines.kubernetes.client import KubeClient, Unavailable
from mlp_operator.engines.kubernetes.order import Pending, PendingWorkloads, merged
from support.kube_api import Fault, KubeApi
from support.patience import patient

ROOT = "/apis/visibility.kueue.x-k8s.io/v1beta2/clusterqueues"


def pending(name: str, *, priority: int = 1000, created: int = 0) -> Pending:
    return Pending("mlp-x", name, priority, f"2026-12-01T12:00:{created:02}Z")


def named(order: list[Pending]) -> list[str]:
    return [one.workload for one in order]


def test_first_ones_are_compared_by_priority_then_age() -> None:
    one = [pending("old", created=1), pending("low", priority=100, created=0)]
    other = [pending("high", priority=10_000, created=9), pending("young", created=5)]
    assert named(merged([one, other, []])) == ["high", "old", "young", "low"]


def test_nobody_overtakes_within_a_queue_whatever_the_age_says() -> None:
    # As after a preemption: Kueue counts from the eviction on.
    queue = [pending("first", created=30), pending("second", created=1)]
    assert named(merged([queue, [pending("other", created=20)]])) == ["other", "first", "second"]


@patient
@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from([100, 1000, 10_000]), st.integers(0, 59)), max_size=6), max_size=5
    )
)  # fmt: skip
def test_every_one_comes_once_and_each_queue_keeps_its_order(drawn: list[list[tuple[int, int]]]) -> None:
    queues = [
        [pending(f"{queue}/{at}", priority=priority, created=created) for at, (priority, created) in enumerate(one)]
        for queue, one in enumerate(drawn)
    ]
    order = merged(queues)
    assert sorted(named(order)) == sorted(one.workload for queue in queues for one in queue)
    for queue in queues:
        assert [one for one in order if one in queue] == queue


@pytest.fixture
async def api() -> AsyncIterator[KubeApi]:
    running = await KubeApi().start()
    yield running
    await running.stop()


@pytest.fixture
async def client(api: KubeApi, tmp_path: Path) -> AsyncIterator[KubeClient]:
    config = tmp_path / "kubeconfig"
    config.write_text(api.kubeconfig())
    made = KubeClient(config, 1)
    yield made
    await made.close()


def tell(api: KubeApi, queue: str, *names: str) -> None:
    listed: list[dict[str, Any]] = [
        {"metadata": {"name": name, "namespace": queue, "creationTimestamp": "2026-12-01T12:00:00Z"}, "priority": 1000}
        for name in names
    ]
    api.put(f"{ROOT}/{queue}/pendingworkloads", {"metadata": {}, "items": listed})


async def test_each_queue_is_asked_once(api: KubeApi, client: KubeClient) -> None:
    tell(api, "mlp-a", "a1", "a2")
    tell(api, "mlp-b", "b1")
    found = await PendingWorkloads(client).of(["mlp-a", "mlp-b"])
    assert [(one.namespace, one.workload) for one in found] == [("mlp-a", "a1"), ("mlp-a", "a2"), ("mlp-b", "b1")]
    assert len(api.requests) == 2


async def test_an_installation_that_tells_no_order_gives_no_places(api: KubeApi, client: KubeClient) -> None:
    order = PendingWorkloads(client)
    assert await order.of(["mlp-a"]) == []
    api.faults.append(Fault(403, "pendingworkloads is forbidden", "Forbidden"))
    assert await order.of(["mlp-a"]) == []
    tell(api, "mlp-a", "a1")
    assert len(await order.of(["mlp-a"])) == 1


async def test_one_that_does_not_answer_now_leaves_what_is_known(api: KubeApi, client: KubeClient) -> None:
    api.faults.extend([Fault(503)] * 20)
    with pytest.raises(Unavailable):
        await PendingWorkloads(client).of(["mlp-a"])
