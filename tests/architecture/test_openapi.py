"""The OpenAPI document is a promise to clients: it changes on purpose, and it is complete.

After a change on purpose: `python -m mlp_api.write_openapi tests/architecture/openapi.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mlp_api import openapi
from mlp_api.app import create_app
from mlp_api.platform import make_platform
from mlp_core.settings import Settings

SNAPSHOT = Path(__file__).with_name("openapi.json")


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> str:
    settings = Settings(
        database_url="postgresql+psycopg://nobody@/nowhere",
        object_store_url=f"file://{tmp_path_factory.mktemp('objects')}",
        secret_key="0" * 32,  # pyright: ignore[reportArgumentType]
    )
    return openapi.render(create_app(make_platform(settings)))


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            yield f"{method.upper()} {path}", operation


def test_document_is_the_snapshot(rendered: str) -> None:
    assert rendered == SNAPSHOT.read_text(), (
        "run `python -m mlp_api.write_openapi tests/architecture/openapi.json` if it is meant"
    )


def test_every_operation_is_described(rendered: str) -> None:
    for name, operation in _operations(json.loads(rendered)):
        assert operation.get("summary"), name
        assert operation.get("description"), name
        assert operation.get("tags"), name


def test_every_operation_documents_its_problems(rendered: str) -> None:
    for name, operation in _operations(json.loads(rendered)):
        assert "default" in operation["responses"], name
        for status, response in operation["responses"].items():
            if status in {"401", "403", "404", "409", "410", "412", "422", "429"}:
                assert "application/problem+json" in response["content"], f"{name} {status}"


def test_every_json_body_has_an_example(rendered: str) -> None:
    for name, operation in _operations(json.loads(rendered)):
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if content is not None and operation["operationId"].startswith(("create_", "login")):
            assert content.get("examples") or content.get("example"), name


def test_every_create_takes_an_idempotency_key(rendered: str) -> None:
    by_nature = {"login", "create_package", "complete_package", "post_samples", "post_metrics"}
    by_nature |= {"start_artifact", "complete_artifact", "log_artifact", "change_password"}
    by_nature |= {"create_session", "create_session_link"}
    for name, operation in _operations(json.loads(rendered)):
        if name.startswith("POST ") and operation["operationId"] not in by_nature:
            parameters = {parameter["name"] for parameter in operation.get("parameters", [])}
            assert "Idempotency-Key" in parameters, name


def test_every_list_is_paged(rendered: str) -> None:
    few_by_nature = {"list_attempts", "list_log_sources"}
    for name, operation in _operations(json.loads(rendered)):
        schema = operation["responses"].get("200", {}).get("content", {}).get("application/json", {}).get("schema", {})
        is_page = schema.get("$ref", "").rpartition("/")[2].startswith("Page_")
        if is_page and operation["operationId"] not in few_by_nature:
            parameters = {parameter["name"] for parameter in operation.get("parameters", [])}
            assert {"cursor", "limit"} <= parameters, name
