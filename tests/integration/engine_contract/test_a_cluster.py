"""Clusters: made, adopted, watched."""

from __future__ import annotations

from support.engines import Bench


async def test_every_node_of_a_mixed_cluster_becomes_ready(bench: Bench) -> None:
    observed = await bench.engine.observe_cluster(bench.cluster)
    assert observed is not None
    assert (observed.nodes_ready, observed.nodes_wanted, observed.head_ready) == (3, 3, True)
    assert observed.trouble is None
    assert observed.lost_nodes == ()


async def test_a_cluster_of_an_unknown_name_is_none(bench: Bench) -> None:
    assert await bench.engine.observe_cluster("cls_unknown") is None
    await bench.engine.delete_cluster("cls_unknown")


async def test_names_lists_what_exists(bench: Bench) -> None:
    assert await bench.engine.names() == {bench.cluster}
