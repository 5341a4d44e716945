"""What the worker is made of: every scheduled kind can be carried out, and the broker is never trusted with time."""

# celery ships no types.
# pyright: reportUnknownMemberType=false, reportMissingTypeStubs=false

from __future__ import annotations

import ast
from datetime import timedelta
from pathlib import Path

import pytest

import mlp_worker
from mlp_core.outbox.service import CLAIM_SECONDS, delay_seconds
from mlp_core.tracking import closing
from mlp_worker import celery_app
from mlp_worker.effects import EFFECTS, FOR_A_DAY
from mlp_worker.schedule import EVERY, LOOKS_PER_SLOT, beat_schedule

SOURCES = sorted(Path(mlp_worker.__file__).parent.rglob("*.py"))


def test_everything_that_is_scheduled_can_be_carried_out() -> None:
    assert set(EVERY) <= set(EFFECTS)
    assert set(beat_schedule()) == set(EVERY)


def test_beat_looks_at_least_twice_per_slot() -> None:
    assert all(entry["schedule"] * LOOKS_PER_SLOT <= EVERY[kind] for kind, entry in beat_schedule().items())


def test_the_worker_knows_what_a_new_project_asks_for() -> None:
    assert closing.ENSURE_WORKSPACE in EFFECTS


def test_what_waits_for_a_neighbour_is_tried_for_more_than_a_day() -> None:
    assert sum(delay_seconds(tries) for tries in range(1, FOR_A_DAY)) > timedelta(days=1).total_seconds()


def test_messages_are_acknowledged_as_they_are_taken() -> None:
    app = celery_app.make_app("redis://127.0.0.1:1/0")
    assert app.conf.task_acks_late is False
    assert app.conf.task_ignore_result is True
    assert app.conf.broker_transport_options["visibility_timeout"] > CLAIM_SECONDS


def test_every_effect_is_a_task_of_its_own() -> None:
    app = celery_app.make_app("redis://127.0.0.1:1/0")
    seen: list[int] = []
    celery_app.register(app, EFFECTS, seen.append)
    for kind in EFFECTS:
        app.tasks[celery_app.TASK_PREFIX + kind](7)
    assert seen == [7] * len(EFFECTS)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_nothing_is_ever_left_to_the_brokers_clock(source: Path) -> None:
    """A message with an ETA beyond the visibility timeout is given out again and again (case m3)."""
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.keyword):
            assert node.arg not in ("eta", "countdown", "expires")


def test_a_broker_that_is_away_is_said_soon() -> None:
    app = celery_app.make_app("redis://127.0.0.1:1/0")
    with pytest.raises(celery_app.BrokerAway):
        celery_app.send(app, 1, "keys.sweep")
