"""The outbox on a real Postgres: one effect however often asked for, one worker at a time, nothing lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from datetime import timedelta

import pytest
from sqlalchemy import select, text

from mlp_core.kit.database import Database
from mlp_core.outbox import service as outbox
from mlp_core.outbox.service import Claim
from mlp_core.tables import OutboxRow


@pytest.fixture
async def database(fresh_database_url: str) -> AsyncGenerator[Database]:
    made = Database(fresh_database_url, pool_size=10)
    yield made
    await made.close()


async def ask(database: Database, key: str = "a", due_in: float = 0, **payload: int) -> None:
    async with database.transaction() as session:
        await outbox.enqueue(session, "test", key, dict(payload), due_in)


async def due(database: Database) -> Sequence[int]:
    async with database.transaction() as session:
        return [row_id for row_id, _ in await outbox.list_due(session)]


async def take(database: Database, row_id: int, seconds: float = 60) -> Claim | None:
    async with database.transaction() as session:
        return await outbox.claim(session, row_id, "worker", seconds)


async def taken(database: Database, seconds: float = 60) -> Claim:
    claim = await take(database, (await due(database))[0], seconds)
    assert claim is not None
    return claim


async def rows(database: Database) -> list[OutboxRow]:
    async with database.transaction() as session:
        return list(await session.scalars(select(OutboxRow).order_by(OutboxRow.id)))


async def pass_time(database: Database, seconds: float) -> None:
    """Let the database's clock seem to move on: every instant of the outbox moves back."""
    async with database.transaction() as session:
        await session.execute(
            text(
                "UPDATE outbox SET due_at = due_at - :by, claimed_until = claimed_until - :by, done_at = done_at - :by"
            ),
            {"by": timedelta(seconds=seconds)},
        )


async def test_asked_for_twice_it_is_one_effect_with_the_newest_payload(database: Database) -> None:
    await ask(database, n=1)
    await ask(database, n=2)
    assert [row.payload for row in await rows(database)] == [{"n": 2}]


async def test_ten_at_once_ask_for_one_effect(database: Database) -> None:
    await asyncio.gather(*(ask(database, n=n) for n in range(10)))
    assert len(await rows(database)) == 1


async def test_what_is_rolled_back_was_never_asked_for(database: Database) -> None:
    async def ask_and_break() -> None:
        async with database.transaction() as session:
            await outbox.enqueue(session, "test", "a")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await ask_and_break()
    assert await rows(database) == []


async def test_a_later_effect_waits_and_an_earlier_wish_brings_it_forward(database: Database) -> None:
    await ask(database, due_in=600)
    assert await due(database) == []
    async with database.transaction() as session:
        assert 590 < (await outbox.seconds_to_next(session) or 0) <= 600
    await ask(database)
    assert len(await due(database)) == 1


async def test_one_of_many_claims_it(database: Database) -> None:
    await ask(database)
    [row_id] = await due(database)
    claims = await asyncio.gather(*(take(database, row_id) for _ in range(10)))
    assert len([claim for claim in claims if claim]) == 1
    assert await due(database) == []


async def test_a_done_effect_may_be_asked_for_again(database: Database) -> None:
    await ask(database)
    claim = await taken(database)
    async with database.transaction() as session:
        assert await outbox.finish(session, claim)
    assert await due(database) == []
    await ask(database)
    assert len(await due(database)) == 1


async def test_asked_for_while_it_is_carried_out_it_is_carried_out_once_more(database: Database) -> None:
    await ask(database, n=1)
    claim = await taken(database)
    await ask(database, n=2)
    assert await due(database) == [], "never two at once"
    async with database.transaction() as session:
        assert await outbox.finish(session, claim)
    again = await taken(database)
    assert (again.payload, again.tries) == ({"n": 2}, 1)


async def test_the_claim_of_a_dead_worker_ends_by_itself(database: Database) -> None:
    await ask(database)
    lost = await taken(database, seconds=60)
    await pass_time(database, 61)
    found = await taken(database)
    assert found.tries == 2
    async with database.transaction() as session:
        assert not await outbox.finish(session, lost)
        assert not await outbox.fail(session, lost, "late")
        assert not await outbox.extend(session, lost)
        assert await outbox.finish(session, found)


async def test_a_claim_that_is_kept_alive_does_not_end(database: Database) -> None:
    await ask(database)
    claim = await taken(database, seconds=60)
    await pass_time(database, 50)
    async with database.transaction() as session:
        assert await outbox.extend(session, claim, 60)
    await pass_time(database, 50)
    assert await due(database) == []


async def test_extending_does_not_forget_that_it_was_asked_for_again(database: Database) -> None:
    await ask(database, n=1)
    claim = await taken(database)
    await ask(database, n=2)
    async with database.transaction() as session:
        await outbox.extend(session, claim)
        await outbox.finish(session, claim)
    assert len(await due(database)) == 1


async def test_a_failed_effect_is_tried_later_and_at_last_dead_and_kept(database: Database) -> None:
    await ask(database)
    for tries in (1, 2, 3):
        claim = await taken(database)
        assert claim.tries == tries
        async with database.transaction() as session:
            assert await outbox.fail(session, claim, f"no {tries}\x00", max_tries=3)
        assert await due(database) == []
        await pass_time(database, outbox.LONGEST_DELAY_SECONDS)
    [row] = await rows(database)
    assert (row.state, row.last_error) == ("dead", "no 3")
    assert await due(database) == []
    async with database.transaction() as session:
        assert await outbox.count_by_state(session) == {"dead": 1}


def test_pauses_grow_and_are_bounded() -> None:
    delays = [outbox.delay_seconds(tries) for tries in range(1, 200)]
    assert delays[:4] == [5, 10, 20, 40]
    assert delays == sorted(delays)
    assert delays[-1] == outbox.LONGEST_DELAY_SECONDS


async def test_a_worker_that_ends_gives_back_at_once(database: Database) -> None:
    await ask(database)
    claim = await taken(database)
    async with database.transaction() as session:
        assert await outbox.release(session, claim)
    assert len(await due(database)) == 1


async def test_a_slot_happens_once_even_when_it_is_done(database: Database) -> None:
    async def slot() -> bool:
        async with database.transaction() as session:
            return await outbox.enqueue_once(session, "test", "slot 1")

    assert (await slot(), await slot()) == (True, False)
    claim = await taken(database)
    async with database.transaction() as session:
        await outbox.finish(session, claim)
    assert not await slot()


async def test_what_was_done_long_ago_is_forgotten_and_nothing_else(database: Database) -> None:
    await ask(database, "open")
    await ask(database, "done")
    for row_id in await due(database):
        claim = await take(database, row_id)
        assert claim is not None
        if claim.key == "done":
            async with database.transaction() as session:
                await outbox.finish(session, claim)
    async with database.transaction() as session:
        assert await outbox.forget_done(session, timedelta(days=7)) == 0
    await pass_time(database, 8 * 86400)
    async with database.transaction() as session:
        assert await outbox.forget_done(session, timedelta(days=7)) == 1
    assert [row.key for row in await rows(database)] == ["open"]
