"""Clusters: made, adopted, watched."""

from __future__ import annotations

import httpx

from support.engines import Bench
from support.waiting import eventually


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


async def test_the_head_answers_where_the_engine_says_and_asks_for_its_token(bench: Bench) -> None:
    found = await bench.engine.dashboard(bench.cluster)
    assert found is not None
    assert len(found.token) >= 20
    assert await bench.engine.dashboard("cls_unknown") is None
    if not found.url.startswith("http://127.0.0.1:"):
        # A service of another machine's cluster: only its own pods can ask.
        assert found.url.endswith(":8265")
        return
    async with httpx.AsyncClient(base_url=found.url, trust_env=False) as head:

        async def status(**headers: str) -> int | None:
            try:
                return (await head.get("/api/version", headers=headers)).status_code
            except httpx.HTTPError:
                return None

        async def answers() -> bool:
            return await status() == 401

        await eventually(answers, within=60)
        assert await status(authorization=f"Bearer {found.token}") == 200
