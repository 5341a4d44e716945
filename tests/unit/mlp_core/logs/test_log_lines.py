from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlp_core.domain.errors import Invalid
from mlp_core.logs.cursor import LogCursor
from mlp_core.logs.lines import Piece, Position, Segment, SourceLines
from mlp_core.logs.render import FOLD_BYTES, render_line, render_lines


def a_segment(start: int, raw: bytes, line: int, times: tuple[int, ...] = ()) -> Segment:
    times = times or (0, 1000 + start)
    return Segment(
        "driver", start, start + len(raw), line, line + raw.count(b"\n"), times[1], times[-1], times, f"key-{start}"
    )


def read(data: bytes, cuts: list[int]) -> tuple[list[Piece], SourceLines]:
    """Read `data` in the segments that `cuts` make of it."""
    lines = SourceLines("driver", Position())
    pieces: list[Piece] = []
    bounds = sorted({0, len(data), *(cut for cut in cuts if cut <= len(data))})
    for low, high in pairwise(bounds):
        raw = data[low:high]
        pieces += lines.feed(a_segment(low, raw, data[:low].count(b"\n")), raw)
    return pieces, lines


BYTES = st.lists(
    st.sampled_from([b"a", b"\n", b"\r", b"\x1b[31m", b"\x1b[2K", b"\x00", "é".encode(), b"\xff", b"bc d"])
).map(b"".join)


@given(data=BYTES, cuts=st.lists(st.integers(0, 60)))
def test_lines_are_the_same_wherever_segments_are_cut(data: bytes, cuts: list[int]) -> None:
    pieces, lines = read(data, cuts)
    whole, rest = data.split(b"\n")[:-1], data.split(b"\n")[-1]
    assert [line for piece in pieces for line in piece.lines()] == [render_line(line) for line in whole]
    assert lines.read_to == len(data)
    unfinished = lines.unfinished()
    assert (None if unfinished is None else unfinished.lines()) == ([render_line(rest)] if rest else None)


@given(data=BYTES, cuts=st.lists(st.integers(0, 60)), count=st.integers(1, 5))
def test_a_piece_is_cut_at_a_line(data: bytes, cuts: list[int], count: int) -> None:
    pieces, _ = read(data, cuts)
    for piece in pieces:
        head, tail = piece.first(count), piece.last(count)
        assert head.lines() == piece.lines()[:count]
        assert tail.lines() == piece.lines()[-count:]
        assert head.end.byte - head.start.byte >= head.count
        assert (tail.end, head.start) == (piece.end, piece.start)


@given(data=BYTES, cuts=st.lists(st.integers(0, 60)), stop=st.integers(0, 10))
def test_reading_goes_on_exactly_from_the_end_of_any_piece(data: bytes, cuts: list[int], stop: int) -> None:
    pieces, _ = read(data, cuts)
    if not pieces:
        return
    at = pieces[min(stop, len(pieces) - 1)].end
    again = SourceLines("driver", at)
    rest = again.feed(a_segment(0, data, 0), data)
    assert [line for piece in rest for line in piece.lines()] == [
        render_line(line) for line in data.split(b"\n")[at.line : -1]
    ]


def test_each_line_has_the_time_at_which_its_end_was_read() -> None:
    raw = b"one\ntwo\nthr" + b"ee\nfour\n"
    lines = SourceLines("driver", Position())
    pieces = lines.feed(a_segment(0, raw, 0, times=(0, 5000, 8, 6000, 11, 7000)), raw)
    assert [(piece.at_ms, piece.start.line, piece.lines()) for piece in pieces] == [
        (5000, 0, ["one", "two"]),
        (7000, 2, ["three", "four"]),
    ]


def test_a_line_of_ten_megabytes_is_folded_and_its_neighbours_stay_whole() -> None:
    data = b"before\n" + b"x" * 10_000_000 + b"\nafter\n"
    pieces, _ = read(data, list(range(0, len(data), 2**20)))
    before, long, after = [line for piece in pieces for line in piece.lines()]
    assert (before, after) == ("before", "after")
    assert long.startswith("x" * FOLD_BYTES)
    assert long.endswith(" … [9,934,464 bytes more on this line; the raw download has them]")
    assert pieces[-1].end == Position(len(data), 3)


def test_bytes_between_two_ends_of_a_long_line_need_not_be_read() -> None:
    lines = SourceLines("driver", Position())
    lines.feed(a_segment(0, b"a" * 10, 0), b"a" * 10)
    lines.skip(a_segment(10, b"b" * 1000, 0))
    (piece,) = lines.feed(a_segment(1010, b"c\n", 0), b"c\n")
    assert piece.lines() == ["aaaaaaaaaac … [1,000 bytes more on this line; the raw download has them]"]
    assert piece.end == Position(1012, 1)


def test_bytes_that_are_gone_are_stepped_over() -> None:
    lines = SourceLines("driver", Position())
    (piece,) = lines.feed(a_segment(100, b"later\n", 7), b"later\n")
    assert (piece.start, piece.lines()) == (Position(100, 7), ["later"])


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b"plain", "plain"),
        (b"  0%|   |\r 50%|#  |\r100%|###|", "100%|###|"),
        (b"windows line\r", "windows line"),
        (b"\x1b[32mepoch 1 done\x1b[0m", "\x1b[32mepoch 1 done\x1b[0m"),
        (b"\x1b]0;title\x07\x1b[2Jend", "end"),
        (b"\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "link"),
        (b"\x1b[A\x1b[?25lup\x1b[K", "up"),
        (b"\x1bPdevice\x1b\\x\x1bcy\x1b", "xy"),
        (b"a\x00b", "a\u2400b"),
        (b"\xff\xfe ok", "\ufffd\ufffd ok"),
        ("grüße 你好".encode(), "grüße 你好"),
        (b"tab\there\x08\x07", "tab\there"),
        ("\x9b31mc1\x9d0;t\x9c.".encode(), "c1."),
    ],
)
def test_a_line_is_shown_as_text_that_cannot_harm_its_reader(raw: bytes, shown: str) -> None:
    assert render_line(raw) == shown
    assert render_lines(raw + b"\n") == [shown]


def test_a_cut_inside_a_character_shows_no_replacement() -> None:
    shown = render_line(b"a" + "é".encode() * FOLD_BYTES)
    assert "\ufffd" not in shown
    assert shown.endswith("bytes more on this line; the raw download has them]")


def test_a_cursor_comes_back_as_it_was() -> None:
    cursor = LogCursor("att_1", {f"train-{i}/1{i}": Position(i * 100, i) for i in range(300)})
    assert LogCursor.decode(cursor.encode()) == cursor


@pytest.mark.parametrize("text", ["", "x", "%%%", "AAAA", "eyJhIjoxfQ", "é", LogCursor("a").encode()[:-3]])
def test_what_is_no_cursor_is_invalid(text: str) -> None:
    with pytest.raises(Invalid, match="cursor"):
        LogCursor.decode(text)
