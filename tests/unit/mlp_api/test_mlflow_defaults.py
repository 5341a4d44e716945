"""Experiment 0 of MLflow's client is the project's default one, wherever it stands for an experiment."""

from __future__ import annotations

import json

import pytest

from mlp_api.mlflow_defaults import is_named, put_into_body, put_into_target


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/x?experiment_id=0", "/x?experiment_id=17"),
        ("/x?a=1&experiment_id=0&b=2", "/x?a=1&experiment_id=17&b=2"),
        ("/x?experiment_ids=0&experiment_ids=3", "/x?experiment_ids=17&experiment_ids=3"),
        ("/x?experiment_id=01", "/x?experiment_id=01"),
        ("/x?my_experiment_id=0", "/x?my_experiment_id=0"),
        ("/x", "/x"),
    ],
)
def test_in_a_query(target: str, expected: str) -> None:
    assert put_into_target(target, "17") == expected
    assert is_named(target, b"") == (target != expected)


def test_in_a_body_at_any_depth_and_nowhere_else() -> None:
    document = {
        "experiment_id": "0",
        "experiment_ids": ["0", "3"],
        "name": "0",
        "trace": {"location": [{"experiment_id": "0"}], "tags": {"step": "0"}},
    }
    body = json.dumps(document).encode()
    assert is_named("/x", body)
    assert json.loads(put_into_body(body, "17")) == {
        "experiment_id": "17",
        "experiment_ids": ["17", "3"],
        "name": "0",
        "trace": {"location": [{"experiment_id": "17"}], "tags": {"step": "0"}},
    }


def test_what_is_no_json_passes_as_it_came() -> None:
    assert put_into_body(b'{"experiment_id": "0"', "17") == b'{"experiment_id": "0"'
    assert not is_named("/x", b'{"run_id": "0"}')
