"""`/stream`: each event once and none lost, whatever its transaction took; jobs as they change."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from sqlalchemy import func, update
from sqlalchemy.ext.asyncio import AsyncSession

from mlp_core.events.service import record
from mlp_core.tables import JobRow
from support.attempts import running_job
from support.platform import Api
from support.server import stream
from support.tenants import Tenant, new_tenant


async def tell(tenant: Tenant, message: str) -> None:
    async with tenant.api.platform.database.transaction() as session:
        await record_in(session, tenant, message)


async def record_in(session: AsyncSession, tenant: Tenant, message: str) -> None:
    await record(
        session,
        project_id=tenant.scope.project_id,
        resource="test",
        resource_id="x",
        resource_name="x",
        reason="Said",
        message=message,
        actor="test",
    )


async def test_events_arrive_as_they_are_committed(api: Api, url: str) -> None:
    tenant = await new_tenant(api)
    await tell(tenant, "before")
    async with stream(f"{url}/api/v1/stream", tenant.owner.token, project=tenant.scope.slug) as reader:
        await reader.next("ready")
        await tell(tenant, "one")
        message = await reader.next("event", within=2.0)
    assert (message.data["message"], message.data["project"]) == ("one", tenant.scope.slug)


async def test_an_event_of_a_slow_transaction_is_neither_lost_nor_passed_over(api: Api, url: str) -> None:
    tenant = await new_tenant(api)
    slow, go = asyncio.Event(), asyncio.Event()

    async def slowly() -> None:
        async with api.platform.database.transaction() as session:
            await record_in(session, tenant, "slow")
            slow.set()
            await go.wait()

    async with stream(f"{url}/api/v1/stream", tenant.owner.token, project=tenant.scope.slug) as reader:
        await reader.next("ready")
        task = asyncio.create_task(slowly())
        await slow.wait()
        await tell(tenant, "quick")
        with pytest.raises(TimeoutError):
            await reader.next("event", within=1.0)
    async with stream(f"{url}/api/v1/stream", tenant.owner.token, project=tenant.scope.slug) as reader:
        # Began while the slow one was still open: it is yet to come, and so is what came behind it.
        await reader.next("ready")
        go.set()
        await task
        found = [(await reader.next("event")).data["message"] for _ in range(2)]
    assert found == ["slow", "quick"]


async def test_coming_back_behind_the_last_event_loses_and_repeats_none(api: Api, url: str) -> None:
    tenant = await new_tenant(api)
    seen: list[str] = []
    last_id: str | None = None
    async with stream(f"{url}/api/v1/stream", tenant.owner.token, project=tenant.scope.slug) as reader:
        await reader.next("ready")
        await tell(tenant, "0")
        message = await reader.next("event")
        seen.append(message.data["message"])
        last_id = message.id
    for low in range(1, 30, 3):
        for number in range(low, low + 3):
            await tell(tenant, str(number))
        async with stream(
            f"{url}/api/v1/stream", tenant.owner.token, last_event_id=last_id, project=tenant.scope.slug
        ) as reader:
            for _ in range(2):
                message = await reader.next("event")
                seen.append(message.data["message"])
                last_id = message.id
    async with stream(
        f"{url}/api/v1/stream", tenant.owner.token, last_event_id=last_id, project=tenant.scope.slug
    ) as reader:
        while len(seen) < 31:
            seen.append((await reader.next("event")).data["message"])
    assert seen == [str(number) for number in range(31)]


async def test_a_job_comes_as_it_stands_and_whenever_it_changes(api: Api, url: str) -> None:
    tenant = await new_tenant(api)
    job = await running_job(api.platform, tenant.scope)
    other = await running_job(api.platform, tenant.scope, name="other")
    async with stream(f"{url}/api/v1/stream", tenant.owner.token, project=tenant.scope.slug, job=job.name) as reader:
        first = await reader.next("job")
        async with api.platform.database.transaction() as session:
            statement = update(JobRow).where(JobRow.id.in_([job.id, other.id]))
            await session.execute(statement.values(message="2 of 3 nodes are ready.", updated_at=func.now()))
        second = await reader.next("job")
    assert (first.data["id"], second.data["id"]) == (job.id, job.id)
    assert second.data["message"] == "2 of 3 nodes are ready."


async def test_a_failed_job_comes_in_the_words_in_which_it_is_read(api: Api, url: str) -> None:
    tenant = await new_tenant(api)
    job = await running_job(api.platform, tenant.scope)
    async with stream(f"{url}/api/v1/stream", tenant.owner.token, project=tenant.scope.slug) as reader:
        await reader.next("job")
        await job.end("failed")
        async with api.platform.database.transaction() as session:
            await record(
                session,
                project_id=tenant.scope.project_id,
                resource="job",
                resource_id=job.id,
                resource_name=job.name,
                reason="Failed",
                message="exit code 1",
                actor="test",
            )
        streamed = (await reader.next("job")).data
    assert streamed["failure"]["class"] == "user_error"
    assert streamed == (await tenant.owner.http.get(f"{tenant.path}/{job.id}")).json()


async def test_all_projects_of_the_caller_and_no_others(api: Api, url: str) -> None:
    mine, theirs = await new_tenant(api), await new_tenant(api)
    async with stream(f"{url}/api/v1/stream", mine.owner.token) as reader:
        await reader.next("ready")
        await tell(theirs, "secret")
        await tell(mine, "mine")
        assert (await reader.next("event")).data["message"] == "mine"


@pytest.mark.parametrize(
    ("params", "status"),
    [
        ({"project": "their project"}, 404),
        ({"job": "no such job"}, 404),
        ({"cursor": "nonsense"}, 422),
        ({"cursor": "e99999999999999999999-1"}, 422),
    ],
)
async def test_what_cannot_be_streamed_is_refused(api: Api, url: str, params: dict[str, str], status: int) -> None:
    tenant = await new_tenant(api)
    if "project" in params:
        own = await api.project(tenant.stranger)
        params = {"project": own.slug}
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {tenant.owner.token}"}) as client:
        assert (await client.get(f"{url}/api/v1/stream", params=params)).status_code == status


async def test_a_member_who_is_removed_hears_no_more(api: Api, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mlp_api.sse.CHECK_SECONDS", 0.2)
    tenant = await new_tenant(api)
    async with stream(f"{url}/api/v1/stream", tenant.viewer.token, project=tenant.scope.slug) as reader:
        await reader.next("ready")
        path = f"/api/v1/projects/{tenant.scope.slug}/members/{tenant.viewer.id}"
        assert (await tenant.owner.http.delete(path)).is_success
        assert (await reader.next("error")).data["code"] == "not_found"
        with pytest.raises(EOFError):
            await reader.next()
