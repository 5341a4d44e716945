"""A Ray dashboard is reached with the project's permissions, by a ticket for this one alone, and only to look."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

import httpx
import pytest
from sqlalchemy import insert, update

from mlp.schemas.jobs import JobCreate
from mlp_core.dashboards import repository
from mlp_core.dashboards.service import tokens_sealer
from mlp_core.kit.ids import new_id
from mlp_core.tables import AttemptRow, ClusterRow, JobRow
from support.platform import SECRET, Api
from support.tenants import Tenant, new_tenant

SPEC = JobCreate(entrypoint="true").model_dump(mode="json")
RAY_TOKEN = "the token of this head"
PAGE = b'<!doctype html><html><head><title>Ray</title><script src="./static/a.js"></script></head></html>'
OWN_PAGE = {"Sec-Fetch-Site": "same-origin"}
NAVIGATES = {"Sec-Fetch-Mode": "navigate", "Accept": "text/html"}


@dataclass
class Head:
    """What answers as the head of a cluster, and what it was asked."""

    url: str = ""
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list[tuple[str, dict[str, str]]])

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = (await reader.readuntil(b"\r\n\r\n")).decode()
        line, *lines = request.strip().split("\r\n")
        headers = {name.lower(): value for name, _, value in (one.partition(": ") for one in lines)}
        self.asked.append((line, headers))
        writer.write(self._answer(line.split()[1], headers))
        await writer.drain()
        writer.close()

    def _answer(self, target: str, headers: dict[str, str]) -> bytes:
        if headers.get("authorization") != f"Bearer {RAY_TOKEN}":
            return _http(401, b"no", "text/plain")
        if target == "/api/version":
            return _http(302, b"", "text/plain", "location: http://elsewhere.test/")
        if target.startswith("/api/") or target == "/nodes?view=summary":
            return _http(200, json.dumps({"target": target}).encode(), "application/json", "set-cookie: a=b")
        return _http(200, PAGE, "text/html", "clear-site-data: *", "service-worker-allowed: /")


def _http(status: int, body: bytes, kind: str, *more: str) -> bytes:
    lines = [f"HTTP/1.1 {status} x", f"content-type: {kind}", f"content-length: {len(body)}", "connection: close"]
    return "\r\n".join([*lines, *more, "", ""]).encode() + body


@pytest.fixture(scope="module")
async def head() -> AsyncGenerator[Head]:
    head = Head()
    server = await asyncio.start_server(head.answer, "127.0.0.1", 0)
    head.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield head


@dataclass
class Clustered:
    tenant: Tenant
    job: str
    attempt: str
    cluster: str

    def path(self, cluster: str) -> str:
        return f"/ray/{self.tenant.scope.slug}/{cluster}/"


async def clustered(api: Api, head: Head) -> Clustered:
    """A project with a running job and a named cluster, whose heads both answer."""
    tenant = await new_tenant(api)
    project, job, attempt, cluster = tenant.scope.project_id, new_id("job"), new_id("attempt"), new_id("cluster")
    who = {"project_id": project, "created_by": "x", "created_by_id": "x"}
    token = tokens_sealer(SECRET).seal(RAY_TOKEN.encode())
    async with api.platform.database.transaction() as session:
        await session.execute(
            insert(JobRow).values(id=job, name="j", kind="script", spec=SPEC, phase="running", attempt_number=1, **who)
        )
        await session.execute(
            insert(AttemptRow).values(id=attempt, job_id=job, project_id=project, number=1, phase="running")
        )
        await session.execute(
            insert(ClusterRow).values(
                id=cluster, project_id=project, name="shared", spec=SPEC["resources"], phase="ready", created_by="x"
            )
        )
        await repository.put(session, attempt, attempt_id=attempt, cluster_id=None, url=head.url, token=token)
        await repository.put(session, cluster, attempt_id=None, cluster_id=cluster, url=head.url, token=token)
    return Clustered(tenant, job, attempt, cluster)


@pytest.fixture
async def mine(api: Api, head: Head) -> Clustered:
    return await clustered(api, head)


async def browser_of(api: Api, token: str) -> httpx.AsyncClient:
    browser = api.client(**OWN_PAGE)
    assert (await browser.post("/api/v1/session", json={"token": token})).status_code == 201
    return browser


async def opened(browser: httpx.AsyncClient, path: str) -> str:
    """The address with the ticket."""
    answer = await browser.get(path, headers=NAVIGATES)
    assert answer.status_code == 303, answer.text
    assert answer.headers["location"].startswith(f"{path}~")
    return answer.headers["location"]


async def test_a_viewer_sees_the_dashboard_of_a_job_and_of_a_cluster(api: Api, mine: Clustered, head: Head) -> None:
    browser = await browser_of(api, mine.tenant.viewer.token)
    for cluster in (mine.job, mine.cluster, "shared"):
        address = await opened(browser, mine.path(cluster))
        page = await browser.get(address, headers=NAVIGATES)
        assert (page.status_code, "./static/a.js" in page.text) == (200, True)
        assert page.text.index("localStorage") < page.text.index("./static/a.js")
        assert page.headers["content-security-policy"].startswith("sandbox allow-scripts")
        assert "allow-same-origin" not in page.headers["content-security-policy"]
        assert {"set-cookie", "clear-site-data", "service-worker-allowed"}.isdisjoint(page.headers)
        piece = await api.client().get(f"{address}nodes?view=summary")
        assert piece.json() == {"target": "/nodes?view=summary"}
        assert piece.headers["access-control-allow-origin"] == "*"
        assert "set-cookie" not in piece.headers


async def test_rays_token_goes_to_the_head_and_nothing_of_the_callers(api: Api, mine: Clustered, head: Head) -> None:
    browser = await browser_of(api, mine.tenant.owner.token)
    address = await opened(browser, mine.path(mine.job))
    head.asked.clear()
    answer = await browser.get(f"{address}api/jobs/", headers={"Authorization": "Bearer x", "X-Forwarded-For": "y"})
    (_, sent), *more = head.asked
    assert (sent["authorization"], more) == (f"Bearer {RAY_TOKEN}", [])
    assert {"cookie", "x-forwarded-for", "origin", "referer"}.isdisjoint(sent)
    assert RAY_TOKEN not in answer.text + address + str(answer.headers)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "api/jobs/"),
        ("DELETE", "api/serve/applications/"),
        ("GET", "api/actors/kill?actor_id=1&force_kill=true"),
        ("GET", "worker/cpu_profile?pid=1"),
        ("GET", "task/traceback"),
        ("GET", "test/dump"),
        ("GET", "api/v0/delay/100"),
        ("POST", "api/authenticate"),
        ("GET", "static/../api/actors/kill"),
        ("GET", "static/%2e%2e/api/actors/kill"),
    ],
)
async def test_nothing_but_looking_passes(api: Api, mine: Clustered, head: Head, method: str, path: str) -> None:
    address = await opened(await browser_of(api, mine.tenant.owner.token), mine.path(mine.job))
    head.asked.clear()
    answer = await api.client().request(method, address + path)
    assert answer.status_code in (403, 404)
    assert head.asked == []


async def test_a_redirect_of_the_head_leads_nowhere(api: Api, mine: Clustered) -> None:
    address = await opened(await browser_of(api, mine.tenant.owner.token), mine.path(mine.job))
    answer = await api.client().get(f"{address}api/version")
    assert (answer.status_code, "location" in answer.headers) == (404, False)


async def test_strangers_find_no_dashboard_by_name_id_or_ticket(api: Api, mine: Clustered, head: Head) -> None:
    other = await clustered(api, head)
    stranger = await browser_of(api, mine.tenant.stranger.token)
    foreign = await browser_of(api, other.tenant.owner.token)
    for browser in (stranger, foreign):
        for cluster in (mine.job, mine.cluster, "shared"):
            assert (await browser.get(mine.path(cluster))).status_code == 404
    # The other project's own door does not lead to this one's cluster either, by whatever id.
    for cluster in (mine.job, mine.cluster):
        assert (await foreign.get(other.path(cluster))).status_code == 404
    ticket = (await opened(foreign, other.path(other.job))).rstrip("/").rpartition("/")[2]
    for cluster in (mine.job, mine.cluster, "shared"):
        answer = await api.client().get(f"{mine.path(cluster)}{ticket}/nodes")
        assert answer.status_code in (401, 404), cluster
    assert (await api.client().get(mine.path(mine.job))).status_code == 401


@pytest.mark.parametrize("ticket", ["", "x", "a.b.c.d.e", "~"])
async def test_a_ticket_that_is_none_opens_nothing(api: Api, mine: Clustered, ticket: str) -> None:
    answer = await api.client().get(f"{mine.path(mine.job)}~{ticket}/nodes")
    assert answer.status_code in (401, 404)


async def test_an_address_that_was_passed_on_opens_no_page(api: Api, mine: Clustered) -> None:
    address = await opened(await browser_of(api, mine.tenant.owner.token), mine.path(mine.job))
    for browser in (await browser_of(api, mine.tenant.viewer.token), api.client()):
        answer = await browser.get(address, headers=NAVIGATES)
        assert (answer.status_code, answer.headers["location"]) == (303, mine.path(mine.job))


async def test_access_ends_with_the_session_the_membership_and_the_attempt(api: Api, mine: Clustered) -> None:
    browser = await browser_of(api, mine.tenant.viewer.token)
    ended, left, over = [await opened(browser, mine.path(mine.job)) for _ in range(3)]
    nobody = api.client()
    assert (await nobody.get(f"{left}nodes?view=summary")).status_code == 200
    assert (await nobody.get(f"{over}nodes?view=summary")).status_code == 200
    other = await browser_of(api, mine.tenant.viewer.token)
    signed_out = await opened(other, mine.path(mine.job))
    await other.delete("/api/v1/session")
    assert (await nobody.get(f"{signed_out}nodes?view=summary")).status_code == 401
    async with api.platform.database.transaction() as session:
        await session.execute(
            update(AttemptRow)
            .where(AttemptRow.id == mine.attempt)
            .values(ended_at=api.platform.clock.now(), outcome="succeeded", phase="succeeded")
        )
    assert (await nobody.get(f"{ended}nodes?view=summary")).status_code == 404
    assert (await browser.get(mine.path(mine.job))).status_code == 404
    assert (await browser.get(mine.path(mine.cluster), headers=NAVIGATES)).status_code == 303
    removed = await mine.tenant.owner.http.delete(
        f"/api/v1/projects/{mine.tenant.scope.slug}/members/{mine.tenant.viewer.username}"
    )
    assert removed.status_code == 204
    assert (await browser.get(mine.path(mine.cluster))).status_code == 404


async def test_no_log_holds_a_ticket(api: Api, mine: Clustered, capsys: pytest.CaptureFixture[str]) -> None:
    address = await opened(await browser_of(api, mine.tenant.owner.token), mine.path(mine.job))
    ticket = address.rstrip("/").rpartition("~")[2]
    await api.client().get(f"{address}nodes?view=summary")
    logged = capsys.readouterr().out
    assert "/~…/nodes" in logged
    assert ticket not in logged


async def test_a_head_that_is_away_is_said(api: Api, mine: Clustered) -> None:
    async with api.platform.database.transaction() as session:
        sealed = tokens_sealer(SECRET).seal(RAY_TOKEN.encode())
        await repository.put(
            session, mine.attempt, attempt_id=mine.attempt, cluster_id=None, url="http://127.0.0.1:9", token=sealed
        )
    address = await opened(await browser_of(api, mine.tenant.owner.token), mine.path(mine.job))
    answer = await api.client().get(f"{address}nodes")
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
