"""The OpenAPI document: FastAPI's own, with our problems in place of its error shapes."""

from __future__ import annotations

import json
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter

from mlp.schemas.problems import Problem
from mlp_api.problems import MEDIA_TYPE, document
from mlp_core.domain.errors import Invalid, NotAllowed, NotFound, NotSignedIn

DESCRIPTION = """\
Train, tune and explore on shared CPU and GPU machines.

* **Errors** are RFC 9457 problem documents with a stable `code`, a `detail` for people, a `hint` what to do next, and
  the refused `errors` by field.
* **Lists** are pages: follow `next` (or the `Link` header) as `cursor` until it is null.
* **Creating twice** is prevented by an `Idempotency-Key`: the same key and body give the first answer again.
* **Changing** takes `If-Match` with the `etag` that was read; another version is refused with 412.
* **Names or ids**: every path takes either. What you may not see is answered as what does not exist.
"""
TAGS = [
    {"name": "sign-in", "description": "Who you are, and the tokens that say so."},
    {"name": "projects", "description": "The tenant: everything belongs to a project; members have roles in it."},
    {"name": "users", "description": "Accounts, for platform admins."},
    {"name": "pools", "description": "Kinds of machine that the platform offers."},
    {"name": "packages", "description": "Code as content-addressed zip archives, uploaded once in parts."},
    {"name": "environments", "description": "What code needs, resolved once to a lock with a digest."},
    {"name": "clusters", "description": "Named Ray clusters, on which many jobs can run."},
    {"name": "jobs", "description": "Units of work with an end: submit, explain, cancel, try again."},
    {"name": "models", "description": "Registered models: versions, aliases, and what made them."},
    {"name": "logs", "description": "Pages, search, following live, and the raw bytes."},
    {"name": "events", "description": "What happened, who or what did it and why; also live."},
    {"name": "agent", "description": "What the processes of a job hand in, with the job's own token."},
    {"name": "platform", "description": "Health, and the client that matches this platform."},
]


def install(app: FastAPI) -> None:
    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = build(app)
        return app.openapi_schema

    app.openapi = openapi


def build(app: FastAPI) -> dict[str, Any]:
    made = get_openapi(
        title=app.title,
        version=app.version,
        description=app.description,
        routes=app.routes,
        tags=TAGS,
        separate_input_output_schemas=app.separate_input_output_schemas,
    )
    _add_problem_schemas(made)
    for operations in made["paths"].values():
        for operation in operations.values():
            _document_problems(operation)
    return made


def _add_problem_schemas(made: dict[str, Any]) -> None:
    components: dict[str, Any] = made.setdefault("components", {})
    schemas: dict[str, Any] = components.setdefault("schemas", {})
    schema = TypeAdapter(Problem).json_schema(ref_template="#/components/schemas/{model}", mode="serialization")
    schemas.update(schema.pop("$defs", {}))
    schemas["Problem"] = schema
    schemas.pop("HTTPValidationError", None)
    schemas.pop("ValidationError", None)
    components["responses"] = {
        "Problem": {
            "description": "Any other problem: a wrong method, a client of another generation, an outage.",
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
    }


def _document_problems(operation: dict[str, Any]) -> None:
    """What every route of its sort can answer, beside what the route itself documents."""
    responses: dict[str, Any] = operation["responses"]
    parameters: list[dict[str, Any]] = operation.get("parameters", [])
    if "HTTPValidationError" in json.dumps(responses.get("422", {})):
        del responses["422"]
    if parameters or "requestBody" in operation:
        responses.setdefault("422", document(422, [Invalid]))
    if operation.get("security"):
        responses.setdefault("401", document(401, [NotSignedIn]))
        responses.setdefault("403", document(403, [NotAllowed]))
    if any(parameter["in"] == "path" for parameter in parameters):
        responses.setdefault("404", document(404, [NotFound]))
    responses["default"] = {"$ref": "#/components/responses/Problem"}
    operation["responses"] = dict(sorted(responses.items()))


def render(app: FastAPI) -> str:
    return json.dumps(build(app), indent=1, ensure_ascii=False, sort_keys=True) + "\n"
