"""The client's default experiment: it says `0` where a person names none, which in a project is called `Default`.

MLflow has an experiment 0 in one workspace only, which is no project's, so the number stands for nothing else. Pure.
"""

from __future__ import annotations

import json
import re
from typing import Any, cast

NOBODYS_ID = "0"
_IN_QUERY = re.compile(rf"(?P<before>(?:^|[?&])experiment_ids?=){NOBODYS_ID}(?=&|$)")


def is_named(target: str, body: bytes) -> bool:
    """Whether the request is about the default experiment. A cheap look, before anything is parsed."""
    in_body = b'"0"' in body and b"experiment_id" in body
    return bool(_IN_QUERY.search(target.partition("?")[2])) or in_body


def put_into_target(target: str, experiment_id: str) -> str:
    path, mark, query = target.partition("?")
    return path + mark + _IN_QUERY.sub(rf"\g<before>{experiment_id}", query)


def put_into_body(body: bytes, experiment_id: str) -> bytes:
    """The body with the number replaced where it names an experiment; as it came where it is no JSON."""
    try:
        document = json.loads(body)
    except ValueError:
        return body
    return json.dumps(_replaced(document, experiment_id)).encode()


def _replaced(value: Any, experiment_id: str) -> Any:
    if isinstance(value, list):
        return [_replaced(item, experiment_id) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    return {key: _field(key, item, experiment_id) for key, item in cast("dict[str, Any]", value).items()}


def _field(key: str, value: Any, experiment_id: str) -> Any:
    if key == "experiment_id" and value == NOBODYS_ID:
        return experiment_id
    if key == "experiment_ids" and isinstance(value, list):
        return [experiment_id if item == NOBODYS_ID else item for item in cast("list[Any]", value)]
    return _replaced(value, experiment_id)
