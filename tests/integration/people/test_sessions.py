"""A browser's session: begun once by a proof, carried by a cookie alone, and of no use to another site's page."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from sqlalchemy import select, update
from starlette.responses import Response

from mlp_api.sessions import SessionCookie
from mlp_core.people.tokens import hash_of
from mlp_core.tables import SignInLinkRow, TokenRow
from support.asgi import first_answer
from support.platform import Api, Person

PASSWORD = "correct horse battery staple"
OWN_PAGE = {"Sec-Fetch-Site": "same-origin"}
COOKIE = "mlp-session"


async def begin(api: Api, **proof: str) -> tuple[httpx.AsyncClient, httpx.Response]:
    """A browser with whatever cookie it was given."""
    browser = api.client(**OWN_PAGE)
    return browser, await browser.post("/api/v1/session", json=proof)


async def status(browser: httpx.AsyncClient, path: str = "/api/v1/me") -> int:
    return (await browser.get(path)).status_code


@pytest.fixture
async def ada(api: Api) -> str:
    admin, name = await api.person(is_admin=True), f"ada-{time.monotonic_ns()}"
    made = await admin.http.post("/api/v1/users", json={"username": name, "password": PASSWORD})
    assert made.status_code == 201
    return name


@pytest.fixture
async def person(api: Api) -> Person:
    return await api.person()


async def test_a_password_begins_a_session_in_a_cookie_that_no_script_reads(api: Api, ada: str) -> None:
    browser, answer = await begin(api, username=ada, password=PASSWORD, device="ada's laptop")
    assert (answer.status_code, answer.json()["username"]) == (201, ada)
    cookie = answer.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    value = browser.cookies[COOKIE]
    assert value not in answer.text
    me = (await browser.get("/api/v1/me")).json()
    assert (me["username"], me["token"]["name"], me["token"]["is_sign_in"]) == (ada, "ada's laptop", True)
    assert me["token"]["expires_at"] == answer.json()["expires_at"]


async def test_a_wrong_password_begins_nothing(api: Api, ada: str) -> None:
    browser, answer = await begin(api, username=ada, password="wrong password!")
    assert (answer.status_code, "set-cookie" in answer.headers) == (401, False)
    assert await status(browser) == 401


@pytest.mark.parametrize("proof", [{}, {"username": "x"}, {"password": "x"}, {"token": "a", "link": "b"}])
async def test_one_proof_is_needed(api: Api, proof: dict[str, str]) -> None:
    assert (await begin(api, **proof))[1].status_code == 422


def test_under_https_the_cookie_is_secure_and_of_this_host_alone() -> None:
    named = {url: SessionCookie(url).name for url in ("https://mlp.test", "http://mlp.test", "http://127.0.0.1:8080")}
    assert named == {
        "https://mlp.test": "__Host-mlp-session",
        "http://mlp.test": "mlp-session",
        "http://127.0.0.1:8080": "mlp-session-8080",
    }
    sent = Response()
    SessionCookie("https://mlp.test").set(sent, "mlps_x", datetime.now(UTC))
    assert "Secure" in sent.headers["set-cookie"]


async def test_a_token_begins_a_session_that_can_do_no_more_and_ends_with_it(api: Api, person: Person) -> None:
    mine, other = await api.project(person), await api.project(person)
    made = (
        await person.http.post("/api/v1/tokens", json={"name": "ci", "project": mine.slug, "expires_in": "1h"})
    ).json()
    browser, answer = await begin(api, token=made["token"])
    assert answer.json()["expires_at"] <= made["expires_at"]
    assert await status(browser, f"/api/v1/projects/{mine.slug}") == 200
    assert await status(browser, f"/api/v1/projects/{other.slug}") == 404
    assert (await person.http.delete(f"/api/v1/tokens/{made['id']}")).status_code == 204
    assert await status(browser) == 401


async def test_neither_a_job_nor_a_session_passes_for_a_token(api: Api, person: Person) -> None:
    browser, _ = await begin(api, token=person.token)
    session = browser.cookies[COOKIE]
    assert (await begin(api, token=session))[1].status_code == 401
    assert await status(api.client(session)) == 401
    assert await status(api.client(Cookie=f"{COOKIE}={person.token}")) == 401


async def test_signing_out_ends_the_session_and_no_other(api: Api, person: Person) -> None:
    here, _ = await begin(api, token=person.token)
    there, _ = await begin(api, token=person.token)
    value = here.cookies[COOKIE]
    answer = await here.delete("/api/v1/session")
    assert (answer.status_code, COOKIE in here.cookies) == (204, False)
    assert await status(api.client(Cookie=f"{COOKIE}={value}")) == 401
    assert (await status(there), await status(person.http)) == (200, 200)
    assert (await here.delete("/api/v1/session")).status_code == 204


async def test_signing_in_again_replaces_the_session(api: Api, person: Person) -> None:
    browser, _ = await begin(api, token=person.token)
    before = browser.cookies[COOKIE]
    assert (await browser.post("/api/v1/session", json={"token": person.token})).status_code == 201
    assert await status(api.client(Cookie=f"{COOKIE}={before}")) == 401
    assert await status(browser) == 200


async def test_an_ended_session_says_so(api: Api, person: Person) -> None:
    browser, _ = await begin(api, token=person.token)
    async with api.platform.database.transaction() as session:
        await session.execute(
            update(TokenRow)
            .where(TokenRow.sha256 == hash_of(browser.cookies[COOKIE]))
            .values(expires_at=api.platform.clock.now() - timedelta(seconds=1))
        )
    api.app.state.authenticator.forget()
    answer = await browser.get("/api/v1/me")
    assert (answer.status_code, answer.json()["code"]) == (401, "not_signed_in")
    assert "session has ended" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("headers", "wanted"),
    [
        ({"Sec-Fetch-Site": "same-origin"}, 201),
        ({"Origin": "http://mlp.test"}, 201),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "http://mlp.test"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "none"}, 403),
        ({"Origin": "http://mlp.test:81"}, 403),
        ({"Origin": "https://evil.test"}, 403),
        ({"Origin": "null"}, 403),
        ({}, 403),
    ],
)
async def test_only_an_own_page_changes_something_by_the_cookie(
    api: Api, person: Person, headers: dict[str, str], wanted: int
) -> None:
    browser, _ = await begin(api, token=person.token)
    client = api.client(Cookie=f"{COOKIE}={browser.cookies[COOKIE]}", **headers)
    answer = await client.post("/api/v1/tokens", json={"name": "x"})
    assert answer.status_code == wanted
    assert await status(client) == 200
    by_token = await api.client(person.token, **headers).post("/api/v1/tokens", json={"name": "x"})
    assert by_token.status_code == 201


async def test_another_site_signs_nobody_in_or_out(api: Api, person: Person) -> None:
    foreign = api.client(**{"Sec-Fetch-Site": "cross-site"})
    assert (await foreign.post("/api/v1/session", json={"token": person.token})).status_code == 403
    browser, _ = await begin(api, token=person.token)
    foreign.cookies.set(COOKIE, browser.cookies[COOKIE])
    assert (await foreign.delete("/api/v1/session")).status_code == 403
    assert await status(browser) == 200


async def test_the_stream_takes_the_cookie(api: Api, person: Person) -> None:
    browser, _ = await begin(api, token=person.token)
    headers = {"cookie": f"{COOKIE}={browser.cookies[COOKIE]}"}
    assert (await first_answer(api.app, "GET", "/api/v1/stream", headers)).status == 200
    assert (await first_answer(api.app, "GET", "/api/v1/stream")).status == 401


async def test_a_link_signs_one_browser_in_once(api: Api, person: Person) -> None:
    link = (await person.http.post("/api/v1/session-links")).json()
    address, _, code = link["url"].partition("#link=")
    assert address == "http://mlp.test/sign-in"
    async with api.platform.database.transaction() as session:
        rows = (await session.scalars(select(SignInLinkRow))).all()
    assert hash_of(code) in {row.sha256 for row in rows}
    answers = await asyncio.gather(*(begin(api, link=code) for _ in range(4)))
    assert sorted(answer.status_code for _, answer in answers) == [201, 401, 401, 401]
    browser = next(browser for browser, answer in answers if answer.status_code == 201)
    assert (await browser.get("/api/v1/me")).json()["username"] == person.username


async def test_an_old_link_or_one_of_a_revoked_token_signs_nobody_in(api: Api, person: Person) -> None:
    made = (await person.http.post("/api/v1/tokens", json={"name": "ci"})).json()
    codes = [
        (await api.client(made["token"]).post("/api/v1/session-links")).json()["url"].partition("#link=")[2]
        for _ in range(2)
    ]
    async with api.platform.database.transaction() as session:
        await session.execute(
            update(SignInLinkRow)
            .where(SignInLinkRow.sha256 == hash_of(codes[0]))
            .values(expires_at=api.platform.clock.now() - timedelta(seconds=1))
        )
    assert (await begin(api, link=codes[0]))[1].status_code == 401
    await person.http.delete(f"/api/v1/tokens/{made['id']}")
    assert (await begin(api, link=codes[1]))[1].status_code == 401


async def test_a_new_password_ends_the_other_sessions(api: Api, ada: str) -> None:
    here, there = [(await begin(api, username=ada, password=PASSWORD))[0] for _ in range(2)]
    changed = await here.post(
        "/api/v1/me:change-password", json={"old_password": PASSWORD, "new_password": "another long password"}
    )
    assert changed.status_code == 204
    assert (await status(here), await status(there)) == (200, 401)
