from __future__ import annotations

import pytest

from mlp_core.logs.lines import Piece, Position
from mlp_core.logs.select import LogQuery, TailBuffer, select_lines
from mlp_core.logs.sources import SourceFilter


@pytest.mark.parametrize(
    ("wanted", "source", "is_meant"),
    [
        ((), "driver", True),
        (("driver",), "driver", True),
        (("driver",), "head/1", False),
        (("worker",), "head/1", True),
        (("worker",), "driver", False),
        (("head",), "driver", True),
        (("head",), "head/1/err", True),
        (("train-1",), "train-1/5", True),
        (("train-1",), "train-10/5", False),
        (("train-1/5",), "train-1/5/err", True),
        (("train-1/5",), "train-1/50", False),
        (("train-1", "driver"), "driver", True),
    ],
)
def test_a_source_is_meant_by_kind_node_process_or_name(wanted: tuple[str, ...], source: str, is_meant: bool) -> None:
    assert SourceFilter(wanted).matches(source) is is_meant


def a_piece(first: int, *lines: str) -> Piece:
    body = "".join(f"{line}\n" for line in lines).encode()
    return Piece(
        "driver", 1000, Position(first * 10, first), Position(first * 10 + len(body), first + len(lines)), body
    )


def test_matches_keep_their_line_numbers_and_neighbours_stay_together() -> None:
    piece = a_piece(5, "a", "hit", "hit", "b", "hit")
    selected = select_lines(piece, 1, LogQuery(grep="hit"), 100)
    assert [(chunk.start, chunk.lines) for chunk in selected.chunks] == [(6, ["hit", "hit"]), (9, ["hit"])]
    assert (selected.lines, selected.rest_from) == (3, None)


def test_the_limit_says_where_the_rest_begins() -> None:
    piece = a_piece(0, "hit", "a", "hit", "b", "hit")
    selected = select_lines(piece, 1, LogQuery(grep="hit"), 2)
    assert (selected.lines, selected.rest_from) == (2, 4)
    assert select_lines(piece, 1, LogQuery(), 3).rest_from == 3
    assert select_lines(piece, 1, LogQuery(), 5).rest_from is None


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 6, 9])
def test_a_tail_is_the_last_lines_of_all_pieces(count: int) -> None:
    tail = TailBuffer(count)
    for piece in (a_piece(0, "0", "1", "2"), a_piece(3, "3"), a_piece(4, "4", "5")):
        tail.put(piece)
    found = [line for piece in tail.pieces() for line in piece.lines()]
    assert found == ["0", "1", "2", "3", "4", "5"][6 - min(count, 6) :]
