"""Why a job waits: behind whom, and what is none of the reader's business. Alone in its database."""

from __future__ import annotations

from mlp_core.kit.ids import new_id
from mlp_core.tables import AttemptRow, JobRow
from support.tenants import Tenant


async def test_c1_c8_a_waiting_job_names_what_it_waits_for(tenant: Tenant) -> None:
    holder = await tenant.submit(name="holder", resources={"groups": [{"name": "train", "gpu": 3}]})
    await hold_machines(tenant, holder["id"])
    elsewhere = await tenant.api.project(tenant.stranger)
    secret = await tenant.stranger.http.post(
        f"/api/v1/projects/{elsewhere.slug}/jobs",
        json={"name": "secret", "entrypoint": "true", "resources": {"groups": [{"name": "g", "gpu": 1}]}},
    )
    await hold_machines(tenant, secret.json()["id"])
    waiting = await tenant.submit(name="A", resources={"groups": [{"name": "train", "gpu": 4}]})
    why = (await tenant.owner.http.get(f"{tenant.path}/{waiting['id']}/why")).json()
    assert (why["phase"], why["position"]) == ("queued", 1)
    named, hidden = why["blockers"]
    assert (named["job_id"], named["name"], named["project"]) == (holder["id"], "holder", tenant.scope.slug)
    assert named["holds"].startswith("3 GPU, ")
    assert (hidden["job_id"], hidden["name"], hidden["project"]) == (None, "another project", None)
    assert "secret" not in str(why)
    dry = await tenant.owner.http.post(
        tenant.path,
        params={"dry_run": "true"},
        json={"entrypoint": "true", "resources": {"groups": [{"name": "train", "gpu": 4}]}},
    )
    assert dry.json()["fits_now"] is False
    assert "secret" not in dry.text


async def hold_machines(tenant: Tenant, job: str) -> None:
    """Admit the job, as the operator does."""
    async with tenant.api.platform.database.transaction() as session:
        row = await session.get_one(JobRow, job)
        row.phase, row.attempt_number = "running", 1
        session.add(AttemptRow(id=new_id("attempt"), job_id=job, project_id=row.project_id, number=1, phase="running"))
