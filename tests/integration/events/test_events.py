"""Events: a project's history by page."""

from __future__ import annotations

from mlp_core.events.service import record
from support.platform import Api
from support.tenants import Tenant, new_tenant


async def tell(tenant: Tenant, count: int, resource: str = "job", resource_id: str = "job_1") -> None:
    async with tenant.api.platform.database.transaction() as session:
        for number in range(count):
            await record(
                session,
                project_id=tenant.scope.project_id,
                resource=resource,
                resource_id=resource_id,
                resource_name="n",
                reason=f"R{number % 2}",
                message=f"{number}",
                actor="ada",
            )


async def test_events_come_newest_first_and_each_once(api: Api) -> None:
    tenant = await new_tenant(api)
    await tell(tenant, 25)
    path = f"/api/v1/projects/{tenant.scope.slug}/events"
    found: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = (await tenant.viewer.http.get(path, params={"limit": 7, "resource": "job"} | cursor)).json()
        found += [event["message"] for event in page["items"]]
        await tell(tenant, 1)
        if page["next"] is None:
            break
        cursor = {"cursor": page["next"]}
    assert found == [str(number) for number in reversed(range(25))]


async def test_events_are_chosen_by_resource_and_reason(api: Api) -> None:
    tenant = await new_tenant(api)
    await tell(tenant, 4)
    await tell(tenant, 4, "cluster", "cls_1")
    path = f"/api/v1/projects/{tenant.scope.slug}/events"
    for params, count in (
        ({"resource": "cluster"}, 4),
        ({"resource_id": "job_1"}, 4),
        ({"resource": "job", "reason": "R1"}, 2),
        ({"since": "1h", "resource": "job"}, 4),
        ({"resource": "nothing"}, 0),
    ):
        assert len((await tenant.owner.http.get(path, params=params)).json()["items"]) == count


async def test_another_projects_member_reads_none(api: Api) -> None:
    tenant = await new_tenant(api)
    await tell(tenant, 1)
    assert (await tenant.stranger.http.get(f"/api/v1/projects/{tenant.scope.slug}/events")).status_code == 404
