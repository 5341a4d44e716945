"""Signing in, tokens, accounts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from sqlalchemy import update

from mlp_core.people.throttle import FREE_FAILURES, SignInThrottle
from mlp_core.people.tokens import hash_of
from mlp_core.tables import TokenRow
from support.platform import Api, Person, api_on, running_platform, settings_for_tests

PASSWORD = "correct horse battery staple"


@pytest.fixture(scope="module")
async def admin(api: Api) -> Person:
    return await api.person(is_admin=True)


@pytest.fixture
async def ada(api: Api, admin: Person) -> AsyncGenerator[str]:
    """The name of a user with a password; failures of earlier tests are forgotten."""
    name = f"ada-{time.monotonic_ns()}"
    made = await admin.http.post("/api/v1/users", json={"username": name, "password": PASSWORD})
    assert made.status_code == 201
    yield name
    api.platform.sign_in_throttle = SignInThrottle()


async def _login(api: Api, username: str, password: str = PASSWORD) -> httpx.Response:
    return await api.client().post("/api/v1/login", json={"username": username, "password": password, "device": "d"})


async def test_right_password_gives_a_token_that_works(api: Api, ada: str) -> None:
    answer = await _login(api, ada)
    assert answer.status_code == 201
    token = answer.json()["token"]
    assert token.startswith(answer.json()["prefix"])
    me = (await api.client(token).get("/api/v1/me")).json()
    assert me["username"] == ada
    assert me["kind"] == "user"
    assert me["token"]["name"] == "d"


async def test_username_is_taken_in_any_case(api: Api, ada: str, admin: Person) -> None:
    assert (await _login(api, ada.upper())).status_code == 201
    again = await admin.http.post("/api/v1/users", json={"username": ada.upper(), "password": PASSWORD})
    assert again.status_code == 409
    assert again.json()["code"] == "name_taken"


async def test_wrong_password_and_unknown_user_cannot_be_told_apart(api: Api, ada: str) -> None:
    wrong, unknown = await _login(api, ada, "wrong password!"), await _login(api, "nobody-of-that-name")
    assert wrong.status_code == unknown.status_code == 401
    hidden = {"request_id"}
    assert {k: v for k, v in wrong.json().items() if k not in hidden} == {
        k: v for k, v in unknown.json().items() if k not in hidden
    }


async def test_unknown_user_costs_a_hash_as_well(api: Api, ada: str) -> None:
    async def seconds(username: str) -> float:
        started = time.perf_counter()
        await _login(api, username, "wrong password!")
        return time.perf_counter() - started

    await seconds("warms-the-cache")
    known = min([await seconds(ada) for _ in range(3)])
    unknown = min([await seconds(f"nobody-{number}") for number in range(3)])
    assert unknown > known / 3


async def test_guessing_has_to_wait(api: Api, ada: str) -> None:
    for _ in range(FREE_FAILURES):
        assert (await _login(api, ada, "wrong password!")).status_code == 401
    blocked = await _login(api, ada)
    assert blocked.status_code == 429
    assert int(blocked.headers["retry-after"]) >= 1


async def test_deactivated_user_is_out(api: Api, ada: str, admin: Person) -> None:
    token = (await _login(api, ada)).json()["token"]
    client = api.client(token)
    assert (await client.get("/api/v1/me")).status_code == 200
    changed = await admin.http.patch(f"/api/v1/users/{ada}", json={"active": False})
    assert changed.json()["active"] is False
    assert (await client.get("/api/v1/me")).status_code == 401
    assert (await _login(api, ada)).status_code == 401


async def test_new_password_replaces_the_old_one(api: Api, ada: str, admin: Person) -> None:
    await admin.http.patch(f"/api/v1/users/{ada}", json={"password": "another long password"})
    assert (await _login(api, ada)).status_code == 401
    assert (await _login(api, ada, "another long password")).status_code == 201


async def _change(client: httpx.AsyncClient, old: str, new: str) -> httpx.Response:
    return await client.post("/api/v1/me:change-password", json={"old_password": old, "new_password": new})


async def test_own_password_is_changed_with_the_old_one_and_ends_other_sign_ins(api: Api, ada: str) -> None:
    here, there = [api.client((await _login(api, ada)).json()["token"]) for _ in range(2)]
    program = api.client((await here.post("/api/v1/tokens", json={"name": "ci"})).json()["token"])
    somebody = await api.person()
    new = "another long password"
    for _ in range(2):  # the second is the first one again, whose answer was lost
        assert (await _change(here, PASSWORD, new)).status_code == 204
    assert (await _login(api, ada)).status_code == 401
    assert (await _login(api, ada, new)).status_code == 201
    kept = [(await client.get("/api/v1/me")).status_code for client in (here, program, somebody.http, there)]
    assert kept == [200, 200, 200, 401]


async def test_own_password_is_not_changed_by_who_does_not_know_it(api: Api, ada: str) -> None:
    here, there = [api.client((await _login(api, ada)).json()["token"]) for _ in range(2)]
    short = await _change(here, PASSWORD, "short")
    assert (short.status_code, short.json()["errors"][0]["field"]) == (422, "new_password")
    for _ in range(FREE_FAILURES):
        wrong = await _change(here, "wrong password!", "another long password")
        assert (wrong.status_code, wrong.json()["code"]) == (403, "not_allowed")
    assert (await _change(here, PASSWORD, "another long password")).status_code == 429
    assert (await _login(api, ada)).status_code == 429
    assert (await there.get("/api/v1/me")).status_code == 200


async def test_account_without_a_password_has_none_to_change(api: Api) -> None:
    person = await api.person()
    assert (await _change(person.http, "", "another long password")).status_code == 403


async def test_two_changes_at_once_leave_one_password(api: Api, ada: str) -> None:
    client = api.client((await _login(api, ada)).json()["token"])
    new = [f"another long password {number}" for number in range(2)]
    answers = await asyncio.gather(*(_change(client, PASSWORD, each) for each in new))
    assert sorted(answer.status_code for answer in answers) == [204, 403]
    works = [(await _login(api, ada, each)).status_code for each in new]
    assert works == [201 if answer.status_code == 204 else 401 for answer in answers]


async def test_m5_expired_token_is_refused_by_the_databases_clock(api: Api) -> None:
    person = await api.person()
    assert (await person.http.get("/api/v1/me")).status_code == 200
    api.app.state.authenticator.forget()
    expired = api.platform.clock.now() - timedelta(seconds=1)
    async with api.platform.database.transaction() as session:
        await session.execute(
            update(TokenRow).where(TokenRow.sha256 == hash_of(person.token)).values(expires_at=expired)
        )
    refused = await person.http.get("/api/v1/me")
    assert refused.status_code == 401
    assert refused.json()["code"] == "not_signed_in"


async def test_revoked_token_is_refused_at_once(api: Api) -> None:
    person = await api.person()
    made = (await person.http.post("/api/v1/tokens", json={"name": "ci", "expires_in": "1h"})).json()
    other = api.client(made["token"])
    assert (await other.get("/api/v1/me")).status_code == 200
    assert (await person.http.delete(f"/api/v1/tokens/{made['id']}")).status_code == 204
    assert (await other.get("/api/v1/me")).status_code == 401
    assert (await person.http.get(f"/api/v1/tokens/{made['id']}")).status_code == 404


async def test_current_token_can_revoke_itself(api: Api) -> None:
    person = await api.person()
    assert (await person.http.delete("/api/v1/tokens/current")).status_code == 204
    assert (await person.http.get("/api/v1/me")).status_code == 401


async def test_tokens_of_others_do_not_exist(api: Api) -> None:
    one, other = await api.person(), await api.person()
    mine = (await one.http.get("/api/v1/tokens/current")).json()
    assert (await other.http.get(f"/api/v1/tokens/{mine['id']}")).status_code == 404
    assert (await other.http.delete(f"/api/v1/tokens/{mine['id']}")).status_code == 404
    assert [token["id"] for token in (await other.http.get("/api/v1/tokens")).json()["items"]] != [mine["id"]]


async def test_token_of_one_project_sees_only_that_one_and_makes_no_wider_one(api: Api) -> None:
    owner = await api.person()
    first, second = await api.project(owner), await api.project(owner)
    made = await owner.http.post("/api/v1/tokens", json={"name": "one", "project": first.slug})
    assert made.json()["project"] == first.slug
    limited = api.client(made.json()["token"])
    assert (await limited.get(f"/api/v1/projects/{first.slug}")).status_code == 200
    assert (await limited.get(f"/api/v1/projects/{second.slug}")).status_code == 404
    assert [each["name"] for each in (await limited.get("/api/v1/projects")).json()["items"]] == [first.slug]
    assert (await limited.post("/api/v1/tokens", json={"name": "wide"})).status_code == 403
    assert (await limited.post("/api/v1/tokens", json={"name": "w", "project": second.slug})).status_code == 404
    assert (await limited.post("/api/v1/tokens", json={"name": "w", "project": first.slug})).status_code == 201


async def test_admins_token_of_one_project_is_no_admin(api: Api, admin: Person) -> None:
    scope = await api.project(admin)
    made = await admin.http.post("/api/v1/tokens", json={"name": "one", "project": scope.slug})
    assert (await api.client(made.json()["token"]).get("/api/v1/users")).status_code == 403


async def test_token_lives_for_a_year_at_most(api: Api) -> None:
    person = await api.person()
    for lifetime in ("0s", "400d", "9000h"):
        answer = await person.http.post("/api/v1/tokens", json={"name": "x", "expires_in": lifetime})
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["field"] == "expires_in"


async def test_last_active_admin_stays_one(fresh_database_url: str, tmp_path: Path) -> None:
    async with running_platform(settings_for_tests(fresh_database_url, tmp_path)) as platform, api_on(platform) as api:
        one, other = await api.person(is_admin=True), await api.person(is_admin=True)
        answers = await asyncio.gather(
            one.http.patch(f"/api/v1/users/{other.username}", json={"is_admin": False}),
            other.http.patch(f"/api/v1/users/{one.username}", json={"active": False}),
        )
        assert sorted(answer.status_code for answer in answers) in ([200, 401], [200, 403], [200, 409])
        left = one if answers[0].status_code == 200 else other
        last = await left.http.patch(f"/api/v1/users/{left.username}", json={"is_admin": False})
        assert last.status_code == 409
        assert last.json()["code"] == "still_in_use"


async def test_no_answer_ever_holds_a_password(api: Api, admin: Person) -> None:
    secret = "a very secret password"
    for body in ({"username": "zoe-1", "password": secret}, {"username": "bad name", "password": secret}):
        assert secret not in (await admin.http.post("/api/v1/users", json=body)).text
    answer = await api.client().post("/api/v1/login", json={"username": ["x"], "password": secret})
    assert answer.status_code == 422
    assert secret not in answer.text
