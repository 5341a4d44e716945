"""The same create sent again, or ten times at once, is done once."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import select

from mlp_api.idempotency import PlatformRoute
from mlp_api.routers import AT_ROOT, BELOW_API
from mlp_core.tables import IdempotencyRow
from support.platform import Api, Person


@pytest.fixture(scope="module")
async def admin(api: Api) -> Person:
    return await api.person(is_admin=True)


async def test_ten_at_once_make_one(admin: Person) -> None:
    keyed = {"Idempotency-Key": "ten-at-once"}
    answers = await asyncio.gather(
        *(admin.http.post("/api/v1/projects", json={"name": "ten"}, headers=keyed) for _ in range(10))
    )
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert len({answer.headers["etag"] for answer in answers}) == 1
    assert sum("idempotent-replayed" in answer.headers for answer in answers) == 9


async def test_same_key_with_another_body_is_409(admin: Person) -> None:
    keyed = {"Idempotency-Key": "another-body"}
    assert (await admin.http.post("/api/v1/projects", json={"name": "body-1"}, headers=keyed)).status_code == 201
    other = await admin.http.post("/api/v1/projects", json={"name": "body-2"}, headers=keyed)
    assert other.status_code == 409
    assert other.json()["code"] == "idempotency_mismatch"
    assert (await admin.http.get("/api/v1/projects/body-2")).status_code == 404


async def test_same_key_on_another_route_is_409(admin: Person) -> None:
    keyed = {"Idempotency-Key": "another-route"}
    await admin.http.post("/api/v1/projects", json={"name": "route-1"}, headers=keyed)
    body = {"name": "route-1", "cpu": 1, "memory": "1Gi"}
    assert (await admin.http.post("/api/v1/pools", json=body, headers=keyed)).status_code == 409


async def test_key_of_somebody_else_is_another_key(api: Api, admin: Person) -> None:
    other = await api.person(is_admin=True)
    keyed = {"Idempotency-Key": "shared-by-chance"}
    assert (await admin.http.post("/api/v1/projects", json={"name": "chance-1"}, headers=keyed)).status_code == 201
    assert (await other.http.post("/api/v1/projects", json={"name": "chance-2"}, headers=keyed)).status_code == 201


async def test_refused_request_keeps_no_key(admin: Person) -> None:
    keyed = {"Idempotency-Key": "refused-first"}
    body = {"name": "refused", "team": "none"}
    assert (await admin.http.post("/api/v1/projects", json=body, headers=keyed)).status_code == 404
    assert (await admin.http.post("/api/v1/projects", json={"name": "refused"}, headers=keyed)).status_code == 201


async def test_token_shown_once_is_replayed_and_lies_nowhere_in_plain(api: Api, admin: Person) -> None:
    keyed = {"Idempotency-Key": "token-key"}
    first = await admin.http.post("/api/v1/tokens", json={"name": "t"}, headers=keyed)
    again = await admin.http.post("/api/v1/tokens", json={"name": "t"}, headers=keyed)
    assert again.json() == first.json()
    async with api.platform.database.transaction() as session:
        row = (await session.scalars(select(IdempotencyRow).where(IdempotencyRow.key == "token-key"))).one()
    assert first.json()["token"] not in str(row.answer)


@pytest.mark.parametrize("key", ["", "x" * 256])
async def test_key_of_impossible_length_is_422(admin: Person, key: str) -> None:
    answer = await admin.http.post("/api/v1/projects", json={"name": "length"}, headers={"Idempotency-Key": key})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "Idempotency-Key"


def test_every_route_that_takes_a_key_keeps_its_answer(api: Api) -> None:
    """`Once` only claims the key; it is `PlatformRoute` that stores the answer under it."""
    keyed = [
        operation["operationId"]
        for operations in api.app.openapi()["paths"].values()
        for operation in operations.values()
        if any(parameter["name"] == "Idempotency-Key" for parameter in operation.get("parameters", []))
    ]
    keeping = {
        route.name for router in (*BELOW_API, *AT_ROOT) for route in router.routes if isinstance(route, PlatformRoute)
    }
    assert keyed
    assert set(keyed) <= keeping
