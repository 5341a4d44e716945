"""Projects and members: who gets in, who stays, and what cannot be taken away."""

from __future__ import annotations

import asyncio

import pytest

from mlp.schemas.phases import JobPhase
from mlp_core.kit.ids import new_id
from mlp_core.tables import JobRow
from support.platform import Api, Person


@pytest.fixture(scope="module")
async def admin(api: Api) -> Person:
    return await api.person(is_admin=True)


async def test_admin_makes_a_project_and_owns_it(api: Api, admin: Person) -> None:
    answer = await admin.http.post("/api/v1/projects", json={"name": "vision", "limits": {"gpu": 2}})
    assert answer.status_code == 201
    made = answer.json()
    assert made["role"] == "owner"
    assert made["team"] == "default"
    assert made["limits"]["gpu"] == 2
    assert made["mlflow_url"] == "http://mlp.test/mlflow/vision/"
    assert answer.headers["etag"] == made["etag"]
    by_name = await admin.http.get("/api/v1/projects/vision")
    by_id = await admin.http.get(f"/api/v1/projects/{made['id']}")
    assert by_name.json() == by_id.json()


async def test_users_make_no_projects(api: Api) -> None:
    person = await api.person()
    answer = await person.http.post("/api/v1/projects", json={"name": "mine"})
    assert answer.status_code == 403


@pytest.mark.parametrize("name", ["", "A", "a_b", "-a", "a-", "a" * 41, "a b", "ü"])
async def test_name_that_fits_in_no_address_is_refused(admin: Person, name: str) -> None:
    answer = await admin.http.post("/api/v1/projects", json={"name": name})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "name"


async def test_name_is_taken_until_its_project_is_deleted(admin: Person) -> None:
    assert (await admin.http.post("/api/v1/projects", json={"name": "twice"})).status_code == 201
    taken = await admin.http.post("/api/v1/projects", json={"name": "twice"})
    assert taken.status_code == 409
    assert taken.json()["errors"][0]["field"] == "name"
    assert (await admin.http.delete("/api/v1/projects/twice")).status_code == 204
    assert (await admin.http.get("/api/v1/projects/twice")).status_code == 404
    assert (await admin.http.post("/api/v1/projects", json={"name": "twice"})).status_code == 201


async def test_unknown_team_is_404(admin: Person) -> None:
    answer = await admin.http.post("/api/v1/projects", json={"name": "teamed", "team": "nobody"})
    assert answer.status_code == 404


async def test_change_needs_the_version_that_was_read(api: Api) -> None:
    owner = await api.person()
    scope = await api.project(owner)
    url = f"/api/v1/projects/{scope.slug}"
    seen = (await owner.http.get(url)).headers["etag"]
    changed = await owner.http.patch(url, json={"description": "one"}, headers={"If-Match": seen})
    assert changed.status_code == 200
    assert changed.headers["etag"] != seen
    late = await owner.http.patch(url, json={"description": "two"}, headers={"If-Match": seen})
    assert late.status_code == 412
    assert late.json()["code"] == "version_conflict"
    assert (await owner.http.get(url)).json()["description"] == "one"


async def test_of_two_changes_of_one_version_one_wins(api: Api) -> None:
    owner = await api.person()
    scope = await api.project(owner)
    url = f"/api/v1/projects/{scope.slug}"
    seen = (await owner.http.get(url)).headers["etag"]
    answers = await asyncio.gather(
        *(owner.http.patch(url, json={"description": str(n)}, headers={"If-Match": seen}) for n in range(5))
    )
    assert sorted(answer.status_code for answer in answers) == [200, 412, 412, 412, 412]


async def test_owner_cannot_lift_the_own_limits(api: Api, admin: Person) -> None:
    owner = await api.person()
    scope = await api.project(owner)
    url = f"/api/v1/projects/{scope.slug}"
    assert (await owner.http.patch(url, json={"limits": {"gpu": 100}})).status_code == 403
    assert (await admin.http.patch(url, json={"limits": {"gpu": 100}})).json()["limits"]["gpu"] == 100


async def test_project_with_unfinished_jobs_stays(api: Api) -> None:
    owner = await api.person()
    scope = await api.project(owner)
    job = JobRow(
        id=new_id("job"),
        project_id=scope.project_id,
        name="j",
        kind="script",
        spec={},
        phase=JobPhase.QUEUED.value,
        created_by="x",
        created_by_id="x",
    )
    async with api.platform.database.transaction() as session:
        session.add(job)
    assert (await owner.http.get(f"/api/v1/projects/{scope.slug}")).json()["live_jobs"] == 1
    refused = await owner.http.delete(f"/api/v1/projects/{scope.slug}")
    assert refused.status_code == 409
    assert refused.json()["data"] == {"jobs": 1, "clusters": 0}


async def test_member_comes_changes_and_goes(api: Api) -> None:
    owner, person = await api.person(), await api.person()
    scope = await api.project(owner)
    url = f"/api/v1/projects/{scope.slug}"
    assert (await person.http.get(url)).status_code == 404
    put = await owner.http.put(f"{url}/members/{person.username}", json={"role": "viewer"})
    assert put.json()["role"] == "viewer"
    assert (await person.http.get(url)).json()["role"] == "viewer"
    assert (await person.http.patch(url, json={"description": "x"})).status_code == 403
    await owner.http.put(f"{url}/members/{person.id}", json={"role": "owner"})
    assert (await person.http.patch(url, json={"description": "x"})).status_code == 200
    listed = (await owner.http.get(f"{url}/members")).json()["items"]
    assert [(member["username"], member["role"]) for member in listed] == [
        (owner.username, "owner"),
        (person.username, "owner"),
    ]
    assert (await owner.http.delete(f"{url}/members/{person.username}")).status_code == 204
    assert (await person.http.get(url)).status_code == 404
    assert (await owner.http.delete(f"{url}/members/{person.username}")).status_code == 404


async def test_last_owner_stays_also_when_two_leave_at_once(api: Api) -> None:
    one, other = await api.person(), await api.person()
    scope = await api.project(one, owner=other)
    url = f"/api/v1/projects/{scope.slug}/members"
    answers = await asyncio.gather(
        one.http.delete(f"{url}/{one.username}"),
        other.http.put(f"{url}/{other.username}", json={"role": "viewer"}),
    )
    assert sorted(answer.status_code for answer in answers)[1] == 409


async def test_unknown_user_cannot_be_made_a_member(api: Api) -> None:
    owner = await api.person()
    scope = await api.project(owner)
    answer = await owner.http.put(f"/api/v1/projects/{scope.slug}/members/nobody", json={"role": "viewer"})
    assert answer.status_code == 404
    wrong = await owner.http.put(f"/api/v1/projects/{scope.slug}/members/{owner.username}", json={"role": "king"})
    assert wrong.status_code == 422
    assert wrong.json()["errors"][0]["field"] == "role"


async def test_admin_sees_every_project_and_has_no_role_in_it(api: Api, admin: Person) -> None:
    scope = await api.project(await api.person())
    assert (await admin.http.get(f"/api/v1/projects/{scope.slug}")).json()["role"] is None
    person = await api.person()
    assert (await person.http.get("/api/v1/projects")).json()["items"] == []
    assert (await person.http.get("/api/v1/me")).json()["projects"] == []
