from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlp import errors
from mlp.client.call import Call
from mlp.client.exchange import Origin
from mlp.client.resume import Resume
from mlp.client.sse import ServerEvent, SseParser
from support.patience import patient

STREAM = (
    ': hello\r\n\r\nevent: log\ndata: {"a":\ndata: 1}\nid: 7\n\n'
    "data: naïve 训练\r\n\r\nretry: 1500\nevent: empty\n\nid: 9\nevent: end\ndata:  x\n\n"
).encode()
EVENTS = [
    ServerEvent("log", '{"a":\n1}', "7"),
    ServerEvent("message", "naïve 训练", "7"),
    ServerEvent("end", " x", "9"),
]


def test_events_are_cut_as_the_standard_says() -> None:
    parser = SseParser()
    assert parser.feed(STREAM) == EVENTS
    assert parser.retry_seconds == 1.5


@patient
@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_pieces_may_end_anywhere(cuts: list[int]) -> None:
    parser = SseParser()
    edges = [0, *sorted(cuts), len(STREAM)]
    found = [event for a, b in pairwise(edges) for event in parser.feed(STREAM[a:b])]
    assert found == EVENTS


def resume(clock: list[float], patience: float = 60) -> Resume:
    return Resume(
        Call("GET", "/stream"),
        Origin("http://mlp.test"),
        ends=frozenset({"end"}),
        now=lambda: clock[0],
        chance=random.Random(1),
        patience_seconds=patience,
    )


def test_a_stream_goes_on_behind_the_last_event_it_had() -> None:
    state = resume([0.0])
    assert "Last-Event-ID" not in state.request().headers
    state.feed(b"id: c5\ndata: 1\n\nid: c6\nda")
    assert 0 < state.lost() <= 0.2
    assert state.request().headers["Last-Event-ID"] == "c5"


def test_what_was_half_sent_when_the_line_broke_is_forgotten() -> None:
    state = resume([0.0])
    state.feed(b"data: ha")
    state.lost()
    state.request()
    assert [event.data for event in state.feed(b"data: whole\n\n")] == ["whole"]


def test_pauses_grow_and_start_over_when_bytes_come() -> None:
    state = resume([0.0])
    state.feed(b": hi\n")
    pauses = [state.lost() for _ in range(8)]
    assert pauses[0] <= 0.2
    assert max(pauses) <= 5
    assert pauses[6] > 1
    state.feed(b": hi\n")
    assert state.lost() <= 0.2


def test_patience_ends() -> None:
    clock = [0.0]
    state = resume(clock, patience=30)
    state.feed(b": hi\n")
    state.lost()
    clock[0] = 31
    gone = errors.PlatformUnreachable("gone")
    with pytest.raises(errors.PlatformUnreachable) as caught:
        state.lost(gone)
    assert caught.value is gone


def test_the_end_ends_it() -> None:
    state = resume([0.0])
    state.feed(b"event: end\ndata: {}\n\n")
    assert state.ended
