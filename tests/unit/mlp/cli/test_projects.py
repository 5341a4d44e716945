"""`mlp project`: what is typed becomes a change of what is there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.fake_platform import FakePlatform

PROJECT: dict[str, Any] = {
    "id": "prj_1", "name": "vision", "team": "default", "role": None, "description": "", "live_jobs": 0,
    "limits": {"gpu": 4}, "guarantees": {"a100": 2, "cpu": 0.5}, "mlflow_url": "http://x/", "created_at": "2026-12-01",
    "etag": '"1"',
}  # fmt: skip


def test_guarantees_are_shown_and_changed_pool_by_pool(signed_in: FakePlatform, run: Any) -> None:
    signed_in.on("GET /projects/vision", PROJECT)
    signed_in.on("PATCH /projects/vision", PROJECT)
    assert "2 of pool a100, 0.5 of pool cpu" in run("project", "show", "vision").out
    assert run("project", "update", "vision", "--guarantee", "a100=3", "--guarantee", "cpu=0").code == 0
    sent = signed_in.seen[-1]
    assert json.loads(sent.body) == {"guarantees": {"a100": 3, "cpu": 0}}


@pytest.mark.parametrize("typed", ["a100", "a100=many", "=", "a100="])
def test_what_is_no_share_is_a_usage_error(signed_in: FakePlatform, run: Any, typed: str) -> None:
    result = run("project", "update", "vision", "--guarantee", typed)
    assert result.code == 2
    assert "POOL=MACHINES" in result.err
