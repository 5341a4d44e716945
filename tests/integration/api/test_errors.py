"""Whatever goes wrong is answered as a problem document with a code, a sentence and the request's id."""

from __future__ import annotations

import socket
from datetime import UTC, datetime, timedelta

import pytest

from mlp_core.kit.clock import FixedClock
from support.platform import Api


async def test_unknown_path_is_a_problem(api: Api) -> None:
    answer = await api.client().get("/api/v1/nothing")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["code"] == "no_such_route"
    assert problem["request_id"] == answer.headers["x-request-id"]


async def test_wrong_method_is_a_problem(api: Api) -> None:
    answer = await api.client().delete("/api/v1/me")
    assert answer.status_code == 405
    assert answer.json()["code"] == "method_not_allowed"
    assert "GET" in answer.headers["allow"]


async def test_anonymous_is_told_how_to_sign_in(api: Api) -> None:
    answer = await api.client().get("/api/v1/me")
    assert answer.status_code == 401
    assert answer.json()["code"] == "not_signed_in"
    assert answer.headers["www-authenticate"].startswith("Bearer")


async def test_refused_fields_are_named_by_their_path(api: Api) -> None:
    admin = await api.person(is_admin=True)
    answer = await admin.http.post("/api/v1/projects", json={"name": "ok-name", "limits": {"gpus": 3}})
    assert answer.status_code == 422
    problem = answer.json()
    assert problem["code"] == "invalid"
    assert problem["errors"][0]["field"] == "limits"
    assert "Did you mean 'gpu'?" in problem["errors"][0]["message"]


async def test_broken_json_is_named_so(api: Api) -> None:
    admin = await api.person(is_admin=True)
    answer = await admin.http.post(
        "/api/v1/projects", content=b'{"name": ', headers={"content-type": "application/json"}
    )
    assert answer.status_code == 422
    assert "JSON" in answer.json()["detail"]


@pytest.mark.parametrize("declared", [True, False], ids=["declared", "streamed"])
async def test_body_above_the_limit_is_413(api: Api, declared: bool) -> None:
    admin = await api.person(is_admin=True)
    body = b'{"name": "' + b"x" * (2**20) + b'"}'

    async def chunks():
        for start in range(0, len(body), 65536):
            yield body[start : start + 65536]

    answer = await admin.http.post(
        "/api/v1/projects", content=body if declared else chunks(), headers={"content-type": "application/json"}
    )
    assert answer.status_code == 413
    assert answer.json()["code"] == "too_large"


async def test_nul_in_a_path_or_query_is_422(api: Api) -> None:
    admin = await api.person(is_admin=True)
    assert (await admin.http.get("/api/v1/projects/a%00b")).status_code == 422
    assert (await admin.http.get("/api/v1/projects?cursor=%00")).status_code == 422


@pytest.mark.parametrize(("version", "code"), [("0.0.9", "client_too_old"), ("9.0.0", "client_too_new")])
async def test_client_of_another_generation_is_told_the_line_to_type(api: Api, version: str, code: str) -> None:
    answer = await api.client(**{"X-Mlp-Client": version}).get("/api/v1/me")
    assert answer.status_code == 426
    problem = answer.json()
    assert problem["code"] == code
    assert problem["hint"].startswith("pip install http://mlp.test/client/mlplatform-")


async def test_own_request_id_is_kept_where_it_is_harmless(api: Api) -> None:
    client = api.client()
    kept = await client.get("/healthz", headers={"X-Request-Id": "abcdef-0123"})
    assert kept.headers["x-request-id"] == "abcdef-0123"
    replaced = await client.get("/healthz", headers={"X-Request-Id": "a b\tc" * 3})
    assert replaced.headers["x-request-id"] != "a b\tc" * 3


async def test_readyz_names_each_dependency(api: Api) -> None:
    answer = await api.client().get("/readyz")
    assert answer.status_code == 200
    body = answer.json()
    assert body["status"] == "degraded"
    assert {each["name"]: each["ok"] for each in body["dependencies"]} == {
        "postgres": True,
        "clock": True,
        "object_store": True,
        "redis": False,
        "mlflow": False,
    }


async def test_m5_readyz_names_a_host_whose_clock_is_off(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    for seconds, is_fine in ((45, True), (-45, True), (90, False), (-600, False)):
        monkeypatch.setattr(api.platform, "clock", FixedClock(datetime.now(UTC) + timedelta(seconds=seconds)))
        found = {each["name"]: each for each in (await api.client().get("/readyz")).json()["dependencies"]}["clock"]
        assert found["ok"] is is_fine, found
        if not is_fine:
            assert socket.gethostname() in found["message"]
            assert f"s {'ahead of' if seconds > 0 else 'behind'}" in found["message"]
