"""The operator says whether its loop still looks for due rows."""

from __future__ import annotations

import time
from http import HTTPStatus

from mlp_core.kit.database import Database
from mlp_operator.health import STALE_SECONDS, Health
from mlp_operator.listening import DueSignal
from mlp_operator.loop import Loop

NOWHERE = "postgresql+psycopg://nobody@127.0.0.1:1/none"


def loop() -> Loop:
    return Loop(Database(NOWHERE), (), DueSignal(NOWHERE), owner="test", concurrency=1)


def test_a_loop_that_has_just_started_is_given_time() -> None:
    assert Health(loop(), started_at=time.monotonic()).state()[0] == HTTPStatus.OK


def test_a_loop_that_never_looked_is_stuck() -> None:
    status, body = Health(loop(), started_at=time.monotonic() - STALE_SECONDS - 1).state()
    assert (status, body["status"]) == (HTTPStatus.SERVICE_UNAVAILABLE, "stuck")


def test_a_loop_that_waits_for_the_database_is_alive_and_says_so() -> None:
    looking = loop()
    looking.last_look_at = time.monotonic()
    looking.trouble = "database"
    status, body = Health(looking, started_at=0).state()
    assert (status, body["waits_for"]) == (HTTPStatus.OK, "database")


def test_it_is_alive_before_it_is_ready() -> None:
    looking = loop()
    health = Health(looking, started_at=time.monotonic())
    assert (health.state()[0], health.ready()[0]) == (HTTPStatus.OK, HTTPStatus.SERVICE_UNAVAILABLE)
    looking.last_look_at = time.monotonic()
    assert health.ready()[0] == HTTPStatus.OK
    looking.trouble = "database"
    assert (health.state()[0], health.ready()[0]) == (HTTPStatus.OK, HTTPStatus.SERVICE_UNAVAILABLE)
