from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mlp.client.logs import LineReader
from support.fake_platform import a_chunk
from support.patience import patient


def test_lines_are_strings_that_know_where_they_come_from() -> None:
    (line,) = LineReader().lines(a_chunk(4, "loss 0.5", attempt=2, source="train-0/77"))
    assert line == "loss 0.5"
    assert (line.source, line.attempt, line.number, line.is_partial) == ("train-0/77", 2, 4, False)


def test_a_resent_chunk_brings_nothing_twice() -> None:
    reader = LineReader()
    assert list(reader.lines(a_chunk(0, "a", "b"))) == ["a", "b"]
    assert list(reader.lines(a_chunk(0, "a", "b"))) == []
    assert list(reader.lines(a_chunk(1, "b", "c"))) == ["c"]


def test_sources_and_attempts_count_by_themselves() -> None:
    reader = LineReader()
    chunks = [a_chunk(0, "a"), a_chunk(0, "b", source="w/1"), a_chunk(0, "c", attempt=2)]
    assert [line for chunk in chunks for line in reader.lines(chunk)] == ["a", "b", "c"]


def test_filtered_lines_may_leave_numbers_out() -> None:
    reader = LineReader()
    chunks = [a_chunk(3, "x"), a_chunk(90, "y")]
    assert [line.number for chunk in chunks for line in reader.lines(chunk)] == [3, 90]


def test_a_line_without_an_end_comes_again_and_is_not_lost_at_the_end() -> None:
    reader = LineReader()
    shown = [
        (str(line), line.is_partial)
        for chunk in [a_chunk(0, "10%", partial=True), a_chunk(0, "90%", partial=True)]
        for line in reader.lines(chunk)
    ]
    assert shown == [("10%", True), ("90%", True)]
    assert [(str(line), line.is_partial) for line in reader.rest()] == [("90%", False)]
    assert reader.rest() == []


def test_a_line_that_got_its_end_is_not_told_again() -> None:
    reader = LineReader()
    list(reader.lines(a_chunk(0, "10%", partial=True)))
    assert list(reader.lines(a_chunk(0, "100%", "done"))) == ["100%", "done"]
    assert list(reader.lines(a_chunk(0, "10%", partial=True))) == []
    assert reader.rest() == []


@patient
@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 20)), max_size=30))
def test_however_chunks_repeat_each_line_comes_once_and_in_order(windows: list[tuple[int, int]]) -> None:
    """Chunks overlap as they do after reconnections: each starts at or before the end of what was sent."""
    reader, sent, got = LineReader(), 0, []
    for back, count in windows:
        start = max(0, sent - back)
        end = max(sent, start + count)
        got += [int(line) for line in reader.lines(a_chunk(start, *map(str, range(start, end))))]
        sent = end
    assert got == list(range(sent))
