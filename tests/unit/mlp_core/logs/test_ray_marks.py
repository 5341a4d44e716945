"""Lines that Ray's workers write for its own log monitor are no output of the job."""

from __future__ import annotations

from mlp_core.logs.lines import Piece, Position, without_ray_marks


def piece(body: bytes) -> Piece:
    start = Position(100, 7)
    end = Position(100 + len(body), 7 + body.count(b"\n"))
    return Piece("train-0/41", 0, start, end, body)


def test_marks_are_hidden_and_the_lines_around_keep_their_numbers_b5() -> None:
    shown = without_ray_marks(piece(b":job_id:01\nv 0\nv 1\n:task_name:f\n:actor_name:A\nv 2\n"))
    assert [(part.start.line, part.end.line, part.body) for part in shown] == [
        (8, 10, b"v 0\nv 1\n"),
        (12, 13, b"v 2\n"),
    ]
    assert [part.start.byte for part in shown] == [111, 146]


def test_what_a_person_prints_is_never_taken_for_a_mark() -> None:
    body = b"a :job_id: inside\n:other:\nx\r:job_id:redrawn\n"
    assert without_ray_marks(piece(body)) == [piece(body)]


def test_a_line_in_two_segments_is_judged_by_its_text() -> None:
    start = Position(0, 0)
    assert without_ray_marks(Piece("a/1", 0, start, Position(9, 1), b"", text=":job_id:01")) == []
