"""Whatever is sent to any route of the document, the answer is one that the document knows, and never a fault of ours.

Requests are made up by schemathesis from the document, good ones and bad ones, and sent to the api as it is run.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase
from hypothesis import settings as hypothesis_settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from mlp_core.kit.ids import new_id
from mlp_core.settings import Settings
from mlp_core.tables import AttemptRow, JobRow
from support.live_api import running_api
from support.platform import Api

SNAPSHOT = Path(__file__).parents[2] / "architecture" / "openapi.json"
EXAMPLES_PER_ROUTE = 8
TAKES_AWAY = {"delete_project", "revoke_token", "change_user", "remove_member", "put_member"}
"""Aimed at the real project or caller, these would take away what the other calls need; they get made-up names."""
ENDLESS = {"follow_events"}
"""Streams have tests of their own."""

schema = schemathesis.openapi.from_path(str(SNAPSHOT)).exclude(operation_id=sorted(ENDLESS))


@dataclass(frozen=True)
class Target:
    """A running api, the token of an admin, and names of what exists there."""

    url: str
    token: str
    names: dict[str, str]


@pytest.fixture(scope="module")
async def names(api: Api) -> dict[str, str]:
    person = await api.person("contract", is_admin=True)
    scope = await api.project(person, "contract")
    now = api.platform.clock.now()
    job = JobRow(
        id=new_id("job"),
        project_id=scope.project_id,
        name="ended",
        kind="script",
        spec={"entrypoint": "true"},
        phase="succeeded",
        attempt_number=1,
        ended_at=now,
        created_by=person.username,
        created_by_id=person.id,
    )
    attempt = AttemptRow(
        id=new_id("attempt"),
        job_id=job.id,
        project_id=scope.project_id,
        number=1,
        phase="succeeded",
        outcome="succeeded",
        ended_at=now,
    )
    async with api.platform.database.transaction() as session:
        session.add(job)
        await session.flush()
        session.add(attempt)
    await person.http.post("/api/v1/pools", json={"name": "cpu", "cpu": 4, "memory": "8Gi", "is_default": True})
    return {"token": person.token, "project": scope.slug, "job": job.id, "pool": "cpu", "user": person.username}


@pytest.fixture(scope="module")
def target(settings: Settings, names: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Generator[Target]:
    log = tmp_path_factory.mktemp("api") / "api.log"
    with running_api(settings, log) as process:
        yield Target(process.url, names["token"], names)


@schema.parametrize()
@hypothesis_settings(
    max_examples=EXAMPLES_PER_ROUTE,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_answer_is_one_that_the_document_knows(case: schemathesis.Case, target: Target) -> None:
    if case.operation.definition.raw["operationId"] not in TAKES_AWAY:
        for name in case.path_parameters or {}:
            if name in target.names:
                case.path_parameters[name] = target.names[name]
    response = case.call(base_url=target.url, headers={"Authorization": f"Bearer {target.token}"}, timeout=30)
    if response.status_code == 503:
        # Redis and MLflow are away here; that is said, and is not a fault.
        assert response.json()["code"] == "unavailable"
        return
    case.validate_response(
        response,
        checks=[
            not_a_server_error,
            status_code_conformance,
            content_type_conformance,
            response_schema_conformance,
        ],
    )
    if 400 <= response.status_code < 500:
        problem = response.json()
        assert problem["code"]
        assert problem["detail"]
        assert problem["request_id"]
