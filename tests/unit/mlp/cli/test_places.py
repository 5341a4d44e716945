"""A waiting job's place, as `mlp job show` and `mlp why` tell it."""

from __future__ import annotations

from typing import Any

import pytest

from support.fake_platform import FakePlatform, a_job

HIDDEN = {"kind": "job", "id": None, "name": "another project", "project": None, "since": None}
WHY: dict[str, Any] = {
    "phase": "queued", "reason": "NoRoom", "message": "Needs 4 GPU.", "since": "2026-12-01T12:00:00Z", "blockers": [],
    "would_start_now": [], "usual_seconds": None,
}  # fmt: skip


def one_ahead(name: str) -> dict[str, Any]:
    return {"kind": "job", "id": f"job_{name}", "name": name, "project": "demo", "since": "2026-12-01T12:00:00Z"}


def test_show_tells_the_place(signed_in: FakePlatform, run: Any) -> None:
    signed_in.on("GET /projects/demo/jobs/job_1", a_job(queue={"pool": "gpu", "position": 3}))
    assert "3rd in the queue of pool 'gpu'" in run("job", "show", "job_1").out


@pytest.mark.parametrize(
    ("position", "ahead", "told"),
    [
        (1, [], "It is 1st in the queue of pool 'gpu'."),
        (2, [one_ahead("a")], "It is 2nd in the queue of pool 'gpu', behind a (job_a)."),
        (3, [one_ahead("a"), HIDDEN], "It is 3rd in the queue of pool 'gpu', behind a (job_a), 1 of other projects."),
        (99, [one_ahead("a"), HIDDEN], "It is 99th in the queue of pool 'gpu', behind a (job_a), 97 more."),
    ],
)
def test_why_tells_who_is_before(
    signed_in: FakePlatform, run: Any, position: int, ahead: list[dict[str, Any]], told: str
) -> None:
    place = {"pool": "gpu", "position": position}
    signed_in.on("GET /projects/demo/jobs/job_1/why", {**WHY, "position": position, "queue": place, "ahead": ahead})
    assert told in run("why", "job_1").out


def test_many_ahead_are_counted(signed_in: FakePlatform, run: Any) -> None:
    place = {"pool": "gpu", "position": 9}
    ahead = [one_ahead(str(number)) for number in range(8)]
    signed_in.on("GET /projects/demo/jobs/job_1/why", {**WHY, "position": 9, "queue": place, "ahead": ahead})
    assert "4 (job_4), 3 more that you can see." in run("why", "job_1").out
